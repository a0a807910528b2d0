import { expect, test } from 'vitest'
import { cassetteOf, exchange } from '../testing.ts'
import { withCassette } from './with-cassette.ts'

const url = 'https://api.example.com/v1/chat'
const ask = (body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(({ status }) => status)
const cassette = cassetteOf(exchange({ sent: '{"a":1}' }), exchange({ sent: '{"a":2}' }))
const both = async (): Promise<number[]> => [await ask('{"a":1}'), await ask('{"a":2}')]

test('`withCassette` gives what the callback gives when everything was asked for', async () => {
  expect(await withCassette(cassette, both)).toEqual([200, 200])
})

test('fails with the refused request, and what that led to is its cause', async () => {
  const own = new Error('expected 200')
  const failing = withCassette(cassette, async () => {
    if ((await ask('{"a":3}')) !== 200) throw own
  })
  await expect(failing).rejects.toMatchObject({ code: 'no-match', cause: own })
  await expect(failing).rejects.toThrow('body.a: expected 1 / got 3')
})

test('fails with a refused request that the callback swallowed', async () => {
  const swallowing = withCassette(cassette, () => ask('{"a":3}'))
  await expect(swallowing).rejects.toMatchObject({ code: 'no-match', cause: undefined })
})

test('what the callback throws is not hidden by the exchanges that are left over for it', async () => {
  const own = new Error('a wrong answer')
  const failing = withCassette(cassette, async () => {
    await ask('{"a":1}')
    throw own
  })
  await expect(failing).rejects.toBe(own)
})

test('exchanges that are left over fail a callback that succeeds', async () => {
  await expect(withCassette(cassette, () => ask('{"a":1}'))).rejects.toMatchObject({ code: 'unconsumed' })
})

test('requests are real again afterwards, however it ended', async () => {
  const real = globalThis.fetch
  await withCassette(cassette, both)
  await expect(
    withCassette(cassette, () => {
      throw new Error('at once')
    }),
  ).rejects.toThrow('at once')
  expect(globalThis.fetch).toBe(real)
})
