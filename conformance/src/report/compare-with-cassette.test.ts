import type { Cassette, Exchange } from '@steploop/cassette'
import { expect, test } from 'vitest'
import type { SentRequest } from '../evidence.ts'
import { compareWithCassette } from './compare-with-cassette.ts'

const url = 'https://api.example.com/v1/chat'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function exchange(request: string, body = '{}', cuts: readonly number[] = [body.length]): Exchange {
  const headers = { authorization: 'Bearer [redacted]', 'content-type': 'application/json' }
  const response = { status: 200, headers: {}, body: bytes(body), ending: 'eof' } as const
  return {
    request: { method: 'POST', url, headers, body: bytes(request) },
    response: { ...response, chunks: cuts.map((size, index) => ({ ms: index, bytes: size })) },
  }
}

function cassetteOf(...exchanges: readonly Exchange[]): Cassette {
  const origin = { kind: 'simulated', by: 'a test', date: '2026-11-22' } as const
  const header = { scenario: 's', mode: 'stream', provider: 'p', wire: 'w', model: 'm', origin } as const
  return { header, exchanges }
}

function sent(text: string): SentRequest {
  const headers = { authorization: 'Bearer the-key', 'content-type': 'application/json', 'user-agent': 'x' }
  return { method: 'POST', url, headers, text, body: undefined, view: undefined }
}

test('a request that fits is shown as it was recorded, indented, with the number of its exchange', () => {
  const { compare, unused } = compareWithCassette(cassetteOf(exchange('{"a":1}'), exchange('{"a":2}')))
  const { request } = compare(sent('{"a":2}'))
  expect(request).toMatchObject({ exchange: 2, body: '{\n  "a": 2\n}' })
  expect(request?.headers['authorization']).toBe('Bearer [redacted]')
  expect(request?.diff).toBeUndefined()
  expect(unused().map(({ exchange: number }) => number)).toEqual([1])
})

test('a request that fits nothing has a diff against the nearest exchange, without credentials and other headers', () => {
  const { compare } = compareWithCassette(cassetteOf(exchange('{"a":1,"b":[1]}')))
  const { request, response } = compare(sent('{"a":2,"b":[1]}'))
  expect(response).toBeUndefined()
  expect(request?.diff?.split('\n')).toEqual([
    `  POST ${url}`,
    '  authorization: [redacted]',
    '  content-type: application/json',
    '  ',
    '  {',
    '-   "a": 1,',
    '+   "a": 2,',
    '    "b": [',
    '      1',
    '    ]',
    '  }',
  ])
})

test('after the last exchange there is nothing to compare with', () => {
  const { compare } = compareWithCassette(cassetteOf())
  expect(compare(sent('no JSON')).request).toMatchObject({ body: 'no JSON' })
  expect(compare(sent('{}')).request?.exchange).toBeUndefined()
})

test('a character that two chunks share stands in the later one, and the sizes stay those of the bytes', () => {
  const { compare } = compareWithCassette(cassetteOf(exchange('{}', 'Zürich', [2, 5])))
  expect(compare(sent('{}')).response?.chunks).toEqual([
    { ms: 0, bytes: 2, text: 'Z' },
    { ms: 1, bytes: 5, text: 'ürich' },
  ])
})

test('bodies too long to search for common lines are shown as a whole, what was recorded first', () => {
  const list = (from: number): string => JSON.stringify(Array.from({ length: 2_000 }, (_, index) => from + index))
  const { compare } = compareWithCassette(cassetteOf(exchange(list(0))))
  const lines = compare(sent(list(10_000))).request?.diff?.split('\n') ?? []
  expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(2_000)
  expect(lines.findIndex((line) => line.startsWith('+ '))).toBeGreaterThan(2_000)
})

test('bytes of a binary framing are reported one by one where they are no letters', () => {
  const { compare } = compareWithCassette(cassetteOf(exchange('{}', '\u0000\u0007{"a":"ü"}', [4, 8])))
  const { response } = compare(sent('{}'))
  expect(response?.chunks.map(({ text }) => text)).toEqual([String.raw`\x00\x07{"`, String.raw`a":"\xc3\xbc"}`])
})
