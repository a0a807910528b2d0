import type { Adapter } from '@steploop/core'
import { memoryStore, type OpenStore } from '@steploop/store'
import { expect, test } from 'vitest'
import { callWeather, eventsOf, testServer, weather } from './testing.ts'

test('the terminal event comes after the commit, however long that takes', async () => {
  const inner = memoryStore()
  const store: OpenStore = {
    ...inner,
    save: async (tenant, id, progress) => {
      await new Promise((resolve) => {
        setTimeout(resolve, 50)
      })
      await inner.save(tenant, id, progress)
    },
  }
  const { client } = await testServer(['ok'], { store })
  const statuses: unknown[] = []
  for await (const event of await client.responses.create({ model: 'm', input: 'x', stream: true }))
    if (event.type === 'response.completed') statuses.push((await inner.response('default', event.response.id))?.status)
  expect(statuses).toEqual(['completed'])
})

test('a client that leaves at any event leaves nothing under way, and a history that goes on', async () => {
  const script = [
    { type: 'reasoning', text: 'hm' } as const,
    { type: 'text', text: 'Hello' } as const,
    callWeather('Rome', 'c1'),
  ]
  const whole = await testServer([script])
  const all = await eventsOf(
    await whole.client.responses.create({ model: 'm', input: 'x', tools: [weather], stream: true }),
  )
  for (let stop = 1; stop < all.length; stop++) {
    const { client, store } = await testServer([script, 'ok'])
    const conversation = (await client.conversations.create()).id
    const stream = await client.responses.create({
      model: 'm',
      input: 'x',
      tools: [weather],
      stream: true,
      conversation,
    })
    for await (const event of stream) if (event.sequence_number === stop - 1) break
    const over = async (): Promise<boolean> => (await store.maintenance.expired(Infinity)).length === 0
    for (let tries = 0; tries < 200 && !(await over()); tries++) {
      await new Promise((resolve) => {
        setTimeout(resolve, 10)
      })
    }
    expect(await over(), `after event ${stop}`).toBe(true)
    const history = await store.history('default', { conversationId: conversation })
    if (history?.pending.length === 0) await client.responses.create({ model: 'm', input: 'y', conversation })
  }
})

test('a client that does not read pauses its run, and holds up neither the end of the response nor that of the server', async () => {
  const pieces = Array.from({ length: 4_000 }, () => ({ type: 'text', text: 'x'.repeat(10_000) }) as const)
  let asked = 0
  const model: Adapter = {
    provider: 'test',
    model: 'm',
    capabilities: { tools: true },
    async *turn() {
      yield [{ type: 'turn-start' }, { type: 'text-start', part: 0 }]
      for (const { text } of pieces) {
        asked++
        yield [{ type: 'text-delta', part: 0, text }]
      }
      return undefined
    },
  }
  const server = await testServer([], { model, store: memoryStore(), limits: { outputLength: Infinity } })
  const body = { model: 'm', input: 'x', stream: true }
  const stalled = await server.post('/responses', body)
  const reader = stalled.body!.getReader()
  await reader.read()
  const settled = async (): Promise<number> => {
    for (let before = -1; before < asked; await new Promise((resolve) => setTimeout(resolve, 50))) before = asked
    return asked
  }
  expect(await settled()).toBeLessThan(pieces.length / 2)
  await server.stop(0)
  expect(await server.store.maintenance.expired(Infinity)).toEqual([])
})
