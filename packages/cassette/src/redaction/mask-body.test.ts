import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytes, textOf } from '../testing.ts'
import { isMaskPath, maskRequestBody, maskResponseBody } from './mask-body.ts'

const masked = (text: string, type: string, paths: readonly string[]): string => {
  return textOf(maskResponseBody(bytes(text), type, paths))
}

test('a response keeps its length, its framing and everything that is not masked', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.jsonValue(),
      fc.constantFrom('\n', '\r\n'),
      (secret, rest, end) => {
        const event = JSON.stringify({ rest, user: { id: secret, more: [secret, 12] } })
        const stream = `event: a${end}data: ${event}${end}${end}data: [DONE]${end}${end}`
        const out = maskResponseBody(bytes(stream), 'text/event-stream; charset=utf-8', ['user'])
        expect(out.length).toBe(bytes(stream).length)
        const data = textOf(out).split(end)[1]?.slice('data: '.length) ?? ''
        const value = JSON.parse(data) as { rest: unknown; user: { id: string; more: [string, number] } }
        expect(value.rest).toEqual(JSON.parse(JSON.stringify(rest)))
        expect([value.user.id, ...value.user.more].join('')).toMatch(/^\**11$/)
      },
    ),
    { numRuns: 300 },
  )
})

test.each([
  ['a JSON body', 'application/json', '{ "a": { "b": "x" }, "b": "y" }', '{ "a": { "b": "*" }, "b": "y" }'],
  ['lines of JSON', 'application/x-ndjson', '{"a":{"b":"x"}}\n{"a":{"b":1.5}}\n', '{"a":{"b":"*"}}\n{"a":{"b":111}}\n'],
  [
    'an event stream',
    'text/event-stream',
    'data: {"a":{"b":true}}\n\ndata:{"a":{"b":"xy"}}\n\n',
    'data: {"a":{"b":true}}\n\ndata:{"a":{"b":"**"}}\n\n',
  ],
  ['other text', 'text/plain', 'a.b x', 'a.b x'],
])('%s is masked by path', (_, type, body, expected) => {
  expect(masked(body, type, ['a.b'])).toBe(expected)
})

test('a star stands for any member of an array or an object', () => {
  const body = '{"list":[{"id":"a","n":1},{"id":"b"}],"map":{"x":"c","y":{"z":"d"}}}'
  const out = masked(body, 'application/json', ['list.*.id', 'map.*'])
  expect(out).toBe('{"list":[{"id":"*","n":1},{"id":"*"}],"map":{"x":"*","y":{"z":"*"}}}')
})

test('a request has one word for every masked value and keeps all other tokens as they were written', () => {
  const body = bytes('{"a": 1.0, "user": {"deep": [1]}, "list": ["x", "y"]}')
  expect(textOf(maskRequestBody(body, ['user', 'list.1']))).toBe(
    '{"a": 1.0, "user": "[masked]", "list": ["x", "[masked]"]}',
  )
})

test('a stream that is not UTF-8 is left as it is', () => {
  const body = new Uint8Array([...bytes('data: {"a":"x"}\n\n'), 0xff])
  expect(maskResponseBody(body, 'text/event-stream', ['a'])).toBe(body)
})

test.each([
  ['a', true],
  ['a.*.b', true],
  ['', false],
  ['a..b', false],
  ['a b', false],
])('%j is a mask path: %s', (path, is) => {
  expect(isMaskPath(path)).toBe(is)
})
