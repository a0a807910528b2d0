import { expect, test } from 'vitest'
import { textOf } from '../testing.ts'
import { readSessions } from './read-sessions.ts'

const request = {
  method: 'POST',
  url: 'https://api.example.com/v1/chat',
  headers: { accept: 'text/html' },
  body: { b: 1 },
}
const response = {
  status: 200,
  headers: { 'retry-after': '2' },
  contentType: 'text/event-stream',
  sse: 'data: {}\r\n\r\n',
}

const sessions = (interactions: unknown, more: object = {}): string => JSON.stringify({ interactions, ...more })

test('a session keeps its streams byte for byte, and where it came from', () => {
  const source = { repo: 'example.com/a', path: 'b.yaml', commit: '0123456789abcdef', licence: 'MIT' }
  const text = sessions([{ wire: 'w', provider: 'p', request, response }], { source, framing: 'recorded' })
  const session = readSessions(text, 'a.json')
  expect(session).toMatchObject({ source: 'example.com/a b.yaml at 0123456789ab', licence: 'MIT' })
  const [exchange] = session.exchanges
  expect(exchange).toMatchObject({ wire: 'w', provider: 'p', request: { method: 'POST' } })
  expect(textOf(exchange!.request!.body)).toBe('{"b":1}')
  expect(textOf(exchange!.response.body)).toBe('data: {}\r\n\r\n')
  expect(exchange!.response.headers).toEqual([
    ['retry-after', '2'],
    ['content-type', 'text/event-stream'],
  ])
})

test('what the source rebuilt, assumed, edited or left out is said', () => {
  const assumed = { ...response, statusAssumed: true }
  const more = { framing: 'response payload recorded; framing rebuilt', handEdited: true, dropped: [{}, {}] }
  const { guessed, left } = readSessions(sessions([{ request: null, response: assumed }], more), 'a.json')
  expect(guessed).toEqual([
    'status, by the source',
    'framing, as the source says: response payload recorded; framing rebuilt',
    'content: the source says that a person edited it',
  ])
  expect(left).toEqual(['2 calls that the source itself left out'])
})

test('a response without its request has none', () => {
  expect(readSessions(sessions([{ request: null, response }]), 'a.json').exchanges[0]!.request).toBeUndefined()
})

test('binary bodies come back as bytes', () => {
  const binary = { status: 200, headers: {}, bytesBase64: 'AP8=', events: [] }
  const { exchanges } = readSessions(sessions([{ request, response: binary }]), 'a.json')
  expect([...exchanges[0]!.response.body]).toEqual([0, 255])
})

test.each([
  ['broken JSON', '{"interactions"', 'syntax', /broken JSON/],
  ['no list', '{}', 'schema', /no list "interactions"/],
  ['no response', sessions([{ request }]), 'schema', /interaction 1 has no response/],
  ['no status', sessions([{ request, response: {} }]), 'schema', /no status/],
  [
    'another protocol',
    sessions([{ request: { ...request, method: 'gRPC', url: 'a.B/C' }, response }]),
    'schema',
    /GRPC call/,
  ],
  ['messages without bytes', sessions([{ request, response: { status: 200, events: [] } }]), 'schema', /not the bytes/],
])('%s is refused with the file and the reason', (_, text, code, message) => {
  expect(() => readSessions(text, 'a.json')).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  )
})
