import { expect, test } from 'vitest'
import type { DerivableExchange } from '../../derivation.ts'
import { bodies, both, eachObject, events, perMode, requests } from './recipe.ts'

function exchange(response: string, request = '{}'): DerivableExchange {
  return { request, response, status: 200, headers: {} }
}

const drop = events((event) => (event['type'] === 'ping' ? [] : [event]))

test('events that a recipe leaves alone keep their bytes, comments and padding too', () => {
  const text = 'event: a\ndata: {"type":"a"}   \n\n: hello\n\ndata: [DONE]\n\n'
  expect(drop([exchange(text)], 'stream')[0]?.response).toBe(text)
})

test('an event may be dropped, changed or doubled; a named one is named after its type', () => {
  const text = 'event: ping\ndata: {"type":"ping"}\n\nevent: a\ndata: {"type":"a"}\n\n'
  expect(drop([exchange(text)], 'stream')[0]?.response).toBe('event: a\ndata: {"type":"a"}\n\n')
  const twice = events((event) => [event, { type: 'b' }])
  expect(twice([exchange('event: a\ndata: {"type":"a"}\n\n')], 'stream')[0]?.response).toBe(
    'event: a\ndata: {"type":"a"}\n\nevent: b\ndata: {"type":"b"}\n\n',
  )
})

test('lines that end in CR LF do so afterwards, and lines of JSON stay lines', () => {
  const change = events((event) => [{ ...event, n: 1 }])
  expect(change([exchange('data: {"a":0}\r\n\r\n')], 'stream')[0]?.response).toBe('data: {"a":0,"n":1}\r\n\r\n')
  expect(change([exchange('{"a":0}\n{"a":2}\n')], 'stream')[0]?.response).toBe('{"a":0,"n":1}\n{"a":2,"n":1}\n')
})

test('recipes can be put together: there, back, and by mode', () => {
  const mark = (name: string) => () => ({ name })
  const recipe = both(
    requests(mark('sent')),
    perMode(
      bodies(mark('whole')),
      events(() => [{ name: 'streamed' }]),
    ),
  )
  expect(recipe([exchange('{}')], 'generate')).toEqual([exchange('{"name":"whole"}', '{"name":"sent"}')])
  expect(recipe([exchange('data: {}\n\n')], 'stream')[0]?.response).toBe('data: {"name":"streamed"}\n\n')
})

test('objects are changed at any depth, and what is no JSON object is named', () => {
  const count = eachObject({ a: [{ b: {} }] }, (object) => ({ ...object, seen: true }))
  expect(count).toEqual({ a: [{ b: { seen: true }, seen: true }], seen: true })
  expect(() => bodies((body) => body)([exchange('[1]')], 'generate')).toThrow('expects a JSON object, not [1]')
})
