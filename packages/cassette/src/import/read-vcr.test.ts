import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { textOf } from '../testing.ts'
import { readVcr } from './read-vcr.ts'

const interaction = (responseBody: string, headers = 'Content-Type: [application/json]'): string => `interactions:
- request:
    body: '{"question": "why?"}'
    headers:
      Content-Type: [application/json]
      User-Agent: [python]
    method: POST
    uri: https://api.example.com/v1/chat
  response:
    body:
      ${responseBody}
    headers:
      ${headers}
      Date: ['Fri, 06 Mar 2026 10:11:12 GMT']
    status: {code: 201, message: Created}
version: 1
`

function onlyExchange(text: string) {
  const session = readVcr(text, 'a.yaml')
  expect(session.exchanges).toHaveLength(1)
  return { ...session.exchanges[0]!, session }
}

test('a VCR.py interaction keeps method, URL, body, status, and headers by lower-case name', () => {
  const { request, response, session } = onlyExchange(interaction(`string: '{"answer": 42}'`))
  expect(request).toMatchObject({ method: 'POST', url: 'https://api.example.com/v1/chat' })
  expect(textOf(request!.body)).toBe('{"question": "why?"}')
  expect(request!.headers).toContainEqual(['user-agent', 'python'])
  expect(response.status).toBe(201)
  expect(textOf(response.body)).toBe('{"answer": 42}')
  expect(session).toMatchObject({ guessed: [], date: '2026-03-06' })
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('binary bodies in YAML 1.1 are read, and %s is decoded', (coding, compress) => {
  const binary = `string: !!binary |\n        ${compress('{"answer":42}').toString('base64')}`
  const { response } = onlyExchange(interaction(binary, `Content-Encoding: [${coding}]`))
  expect(textOf(response.body)).toBe('{"answer":42}')
})

test('a body that was decoded although its header still says gzip is kept', () => {
  const { response } = onlyExchange(interaction(`string: 'plain'`, 'Content-Encoding: [gzip]'))
  expect(textOf(response.body)).toBe('plain')
})

test('a coding that nobody knows is refused with the location', () => {
  expect(() => readVcr(interaction(`string: 'x'`, 'Content-Encoding: [lzma]'), 'a.yaml')).toThrow(
    expect.objectContaining({ code: 'schema', location: 'a.yaml, interaction 1' }),
  )
})

test('bodies that the recorder parsed are printed again, and that is said', () => {
  const { response, session } = onlyExchange(
    interaction(`string: ''`).replace(
      '    body:\n      string',
      '    parsed_body: {b: 1, a: [ü]}\n    body:\n      string',
    ),
  )
  expect(textOf(response.body)).toBe('{"b":1,"a":["ü"]}')
  expect(session.guessed).toEqual([expect.stringContaining('the recorder stored them parsed')])
})

test('base64 strings and absent bodies are read', () => {
  expect(textOf(onlyExchange(interaction(`base64_string: aGFsbG8=`)).response.body)).toBe('hallo')
  expect(textOf(onlyExchange(interaction(`string: null`)).response.body)).toBe('')
})

test('a JSON cassette of VCR.py is read too', () => {
  const request = { method: 'get', uri: 'https://api.example.com/', headers: {}, body: null }
  const response = { status: { code: 200 }, headers: {}, body: { string: 'x' } }
  const { exchanges } = readVcr(JSON.stringify({ version: 1, interactions: [{ request, response }] }), 'a.json')
  expect(exchanges[0]).toMatchObject({ request: { method: 'GET' }, response: { status: 200 } })
})

test.each([
  ['broken YAML', 'interactions:\n- request: {', 'syntax', /line 2/],
  ['broken JSON', '{"interactions": [', 'syntax', /broken JSON/],
  ['a list', '- 1', 'schema', /no list "interactions"/],
  [
    'an interaction without a response',
    'interactions:\n- request: {uri: "https://a.example/"}',
    'schema',
    /interaction 1 lacks/,
  ],
  ['a relative URL', interaction(`string: ''`).replace('https://api.example.com', ''), 'schema', /no absolute "uri"/],
  ['no status', interaction(`string: ''`).replace('{code: 201, message: Created}', 'null'), 'schema', /no status code/],
])('%s is refused with the file and the reason', (_, text, code, message) => {
  expect(() => readVcr(text, 'a.yaml')).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  )
  expect(() => readVcr(text, 'a.yaml')).toThrow(/a\.yaml/)
})
