import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const root = fileURLToPath(new URL('..', import.meta.url))

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-live-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Runs `steploop live` with a temporary folder of its own; what is left in there was not tidied up. */
async function live(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const temporary = folderOfTest()
  const main = join(root, 'packages/cli/src/main.ts')
  const child = spawn(process.execPath, ['--conditions=@steploop/source', main, 'live', ...words], {
    cwd: root,
    env: { ...process.env, TMPDIR: temporary, ...env },
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (data: Buffer) => void (said.stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => void (said.stderr += data.toString()))
  await once(child, 'close')
  return {
    ...said,
    status: child.exitCode,
    left: readdirSync(temporary).filter((name) => name !== 'node-compile-cache'),
  }
}

async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

/** A program that says that it is a llama-server, and then does this. */
function fakeServer(does: string): string {
  const file = join(folderOfTest(), 'llama-server')
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo 'version: 9.9.9 (build 1)'; exit 0; fi\n${does}\n`)
  chmodSync(file, 0o755)
  return file
}

const usage = 2

test('where no server can be had it is skipped, which is said', async () => {
  const outcome = await live(['--cache', folderOfTest()], { PATH: '/nowhere', LLAMA_SERVER: undefined as never })
  expect(outcome).toMatchObject({ status: 0, left: [] })
  expect(outcome.stdout).toMatch(/^skipped: .*LLAMA_SERVER=/)
})

test.each([
  ['that is not there', '/nowhere/llama-server', /does not exist/],
  ['that is no llama-server', '/bin/true', /does not say its version/],
])('a LLAMA_SERVER %s is told in one line', async (_what, path, said) => {
  const outcome = await live(['record', '--scenario', 'single-call'], { LLAMA_SERVER: path })
  expect(outcome).toMatchObject({ status: usage, stdout: '', left: [] })
  expect(outcome.stderr).toMatch(said)
})

test('a server that dies at its start is told with its last words, and nothing stays', async () => {
  const fake = fakeServer('echo "error: tensor data is not within the file bounds" >&2; exit 1')
  const outcome = await live(['record', '--scenario', 'single-call', '--only', 'llama-chat'], { LLAMA_SERVER: fake })
  expect(outcome).toMatchObject({ status: usage, left: [] })
  expect(outcome.stderr).toContain('ended at its start (1): error: tensor data is not within the file bounds')
})

test('an address where nobody is, and one that is no server of models, are told in one line', async () => {
  const page = await serverOf(
    (_, response) => void response.setHeader('content-type', 'text/html').end('<html>Hello</html>'),
  )
  const other = await serverOf((_, response) => void response.writeHead(404).end('{"error":"no such path"}'))
  const cases = [
    ['http://127.0.0.1:9', /Check the address, and that the server runs/],
    [page, /does not answer in the wire format openai-chat/],
    [other, /correct the address/],
  ] as const
  for (const [url, said] of cases) {
    const outcome = await live(['--base-url', url, '--only', 'llama-chat'])
    expect(outcome).toMatchObject({ status: usage, stdout: '', left: [] })
    expect(outcome.stderr).toMatch(said)
  }
})

test('a server that is up is fuzzed, and left as a caller can leave it', async () => {
  const url = await serverOf((request, response) => {
    let body = ''
    request.on('data', (data: Buffer) => void (body += data.toString()))
    request.on('end', () => {
      const isStream = body.includes('"stream":true')
      const choice = isStream ? { delta: { content: 'Hi' } } : { message: { role: 'assistant', content: 'Hi' } }
      const answer = { id: 'x', model: 'm', choices: [{ index: 0, ...choice, finish_reason: 'stop' }] }
      const text = JSON.stringify(answer)
      response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
      response.end(isStream ? `data: ${text}\n\ndata: [DONE]\n\n` : text)
    })
  })
  const outcome = await live(['--base-url', url, '--only', 'llama-chat', '--runs', '20'])
  expect(outcome).toMatchObject({ status: 0, left: [] })
  expect(outcome.stdout).toContain('fuzz: 20 runs, 20 turns')
  expect(outcome.stdout).toContain('0 invariants broken')
  expect(outcome.stdout).toContain('the caller aborts: 2 of 2')
})

test.each([
  [['nonsense'], /There is no part 'nonsense'/],
  [['record', '--base-url', 'http://127.0.0.1:1'], /needs weights of ours/],
  [['--runs', 'many'], /--runs 'many' is no count/],
  [['--out', 'x', '--write'], /not both/],
])('live %j is refused', async (words, said) => {
  const outcome = await live(words)
  expect(outcome.status).toBe(usage)
  expect(outcome.stderr).toMatch(said)
})
