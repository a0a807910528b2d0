import { expect, test } from 'vitest'
import type { Cassette } from '../cassette.ts'
import { cassetteOf, exchange } from '../testing.ts'
import { diffCassettes } from './diff-cassettes.ts'

/** A cassette whose only exchange has these JSON bodies. */
const talk = (sent: unknown, came: unknown): Cassette =>
  cassetteOf(
    exchange({
      sent: JSON.stringify(sent),
      chunks: [JSON.stringify(came)],
      headers: { 'content-type': 'application/json', 'x-request-id': JSON.stringify(came).slice(0, 12) },
    }),
  )

test('two recordings that differ in ids, times, durations and request ids alone are equal', () => {
  const recording = (id: string, day: number): Cassette =>
    talk(
      { messages: [{ tool_call_id: id, content: 'x' }] },
      {
        id: `resp-${id}`,
        created: 1_772_000_000 + day,
        at: `2026-03-0${day}T10:00:00Z`,
        total_duration: day * 7,
        calls: [{ id }],
      },
    )
  expect(diffCassettes(recording('call_a1', 1), recording('call_zz9', 2))).toEqual([])
})

test('ids have to stand for each other: a reference to another id differs', () => {
  const recording = (asked: string): Cassette =>
    talk({ calls: [{ id: 'call_1' }, { id: 'call_2' }], answer_to_id: asked }, {})
  expect(diffCassettes(recording('call_1'), recording('call_2'))).toEqual([
    { path: 'exchange 1, request.body.answer_to_id', left: '(id 1)', right: '(id 2)' },
  ])
})

test('an id is recognised wherever it turns up again', () => {
  const recording = (id: string): Cassette => talk({ id }, { text: id })
  expect(diffCassettes(recording('a1'), recording('b2'))).toEqual([])
})

test('signatures and other opaque strings are aliased whatever their name', () => {
  const recording = (signature: string): Cassette => talk({}, { signature })
  expect(diffCassettes(recording('EooCCkYICxgCKkDYW6Ka'), recording('ErcBCkgIAxABGAIiQL5z'))).toEqual([])
})

test.each([
  ['another text', { text: 'a' }, { text: 'b' }, { path: 'text', left: 'a', right: 'b' }],
  ['a member more', {}, { x: null }, { path: 'x', right: null }],
  ['a member less', { list: [1, 2] }, { list: [1] }, { path: 'list[1]', left: 2 }],
  ['another number', { n: 1 }, { n: 2 }, { path: 'n', left: 1, right: 2 }],
  [
    'a model with a date in its name',
    { model: 'm-20250929' },
    { model: 'm-20251101' },
    { path: 'model', left: 'm-20250929', right: 'm-20251101' },
  ],
])('%s is a difference, with its path and both values', (_, left, right, { path, ...values }) => {
  expect(diffCassettes(talk(left, {}), talk(right, {}))).toEqual([
    { path: `exchange 1, request.body.${path}`, ...values },
  ])
})

test('JSON inside of a text is compared as a value, and its content as it stands', () => {
  const recording = (args: string): Cassette => talk({ arguments: args }, {})
  expect(diffCassettes(recording('{"a":1,"b":[2]}'), recording('{ "b": [2], "a": 1 }'))).toEqual([])
  expect(diffCassettes(recording('{"order_id":"A1"}'), recording('{"order_id":"B2"}'))).toEqual([
    { path: 'exchange 1, request.body.arguments.order_id', left: 'A1', right: 'B2' },
  ])
})

test('members that are named literal keep their ids and times, and named numbers are masked', () => {
  const recording = (id: string, count: number): Cassette => talk({ input: { id }, usage: { tokens: count } }, {})
  const options = { literal: ['input'], volatile: /tokens$/ }
  expect(diffCassettes(recording('A1', 1), recording('B2', 2), options)).toEqual([
    { path: 'exchange 1, request.body.input.id', left: 'A1', right: 'B2' },
  ])
})

test('streams are compared event by event, however they were cut into chunks', () => {
  const stream = (...chunks: string[]): Cassette => cassetteOf(exchange({ chunks }))
  expect(
    diffCassettes(stream('data: {"a":1}\n\ndata: {"a":2}\n\n'), stream('data: {"a":1}\n\nda', 'ta: {"a":2}\n\n')),
  ).toEqual([])
  expect(diffCassettes(stream('data: {"a":1}\n\n'), stream('data: {"a":3}\n\n'))).toEqual([
    { path: 'exchange 1, response.body.events[0].a', left: 1, right: 3 },
  ])
})

test('a reader of responses replaces the events by what they mean', () => {
  const options = { readResponse: () => ({ text: 'same' }) }
  expect(diffCassettes(talk({}, { a: 1 }), talk({}, { a: 2 }), options)).toEqual([])
})

test('exchanges, endings, status, headers and header facts that differ are named', () => {
  const one = cassetteOf(exchange({ sent: '{}', chunks: ['x'] }))
  const other = cassetteOf(
    exchange({ sent: '{}', chunks: ['x'], status: 500, ending: 'reset' }),
    exchange({ sent: '' }),
  )
  const renamed = { ...other, header: { ...other.header, model: 'example-2' } }
  expect(diffCassettes(one, renamed).map(({ path }) => path)).toEqual([
    'header, model',
    'exchange 1, response.status',
    'exchange 1, response.ending',
    'exchange 2',
  ])
})
