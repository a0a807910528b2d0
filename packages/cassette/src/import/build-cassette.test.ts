import { expect, test } from 'vitest'
import { cassetteFetch } from '../fetch/index.ts'
import { parseCassette } from '../format/parse-cassette.ts'
import { printCassette } from '../format/print-cassette.ts'
import { bytes, textOf } from '../testing.ts'
import { buildCassette, type BuildOptions } from './build-cassette.ts'
import type { ImportedResponse, ImportedSession } from './session.ts'

const header = { scenario: 's', provider: 'p', wire: 'w', model: 'm' }
const options: BuildOptions = { header, by: 'tests', today: () => new Date('2026-11-21') }
const url = 'https://api.example.com/v1/chat?key=abc#part'

function session(change: Partial<ImportedResponse> = {}, sent = '{"user":"me","n":1}'): ImportedSession {
  const headers = [
    ['authorization', 'Bearer something'],
    ['x-internal', '1'],
  ] as const
  const response = {
    status: 200,
    headers: [['content-type', 'application/json'] as const],
    body: bytes('{"a":1}'),
    ...change,
  }
  return {
    exchanges: [{ request: { method: 'POST', url, headers, body: bytes(sent) }, response }],
    guessed: [],
    left: [],
  }
}

test('credentials are redacted in headers and URL, and headers outside of the allow-list are left out and named', () => {
  const { cassette, left } = buildCassette(
    session({
      headers: [
        ['server', 'x'],
        ['set-cookie', 'a=b'],
      ],
    }),
    options,
  )
  const { request } = cassette.exchanges[0]!
  expect(request.headers).toEqual({ authorization: 'Bearer [redacted]', 'content-type': 'application/json' })
  expect(request.url).toBe('https://api.example.com/v1/chat?key=[redacted]')
  expect(left).toEqual([
    'request headers outside of the allow-list: x-internal',
    'response headers outside of the allow-list: server, set-cookie',
  ])
})

test('a credential of a request that comes back is not imported, whatever it looks like', () => {
  const imported = session({ body: bytes('{"error":"no such key: b6a0d7c1e94f4b0f"}') })
  const [exchange] = imported.exchanges
  const headers = [['Authorization', 'Bearer b6a0d7c1e94f4b0f']] as const
  const exchanges = [{ ...exchange!, request: { ...exchange!.request!, headers } }]
  const refused = expect.objectContaining({ code: 'secret-found', message: expect.not.stringContaining('b6a0') })
  expect(() => buildCassette({ ...imported, exchanges }, options)).toThrow(refused)
})

test('what had to be guessed stands in the header of the file', () => {
  const { cassette, guessed } = buildCassette(session(), options)
  expect(guessed).toEqual([
    'content-type of requests: the body is JSON',
    'chunk boundaries (one chunk per body) and times',
    'date: the day of the import',
  ])
  const { origin } = parseCassette(printCassette(cassette), 'a.yaml').header
  expect(origin).toEqual({ kind: 'imported', by: 'tests', date: '2026-11-21', guessed: guessed.join('; ') })
})

test('a session that says all is imported without a guess', () => {
  const full: ImportedSession = {
    ...session({ chunks: [{ ms: 1, bytes: 7 }] }),
    date: '2025-01-02',
    source: 'there',
    licence: 'MIT',
  }
  const typed = full.exchanges.map((one) => ({
    ...one,
    request: { ...one.request!, headers: [['content-type', 'application/json'] as const] },
  }))
  const { cassette, guessed } = buildCassette({ ...full, exchanges: typed }, options)
  expect(guessed).toEqual([])
  expect(cassette.header).toMatchObject({
    mode: 'generate',
    origin: { date: '2025-01-02', source: 'there', licence: 'MIT' },
  })
})

test.each([
  ['one chunk per event', 'text/event-stream', 'data: 1\n\ndata: 2\r\n\r\nda', [9, 11, 2]],
  ['one chunk per line', 'application/x-ndjson', '{}\n{"a":1}\n', [3, 8]],
  ['one chunk', 'application/json', '{}\n\n{}', [6]],
])('%s is guessed for %s', (_, type, body, sizes) => {
  const { cassette } = buildCassette(session({ headers: [['content-type', type]], body: bytes(body) }), options)
  expect(cassette.exchanges[0]!.response.chunks).toEqual(sizes.map((size) => ({ ms: 0, bytes: size })))
})

test.each([
  ['{"a":1}', 'application/json'],
  ['event: a\ndata: 1\n\n', 'text/event-stream'],
  ['hello', 'text/plain'],
])('the type of %j is guessed when no header says it', (body, type) => {
  const { cassette, guessed } = buildCassette(session({ headers: [], body: bytes(body) }), options)
  expect(cassette.exchanges[0]!.response.headers['content-type']).toBe(type)
  expect(guessed).toContain('content-type of responses')
})

test('declared fields are masked on both sides without changing the length of the response, and replay masks what is asked', async () => {
  const { cassette } = buildCassette(session({ body: bytes('{"user":"Zoë","n":1}') }), { ...options, mask: ['user'] })
  const { request, response } = cassette.exchanges[0]!
  expect(textOf(request.body)).toBe('{"user":"[masked]","n":1}')
  expect(textOf(response.body)).toBe('{"user":"****","n":1}')
  expect(cassette.header.mask).toEqual(['user'])
  const headers = { authorization: 'Bearer other', 'content-type': 'application/json' }
  const answer = await cassetteFetch(cassette)(url, { method: 'POST', headers, body: '{"user":"you","n":1}' })
  expect(await answer.text()).toBe('{"user":"****","n":1}')
})

test('a path that is none and a recording without exchanges are refused', () => {
  expect(() => buildCassette(session(), { ...options, mask: ['a..b'] })).toThrow(
    expect.objectContaining({ code: 'schema' }),
  )
  expect(() => buildCassette({ exchanges: [], guessed: [], left: [] }, options)).toThrow(/no exchange/)
})

test('headers that the recorder removed can be given back, and never win over recorded ones', () => {
  const requestHeaders = [
    ['x-api-key', 'any'],
    ['authorization', 'Basic any'],
  ] as const
  const { cassette, guessed } = buildCassette(session(), { ...options, requestHeaders })
  expect(cassette.exchanges[0]!.request.headers).toMatchObject({
    'x-api-key': '[redacted]',
    authorization: 'Bearer [redacted]',
  })
  expect(guessed).toContain('request headers x-api-key: given by hand')
})

test('a response without its request gets the guessed one, or a host that cannot exist', () => {
  const alone = { ...session(), exchanges: session().exchanges.map(({ response }) => ({ response })) }
  expect(buildCassette(alone, options).cassette.exchanges[0]!.request.url).toBe('https://unknown.invalid/')
  const guess = { method: 'POST', url: 'https://a.example/', headers: [], body: bytes('') }
  const built = buildCassette(alone, { ...options, guessRequest: () => guess })
  expect(built.cassette.exchanges[0]!.request.url).toBe('https://a.example/')
  expect(built.guessed).toContain('requests: only responses were recorded')
})
