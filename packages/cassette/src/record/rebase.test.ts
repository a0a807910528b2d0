import { expect, test } from 'vitest'
import { cassetteFetch } from '../fetch/index.ts'
import { parseCassette } from '../format/parse-cassette.ts'
import { printCassette } from '../format/print-cassette.ts'
import { cassetteOf, exchange, textOf } from '../testing.ts'
import { createRebase } from './rebase.ts'

const url = 'https://api.example.com/v1/chat'
const ask = (body: string): RequestInit => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body })
const today = () => new Date('2026-12-24T10:00:00Z')
const old = () =>
  cassetteOf(exchange({ sent: '{"n":1}', chunks: ['one'] }), exchange({ sent: '{"n":2}', chunks: ['two'] }))

test('requests that changed are rewritten and marked, the others and all responses stay', async () => {
  const rebase = createRebase(old(), { today })
  expect(await (await rebase.fetch(url, ask('{ "n": 1 }'))).text()).toBe('one')
  expect(await (await rebase.fetch(url, ask('{"n":2,"more":true}'))).text()).toBe('two')
  const rebased = parseCassette(printCassette(rebase.finish()), 'a.yaml')
  expect(rebased.exchanges.map(({ request }) => request.rebased)).toEqual([undefined, '2026-12-24'])
  expect(rebased.exchanges.map(({ response }) => textOf(response.body))).toEqual(['one', 'two'])
  const replayFetch = cassetteFetch(rebased)
  expect(await (await replayFetch(url, ask('{"more":true,"n":2}'))).text()).toBe('two')
})

test('a client that asks for less, for more, or elsewhere cannot be rebased', async () => {
  const less = createRebase(old())
  await less.fetch(url, ask('{}'))
  expect(() => less.finish()).toThrow(expect.objectContaining({ code: 'unconsumed' }))
  const more = createRebase(cassetteOf())
  await expect(more.fetch(url, ask('{}'))).rejects.toThrow(expect.objectContaining({ code: 'no-match' }))
  expect(() => more.finish()).toThrow(/end of the cassette/)
  const elsewhere = createRebase(old())
  await expect(elsewhere.fetch(`${url}s`, ask('{"n":1}'))).rejects.toThrow(/chats was asked where .*chat was expected/)
})
