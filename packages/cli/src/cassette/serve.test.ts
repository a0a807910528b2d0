import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { cassetteCommand, cassetteText, cleanEnvironment, folderWith, main, talk } from './testing.ts'

const cassette = { 'a.yaml': cassetteText([talk(), talk({ user: 'And now?' })]) }

/** Starts the server, gives its address to a client, stops it, and returns what it said. */
async function served(words: readonly string[], client: (url: string) => Promise<void>) {
  const cwd = folderWith(cassette)
  const options = ['--conditions=@steploop/source', main, 'cassette', 'serve', 'a.yaml', ...words]
  const child = spawn(process.execPath, options, { cwd, env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const reader = createInterface(child.stdout)
  const ended = once(reader, 'close')
  reader.on('line', (line) => lines.push(line))
  await once(reader, 'line')
  await client(lines[0] ?? '')
  child.kill('SIGTERM')
  const [[code]] = await Promise.all([once(child, 'exit'), ended])
  return { code: Number(code), lines: lines.slice(1) }
}

async function ask(url: string, user: string): Promise<number> {
  const body = JSON.stringify({ model: 'm1', messages: [{ role: 'user', content: user }] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
  await answer.text()
  return answer.status
}

// A process of its own takes a while to start on a busy machine.
const patience = { timeout: 30_000 }

test('serve answers over loopback from the cassette, and exits with 0 when all was asked for', patience, async () => {
  const { code, lines } = await served([], async (url) => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect([await ask(url, 'Hi'), await ask(url, 'And now?')]).toEqual([200, 200])
  })
  expect({ code, lines }).toEqual({ code: 0, lines: ['a.yaml: 2 of 2 exchanges answered'] })
})

test('serve says which exchanges nobody asked for and what is not recorded, and exits with 1', patience, async () => {
  const { code, lines } = await served([], async (url) => {
    expect([await ask(url, 'Hi'), await ask(url, 'Something else')]).toEqual([200, 400])
  })
  expect(code).toBe(1)
  expect(lines.slice(0, 2)).toEqual([
    'a.yaml: 1 of 2 exchanges answered',
    '  exchange 2 was never asked for: POST https://chat.example.com/v1/chat/completions',
  ])
  expect(lines.join('\n')).toContain('not recorded: a.yaml, exchange 2 of 2: POST')
})

test(
  'serve --json - speaks lines of JSON: the address, then the outcome; masks and a base URL apply',
  patience,
  async () => {
    const words = ['--json', '-', '--mask', 'messages.*.content', '--base-url', 'https://chat.example.com/v1']
    const { code, lines } = await served(words, async (line) => {
      const url = String(Reflect.get(JSON.parse(line) as object, 'url'))
      const body = JSON.stringify({ model: 'm1', messages: [{ role: 'user', content: 'anything' }] })
      const headers = { 'content-type': 'application/json' }
      expect((await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })).status).toBe(200)
    })
    expect(code).toBe(1)
    expect(JSON.parse(lines.join('\n'))).toMatchObject({ answered: 1, unconsumed: [{ number: 2 }], misses: [] })
  },
)

test('serve names a port that is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const { code, stderr } = await cassetteCommand(folderWith(cassette), 'serve', 'a.yaml', '--port', port)
  expect(code).toBe(2)
  expect(stderr).toContain(`Port ${port} of this machine cannot be used (EADDRINUSE)`)
})

test.each([
  ['a missing cassette', ['none.yaml'], /none\.yaml/],
  ['a port that is none', ['a.yaml', '--port', '70000'], /no port/],
  ['a speed that is none', ['a.yaml', '--timing', 'x0'], /no speed/],
])('serve refuses %s with exit code 2', async (_, words, message) => {
  const { code, stderr } = await cassetteCommand(folderWith(cassette), 'serve', ...words)
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})
