import { expect, test } from 'vitest'
import { textOf } from '../testing.ts'
import { readPayloadLines, readResponseBody, type StreamFraming } from './read-payload-lines.ts'

const bodies = (text: string, framing: StreamFraming): string[] =>
  readPayloadLines(text, 'a.txt', () => framing).exchanges.map(({ response }) => textOf(response.body))

test('each payload becomes an event and keeps its text', () => {
  expect(bodies('{"n": 1.0}\n\n {"n":2}\r\n', { named: false, last: '[DONE]' })).toEqual([
    'data: {"n": 1.0}\n\ndata: {"n":2}\n\ndata: [DONE]\n\n',
  ])
})

test('events are named by their type where the protocol does so', () => {
  expect(bodies('{"type":"start"}\n{"x":1}', { named: true })).toEqual([
    'event: start\ndata: {"type":"start"}\n\ndata: {"x":1}\n\n',
  ])
})

test('lines of JSON stay lines', () => {
  expect(bodies('{"n":1}\n{"n":2}', { named: false, lines: true })).toEqual(['{"n":1}\n{"n":2}\n'])
})

test('several responses in one file are taken apart', () => {
  const begins: StreamFraming['begins'] = ({ type }) => type === 'start'
  expect(bodies('{"type":"start"}\n{"n":1}\n{"type":"start"}', { named: false, begins })).toHaveLength(2)
})

test('an import of payload lines says that their framing is rebuilt', () => {
  const { guessed, exchanges } = readPayloadLines('{}', 'a.txt', () => ({ named: false }))
  expect(guessed).toEqual([expect.stringContaining('framing of the stream'), 'status and headers'])
  expect(exchanges[0]!.request).toBeUndefined()
})

test('a line that is no JSON is named, and so is an empty file', () => {
  expect(() => readPayloadLines('{}\nnope', 'a.txt', () => ({ named: false }))).toThrow(/a\.txt, line 2/)
  expect(() => readPayloadLines('\n', 'a.txt', () => ({ named: false }))).toThrow(
    expect.objectContaining({ code: 'schema' }),
  )
})

test('a response body alone keeps its text', () => {
  expect(textOf(readResponseBody('{ "a": 1.50 }', 'a.json').exchanges[0]!.response.body)).toBe('{ "a": 1.50 }')
  expect(() => readResponseBody('{', 'a.json')).toThrow(expect.objectContaining({ code: 'syntax' }))
})
