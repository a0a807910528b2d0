import { execFile } from 'node:child_process'
import { Agent, get, request } from 'node:http'
import { get as secureGet } from 'node:https'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { refusalHeader } from '../replay/refusal.ts'
import { cassetteOf, exchange } from '../testing.ts'
import { holdNetwork, useCassette } from './use-cassette.ts'

// Taken before MSW replaces the functions of node:http: like the undici package, it reaches MSW as a bare socket.
const undiciLike = get.bind(undefined)

const url = 'https://api.example.com/v1/chat'
const question = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"question":"why?"}' }
const answering = (...texts: string[]) => cassetteOf(...texts.map((text) => exchange({ chunks: [text] })))

/** What a callback-style request of node:http gives. */
async function received(outgoing: ReturnType<typeof get>): Promise<string> {
  const [response] = (await once(outgoing, 'response')) as [
    AsyncIterable<Uint8Array> & { headers: Record<string, string> },
  ]
  const pieces: string[] = []
  for await (const piece of response) pieces.push(Buffer.from(piece).toString())
  return response.headers[refusalHeader] ?? pieces.join('')
}

async function postByHttp(agent: Agent | undefined): Promise<string> {
  const outgoing = request('http://api.example.com/v1/chat', { method: 'POST', agent, headers: question.headers })
  outgoing.end(question.body)
  return received(outgoing)
}

test('fetch is answered in the order of the file and the rest of the network is denied', async () => {
  const used = useCassette(answering('first', 'second'))
  onTestFinished(used.close)
  expect(await (await fetch(url, question)).text()).toBe('first')
  expect(await (await fetch(url, question)).text()).toBe('second')
  expect(() => used[Symbol.dispose]()).not.toThrow()
})

test.each([
  ['fetch', async () => (await fetch('https://elsewhere.example.org/style.css')).headers.get(refusalHeader)],
  ['fetch to this machine', async () => (await fetch('http://127.0.0.1:65500/')).headers.get(refusalHeader)],
  ['node:http', async () => received(get('http://elsewhere.example.org/picture.png'))],
  ['a connection of its own', async () => received(undiciLike('http://elsewhere.example.org/data'))],
  ['node:https', async () => received(secureGet('https://elsewhere.example.org/'))],
])('%s to another host is denied, and the test that made the request fails', async (_, ask) => {
  const used = useCassette(answering('only'))
  onTestFinished(used.close)
  expect(await ask()).toBe('network-denied')
  expect(() => used[Symbol.dispose]()).toThrow(expect.objectContaining({ code: 'network-denied' }))
})

test('node:http is answered like fetch', async () => {
  const used = useCassette(cassetteOf(exchange({ url: 'http://api.example.com/v1/chat', chunks: ['an', 'swer'] })))
  onTestFinished(used.close)
  expect(await postByHttp(undefined)).toBe('answer')
})

test('a client that opens connections of its own is answered like fetch', async () => {
  const used = useCassette(
    cassetteOf(
      exchange({
        method: 'GET',
        sent: '',
        requestHeaders: {},
        url: 'http://api.example.com/v1/chat',
        chunks: ['an', 'swer'],
      }),
    ),
  )
  onTestFinished(used.close)
  expect(await received(undiciLike('http://api.example.com/v1/chat'))).toBe('answer')
})

test('a request that passes through reaches a real server', async () => {
  const server = createServer((_, response) => response.end('real'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const used = useCassette(answering(), { passthrough: ({ hostname }) => hostname === '127.0.0.1' })
  onTestFinished(() => {
    used.close()
    server.close()
    server.closeAllConnections()
  })
  const real = await fetch(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`)
  expect(await real.text()).toBe('real')
})

const names = Array.from({ length: 12 }, (_, index) => `answer ${index}`)
test.concurrent.each(names)('tests that run at the same time do not see each other: %s', async (name) => {
  const used = useCassette(answering(name, `${name} again`))
  await new Promise((resolve) => setTimeout(resolve, 2))
  const first = await (await fetch(url, question)).text()
  await new Promise((resolve) => setImmediate(resolve))
  const second = await (await fetch(url, question)).text()
  expect([first, second]).toEqual([name, `${name} again`])
  used[Symbol.dispose]()
})

test('connections that are kept alive do not mix up cassettes', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  const uses = ['a', 'b', 'c', 'd'].map((name) => {
    const exchanges = [1, 2].map((number) =>
      exchange({ url: 'http://api.example.com/v1/chat', chunks: [name + number] }),
    )
    return { name, used: useCassette(cassetteOf(...exchanges)) }
  })
  onTestFinished(() => {
    agent.destroy()
    for (const { used } of uses) used.close()
  })
  const answers = await Promise.all(
    uses.map(({ used }) => used.run(async () => [await postByHttp(agent), await postByHttp(agent)])),
  )
  expect(answers).toEqual(uses.map(({ name }) => [`${name}1`, `${name}2`]))
})

test('while the network is held, requests between two cassettes are denied, and real again afterwards', async () => {
  const real = globalThis.fetch
  const release = holdNetwork()
  onTestFinished(release)
  for (const text of ['first', 'second']) {
    const used = useCassette(answering(text))
    expect(await (await fetch(url, question)).text()).toBe(text)
    used.close()
    expect((await fetch(url, question)).headers.get(refusalHeader)).toBe('network-denied')
  }
  expect(globalThis.fetch).not.toBe(real)
  release()
  release()
  expect(globalThis.fetch).toBe(real)
})

test('a request outside of all tests that are open is refused to all of them', async () => {
  const uses = [useCassette(answering('a')), useCassette(answering('b'))]
  onTestFinished(() => {
    for (const used of uses) used.close()
  })
  uses[1]?.close()
  uses.push(useCassette(answering('c')))
  uses[2]?.run(() => undefined)
  const other = useCassette(answering('d'))
  other.close()
  const answer = await fetch(url, question)
  expect(answer.headers.get(refusalHeader)).toBe('network-denied')
  expect(() => uses[0]?.replay.assertConsumed()).toThrow(/belongs to none of the 2 cassettes/)
})

test('a process that ends with unconsumed exchanges says so and fails', async () => {
  const module = fileURLToPath(new URL('index.ts', import.meta.url))
  const program = `
    import { useCassette } from ${JSON.stringify(module)}
    const request = { method: 'POST', url: 'https://api.example.com/', headers: {}, body: new Uint8Array() }
    const response = { status: 200, headers: {}, body: new Uint8Array(), chunks: [], ending: 'eof' }
    const origin = { kind: 'derived', by: 'tests', date: '2026-11-21' }
    const header = { scenario: 'left over', mode: 'stream', provider: 'p', wire: 'w', model: 'm', origin }
    useCassette({ header, exchanges: [{ request, response }] })`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"left over": the process ends with 1 unconsumed'),
  })
})
