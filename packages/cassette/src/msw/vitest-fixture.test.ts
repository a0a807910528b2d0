import { expect, test as base } from 'vitest'
import { cassetteOf, exchange } from '../testing.ts'
import type { UsedCassette } from './use-cassette.ts'
import { withCassette } from './with-cassette.ts'

/** The recipe of docs/record-a-cassette.md. */
const cassette = cassetteOf(exchange({ sent: '{"a":1}' }), exchange({ sent: '{"a":2}' }))
const test = base.extend<{ cassette: UsedCassette }>({
  cassette: ({ task }, use) => withCassette({ ...cassette, header: { ...cassette.header, scenario: task.name } }, use),
})

const url = 'https://api.example.com/v1/chat'
const ask = (body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(({ status }) => status)

test('a fixture of vitest answers from the cassette', async ({ cassette: { replay } }) => {
  expect([await ask('{"a":1}'), await ask('{"a":2}')]).toEqual([200, 200])
  expect(replay.unconsumed()).toEqual([])
})
