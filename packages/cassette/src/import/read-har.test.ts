import { expect, test } from 'vitest'
import { toHar } from '../export/index.ts'
import { cassetteOf, exchange, textOf } from '../testing.ts'
import { readHar } from './read-har.ts'

const entry = (change: Record<string, unknown> = {}) => ({
  startedDateTime: '2026-03-06T10:11:12.000Z',
  request: {
    method: 'POST',
    url: 'https://api.example.com/v1/chat',
    headers: [
      { name: ':authority', value: 'api.example.com' },
      { name: 'Accept', value: 'text/html' },
    ],
    postData: { mimeType: 'application/json', text: '{"question":"why?"}' },
  },
  response: {
    status: 200,
    headers: [{ name: 'Content-Type', value: 'text/event-stream' }],
    content: { mimeType: 'text/event-stream', text: 'data: 1\n\n' },
  },
  ...change,
})

const har = (...entries: unknown[]): string => JSON.stringify({ log: { version: '1.2', entries } })

test('an entry of a browser is read; pseudo headers are none, and the type of the body is one', () => {
  const { exchanges, date } = readHar(har(entry()), 'a.har')
  expect(exchanges[0]!.request).toMatchObject({
    method: 'POST',
    headers: [
      ['accept', 'text/html'],
      ['content-type', 'application/json'],
    ],
  })
  expect(textOf(exchanges[0]!.response.body)).toBe('data: 1\n\n')
  expect(exchanges[0]!.response.chunks).toBeUndefined()
  expect(date).toBe('2026-03-06')
})

test('bodies in base64 are decoded', () => {
  const content = { mimeType: 'application/octet-stream', text: 'AP8=', encoding: 'base64' }
  const { exchanges } = readHar(har(entry({ response: { status: 200, headers: [], content } })), 'a.har')
  expect([...exchanges[0]!.response.body]).toEqual([0, 255])
})

test('preflights and what is no HTTP are left out, and named', () => {
  const preflight = entry({ request: { method: 'OPTIONS', url: 'https://api.example.com/', headers: [] } })
  const socket = entry({ request: { method: 'GET', url: 'wss://api.example.com/', headers: [] } })
  const { exchanges, left } = readHar(har(preflight, socket, entry()), 'a.har')
  expect(exchanges).toHaveLength(1)
  expect(left).toEqual([expect.stringContaining('entry 1: a preflight'), expect.stringContaining('entry 2:')])
})

test('a request that a browser gave up has no response', () => {
  const { exchanges } = readHar(har(entry({ response: { status: 0, headers: [], content: {} } })), 'a.har')
  expect(exchanges[0]!.response).toMatchObject({ status: 0, body: new Uint8Array() })
})

test.each([
  ['broken JSON', '{', 'syntax'],
  ['another JSON', '{"log":{}}', 'schema'],
  ['an entry without a URL', har(entry({ request: {} })), 'schema'],
  ['an entry without a status', har(entry({ response: { headers: [] } })), 'schema'],
])('%s is refused with the file', (_, text, code) => {
  expect(() => readHar(text, 'a.har')).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining('a.har') }),
  )
})

test('our own archive gives back each exchange, chunks and endings included', () => {
  const binary = exchange({
    sent: new Uint8Array([255, 1]),
    chunks: [new Uint8Array([0, 254]), 'x'],
    headers: { 'content-type': 'image/png' },
  })
  const broken = exchange({ chunks: ['data: 1\n', '\ndata: 2\n\n'], ending: 'reset' })
  const timed = {
    ...broken,
    response: {
      ...broken.response,
      chunks: [
        { ms: 7, bytes: 9 },
        { ms: 30, bytes: 9 },
      ],
    },
  }
  const refused = exchange({ status: 0, chunks: [], headers: {}, ending: 'stall' })
  const original = cassetteOf(timed, binary, refused)
  const { exchanges } = readHar(toHar(original), 'a.har')
  const read = exchanges.map(({ request, response }) => ({
    request: { ...request, headers: Object.fromEntries(request!.headers) },
    response: { ...response, headers: Object.fromEntries(response.headers) },
  }))
  expect(read).toEqual(original.exchanges)
})

test('an archive has what HAR 1.2 requires of each entry', () => {
  const archive: unknown = JSON.parse(
    toHar(cassetteOf(exchange({ url: 'https://api.example.com/v1?alt=sse', chunks: ['ü'] }))),
  )
  expect(archive).toMatchObject({
    log: {
      version: '1.2',
      creator: { name: '@steploop/cassette' },
      entries: [
        {
          startedDateTime: '2026-11-21T00:00:00.000Z',
          time: 0,
          request: {
            httpVersion: 'HTTP/1.1',
            cookies: [],
            queryString: [{ name: 'alt', value: 'sse' }],
            postData: { mimeType: 'application/json', text: '{"question":"why?"}' },
            headersSize: -1,
          },
          response: { content: { size: 2, text: 'ü' }, redirectURL: '', headersSize: -1, bodySize: 2 },
          cache: {},
          timings: { send: 0, wait: 0, receive: 0 },
        },
      ],
    },
  })
})
