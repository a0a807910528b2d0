import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { cassetteFetch } from '../fetch/index.ts'
import { parseCassette } from '../format/parse-cassette.ts'
import { printCassette } from '../format/print-cassette.ts'
import { bytes, textOf } from '../testing.ts'
import { createRecorder, type RecorderOptions, simulatorHeader } from './recorder.ts'

const publicBaseURL = 'https://api.example.com/v1'
const header: RecorderOptions['header'] = {
  scenario: 'sample',
  mode: 'stream',
  provider: 'example',
  wire: 'example-chat',
  model: 'example-1',
  origin: { kind: 'local', by: 'tests', date: '2026-11-21' },
}

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api/v1`
}

type Source = ConstructorParameters<typeof ReadableStream<Uint8Array<ArrayBuffer>>>[0]

/** A recorder over a made-up network: no sockets, so that chunks and times are exact. */
function over(source: Source, options: Partial<RecorderOptions> = {}, init: ResponseInit = {}) {
  const requests: Request[] = []
  const recorder = createRecorder({
    publicBaseURL,
    header,
    fetch: async (input, sent) => {
      requests.push(new Request(input, sent))
      return new Response(new ReadableStream(source, { highWaterMark: 0 }), init)
    },
    ...options,
  })
  return { recorder, requests }
}

const ask = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"q":1}' }
const chat = `${publicBaseURL}/chat`

test('a request goes to the real address and the cassette holds the public one', async () => {
  const paths: string[] = []
  const baseURL = await listening((request, response) => {
    paths.push(request.url ?? '')
    response.setHeader('content-type', 'text/plain')
    response.end('answer')
  })
  const recorder = createRecorder({ publicBaseURL, baseURL, header })
  const answer = await recorder.fetch(`${chat}?a=1`, ask)
  expect(await answer.text()).toBe('answer')
  const cassette = recorder.finish()
  expect(paths).toEqual(['/api/v1/chat?a=1'])
  expect(cassette.exchanges[0]?.request).toMatchObject({ method: 'POST', url: `${chat}?a=1`, headers: ask.headers })
  expect(cassette.exchanges[0]?.response).toMatchObject({ status: 200, ending: 'eof', body: bytes('answer') })
  expect(cassette.header.origin.host).toBe(new URL(baseURL).host)
  expect(printCassette(cassette).split('\n---\n')[1]).not.toContain('127.0.0.1')
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])(
  'a body in %s is stored decoded, without the headers of the transfer, and replays as it was read',
  async (coding, code) => {
    const text = 'a long answer, 東京 '.repeat(50)
    const baseURL = await listening((_, response) => {
      response.setHeader('content-encoding', coding)
      response.setHeader('content-type', 'text/plain')
      response.end(code(text))
    })
    const recorder = createRecorder({ publicBaseURL, baseURL, header })
    expect(await (await recorder.fetch(chat, ask)).text()).toBe(text)
    const cassette = parseCassette(printCassette(recorder.finish()), 'coded.yaml')
    const response = cassette.exchanges[0]?.response
    expect(textOf(response?.body ?? bytes(''))).toBe(text)
    expect(response?.headers).toEqual({ 'content-type': 'text/plain' })
    const replayed = await cassetteFetch(cassette)(chat, ask)
    expect([replayed.headers.get('content-encoding'), await replayed.text()]).toEqual([null, text])
  },
)

test('each chunk reaches the consumer before the next one is sent', async () => {
  let release: (() => void) | undefined
  const { recorder } = over({
    pull: async (controller) => {
      if (release !== undefined) await new Promise<void>((resolve) => (release = resolve))
      controller.enqueue(bytes('chunk') as Uint8Array<ArrayBuffer>)
      release = () => {}
    },
  })
  const reader = (await recorder.fetch(chat, ask)).body!.getReader()
  expect(textOf((await reader.read()).value!)).toBe('chunk')
  const second = reader.read()
  await new Promise((resolve) => setImmediate(resolve))
  release?.()
  expect(textOf((await second).value!)).toBe('chunk')
  await reader.cancel()
  expect(recorder.finish().exchanges[0]?.response).toMatchObject({ ending: 'abort', body: bytes('chunkchunk') })
})

test('nothing is read ahead of the consumer', async () => {
  let pulls = 0
  const { recorder } = over({
    pull: (controller) => {
      pulls += 1
      controller.enqueue(bytes('x') as Uint8Array<ArrayBuffer>)
    },
  })
  await recorder.fetch(chat, ask)
  await new Promise((resolve) => setImmediate(resolve))
  expect(pulls).toBe(0)
})

test('the consumer gets the very chunks, and what it does to them does not reach the cassette', async () => {
  const given = bytes('chunk') as Uint8Array<ArrayBuffer>
  const { recorder } = over({ pull: (controller) => controller.enqueue(given) })
  const reader = (await recorder.fetch(chat, ask)).body!.getReader()
  const { value } = await reader.read()
  expect(value).toBe(given)
  value?.fill(0)
  await reader.cancel()
  expect(textOf(recorder.finish().exchanges[0]!.response.body)).toBe('chunk')
})

test('times are milliseconds since the chunk before, rounded without drift', async () => {
  const moments = [1000, 1000.4, 1010.6, 1010.9, 1021.2]
  const chunks = ['a', 'bc', '', 'd']
  const { recorder } = over(
    {
      pull: (controller) => {
        const next = chunks.shift()
        if (next === undefined) controller.close()
        else controller.enqueue(bytes(next) as Uint8Array<ArrayBuffer>)
      },
    },
    { clock: () => moments.shift() ?? 2000 },
  )
  await (await recorder.fetch(chat, ask)).text()
  expect(recorder.finish().exchanges[0]?.response.chunks).toEqual([
    { ms: 0, bytes: 1 },
    { ms: 11, bytes: 2 },
    { ms: 0, bytes: 0 },
    { ms: 10, bytes: 1 },
  ])
})

test('a body that breaks is recorded as reset, and its error reaches the consumer', async () => {
  const broken = new TypeError('terminated')
  let count = 0
  const { recorder } = over({
    pull: (controller) => {
      count += 1
      if (count > 1) throw broken
      controller.enqueue(bytes('half') as Uint8Array<ArrayBuffer>)
    },
  })
  await expect((await recorder.fetch(chat, ask)).text()).rejects.toBe(broken)
  expect(recorder.finish().exchanges[0]?.response).toMatchObject({ ending: 'reset', body: bytes('half') })
})

test('an abort in mid-stream is recorded as abort', async () => {
  const baseURL = await listening((_, response) => void response.write('first'))
  const recorder = createRecorder({ publicBaseURL, baseURL, header })
  const aborter = new AbortController()
  const reader = (await recorder.fetch(chat, { ...ask, signal: aborter.signal })).body!.getReader()
  await reader.read()
  const next = reader.read()
  aborter.abort()
  await expect(next).rejects.toMatchObject({ name: 'AbortError' })
  expect(recorder.finish().exchanges[0]?.response).toMatchObject({ ending: 'abort', body: bytes('first') })
})

test('a consumer that leaves while it waits for more is recorded as abort: nothing broke', async () => {
  const { recorder } = over({ start: (controller) => controller.enqueue(bytes('first') as Uint8Array<ArrayBuffer>) })
  const reader = (await recorder.fetch(chat, ask)).body!.getReader()
  await reader.read()
  const next = reader.read()
  await new Promise((resolve) => setImmediate(resolve))
  await reader.cancel()
  await next
  await new Promise((resolve) => setImmediate(resolve))
  expect(recorder.finish().exchanges[0]?.response).toMatchObject({ ending: 'abort', body: bytes('first') })
})

test('a connection that breaks before the head is recorded as status 0', async () => {
  const baseURL = await listening((request) => request.socket.destroy())
  const recorder = createRecorder({ publicBaseURL, baseURL, header })
  await expect(recorder.fetch(chat, ask)).rejects.toThrow('fetch failed')
  expect(recorder.finish().exchanges[0]?.response).toMatchObject({ status: 0, ending: 'reset', chunks: [] })
})

test('a request whose signal has aborted already is no exchange', async () => {
  const { recorder, requests } = over({})
  await expect(recorder.fetch(chat, { ...ask, signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  })
  expect(requests).toEqual([])
  expect(recorder.finish().exchanges).toEqual([])
})

test.each([
  'https://api.example.com/v1beta/chat',
  'https://api.example.com/v1/../admin',
  'https://api.example.com.evil.example/v1/chat',
  'http://api.example.com/v1/chat',
  'https://user:password@api.example.com/v1/chat',
])('a request to %s is outside of the base URL: not sent, and the recording is refused', async (url) => {
  const { recorder, requests } = over({})
  const failure = expect.objectContaining({ code: 'outside-base-url' })
  // A Request refuses credentials in its URL by itself.
  await expect(recorder.fetch(url, ask)).rejects.toThrow(url.includes('@') ? TypeError : failure)
  expect(requests).toEqual([])
})

test.each([301, 302, 303, 307, 308])('a redirect %i is refused, not followed', async (status) => {
  const seen: string[] = []
  const baseURL = await listening((request, response) => {
    seen.push(request.url ?? '')
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  const recorder = createRecorder({ publicBaseURL, baseURL, header })
  await expect(recorder.fetch(chat, ask)).rejects.toThrow(expect.objectContaining({ code: 'outside-base-url' }))
  expect(seen).toEqual(['/api/v1/chat'])
  expect(() => recorder.finish()).toThrow(expect.objectContaining({ code: 'outside-base-url' }))
})

test('only allow-listed headers are stored, credentials by their scheme', async () => {
  const { recorder } = over(
    { pull: (controller) => controller.close() },
    { alsoRequestHeaders: ['X-Auth-Token'], alsoResponseHeaders: ['x-more', 'Set-Cookie'] },
    {
      headers: {
        'content-type': 'text/plain',
        'x-request-id': 'r1',
        'set-cookie': 'a=b',
        server: 's',
        'x-more': '1',
        'retry-after': '3',
      },
    },
  )
  const sent = {
    Authorization: 'Bearer value',
    'X-Api-Key': 'value',
    'X-Auth-Token': 'value',
    'user-agent': 'u',
    cookie: 'c=d',
    'anthropic-version': '1',
    accept: '*/*',
  }
  await (await recorder.fetch(`${chat}?key=value&alt=sse`, { ...ask, headers: sent })).text()
  const { request, response } = recorder.finish().exchanges[0]!
  expect(request.url).toBe(`${chat}?key=[redacted]&alt=sse`)
  expect(request.headers).toEqual({
    'anthropic-version': '1',
    authorization: 'Bearer [redacted]',
    'content-type': 'text/plain;charset=UTF-8',
    'x-api-key': '[redacted]',
    'x-auth-token': '[redacted]',
  })
  expect(response.headers).toEqual({
    'content-type': 'text/plain',
    'retry-after': '3',
    'x-more': '1',
    'x-request-id': 'r1',
  })
})

const marked = { headers: { [simulatorHeader]: '1', 'content-type': 'text/plain' } }
const close: Source = { pull: (controller) => controller.close() }

test('a server that says that it is a simulator makes the origin simulated, and the marker is not stored', async () => {
  const undeclared = { ...header, origin: { by: 'tests', date: '2026-11-21' } }
  const { recorder } = over(close, { header: undeclared, alsoResponseHeaders: [simulatorHeader] }, marked)
  await (await recorder.fetch(chat, ask)).text()
  const cassette = recorder.finish()
  expect(cassette.header.origin).toEqual({ by: 'tests', date: '2026-11-21', kind: 'simulated' })
  expect(cassette.exchanges[0]?.response.headers).toEqual({ 'content-type': 'text/plain' })
})

test('an origin that is untrue or not declared is refused', async () => {
  const live = over(close, { header: { ...header, origin: { ...header.origin, kind: 'live' } } }, marked)
  await (await live.recorder.fetch(chat, ask)).text()
  expect(() => live.recorder.finish()).toThrow(/declared as "live".*simulator/)
  const undeclared = over(close, { header: { ...header, origin: { by: 'tests' } } })
  expect(() => undeclared.recorder.finish()).toThrow(/not declared/)
})

test('declared fields are masked in requests and, with their length, in streams', async () => {
  const sse = 'data: {"user":{"id":"Zoë-1"},"n":[{"user":7}],"text":"hi"}\n\ndata: [DONE]\n\n'
  const { recorder } = over(
    {
      start: (controller) => {
        controller.enqueue(bytes(sse) as Uint8Array<ArrayBuffer>)
        controller.close()
      },
    },
    { header: { ...header, mask: ['user.id', 'metadata', 'n.*.user'] } },
    { headers: { 'content-type': 'text/event-stream' } },
  )
  const answer = await recorder.fetch(chat, { ...ask, body: '{"metadata":{"a":[1]},"user":{"id":5,"x":1}}' })
  expect(await answer.text()).toBe(sse)
  const { request, response } = recorder.finish().exchanges[0]!
  expect(textOf(request.body)).toBe('{"metadata":"[masked]","user":{"id":"[masked]","x":1}}')
  expect(textOf(response.body)).toBe('data: {"user":{"id":"******"},"n":[{"user":1}],"text":"hi"}\n\ndata: [DONE]\n\n')
})

test('a mask path that is none is refused at once', () => {
  expect(() => createRecorder({ publicBaseURL, header: { ...header, mask: ['a b'] } })).toThrow(/"a b"/)
  expect(() => createRecorder({ publicBaseURL, header: { ...header, mask: ['a..b'] } })).toThrow(/"a..b"/)
})

test.each<[string, string, string]>([
  ['authorization', 'Bearer b6a0d7c1e94f4b0f', '{"error":"no such key: b6a0d7c1e94f4b0f"}'],
  ['X-Amz-Security-Token', 'IQoJb3JpZ2luX2VjEB0', `{"error":"${btoa('x-amz-security-token:IQoJb3JpZ2luX2VjEB0')}"}`],
  ['?key', 'b6a0d7c1e94f4b0f', '{"error":"no such key: b6a0d7c1e94f4b0f"}'],
  ['cookie', 'theme=dark; session=b6a0d7c1e94f4b0f', '{"error":"no such session: b6a0d7c1e94f4b0f"}'],
  ['authorization', `Basic ${btoa('user:b6a0d7c1e94f4b0f')}`, '{"error":"no such password: b6a0d7c1e94f4b0f"}'],
  ['X-Proxy-Password', 'b6a0d7c1e94f4b0f', '{"error":"no such password: b6a0d7c1e94f4b0f"}'],
])('a credential in %s that comes back is refused, whatever it looks like', async (name, value, body) => {
  const source: Source = {
    start: (controller) => (controller.enqueue(new TextEncoder().encode(body)), controller.close()),
  }
  const finish = async (headers: Record<string, string>) => {
    const { recorder } = over(source)
    const query = Object.entries(headers).find(([given]) => given.startsWith('?'))
    const request =
      query === undefined ? new Request(chat, { ...ask, headers }) : new Request(`${chat}${query.join('=')}`, ask)
    await (await recorder.fetch(request)).text()
    return () => recorder.finish()
  }
  expect(await finish({ [name]: value })).toThrow(
    expect.objectContaining({
      code: 'secret-found',
      message: expect.stringContaining(name.toLowerCase().replace('?', '')),
    }),
  )
  expect(await finish({ [name]: value })).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining(value) }),
  )
  for (const harmless of [{ 'idempotency-key': value }, { [name]: `${value}2` }]) {
    expect((await finish(harmless))().exchanges).toHaveLength(1)
  }
})
