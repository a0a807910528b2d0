import { memoryStore } from '@steploop/store'
import { expect, test } from 'vitest'
import { testServer } from './testing.ts'

const said = (text: string) => ({ role: 'user', content: text }) as const
const textOf = (item: unknown): unknown => Reflect.get(Object(Reflect.get(Object(item), 'content')[0]), 'text')

test('items of a conversation are listed in both orders, page by page, after an item of it', async () => {
  const { client, get } = await testServer([])
  const { id } = await client.conversations.create({ items: ['a', 'b', 'c', 'd', 'e'].map(said) })
  const all = async (order: 'asc' | 'desc', limit: number): Promise<unknown[]> => {
    const texts: unknown[] = []
    for await (const item of client.conversations.items.list(id, { order, limit })) texts.push(textOf(item))
    return texts
  }
  expect(await all('asc', 2)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(await all('desc', 2)).toEqual(['e', 'd', 'c', 'b', 'a'])
  const first = await client.conversations.items.list(id, { order: 'asc', limit: 2 })
  expect([first.has_more, first.data.length, first.last_id]).toEqual([true, 2, first.data[1]?.id])
  const rest = await client.conversations.items.list(id, { order: 'asc', limit: 3, after: first.last_id })
  expect([rest.has_more, rest.data.map(textOf)]).toEqual([false, ['c', 'd', 'e']])
  const other = await client.conversations.create({ items: [said('x')] })
  const { data } = await client.conversations.items.list(other.id)
  for (const query of [`after=${data[0]?.id}`, 'limit=0', 'limit=101', 'limit=1.5', 'order=up']) {
    const refused = await get(`/conversations/${id}/items?${query}`)
    const [param] = query.split('=')
    expect([query, refused.status, await refused.json()]).toMatchObject([query, 400, { error: { param } }])
  }
})

test('a page of input items after an item of another response is refused', async () => {
  const { client, get } = await testServer(['a', 'b'])
  const one = await client.responses.create({ model: 'm', input: [said('x')] })
  const other = await client.responses.create({ model: 'm', input: [said('y')] })
  const { data } = await client.responses.inputItems.list(other.id)
  expect((await get(`/responses/${one.id}/input_items?after=${data[0]?.id}`)).status).toBe(400)
  expect((await client.responses.inputItems.list(one.id)).data.map(textOf)).toEqual(['x'])
})

test('events of a background response begin after the number that is asked for, also when it is over', async () => {
  const { client, get } = await testServer(['Hello there.'])
  const { id } = await client.responses.create({ model: 'm', input: 'x', background: true })
  const numbers = async (after: number): Promise<number[]> => {
    const stream = await client.responses.retrieve(id, { stream: true, starting_after: after })
    const seen: number[] = []
    for await (const event of stream) seen.push(event.sequence_number)
    return seen
  }
  const all = await numbers(-1)
  expect(all).toEqual(all.map((_, index) => index))
  expect(all.length).toBeGreaterThan(5)
  expect(await numbers(3)).toEqual(all.slice(4))
  expect(await numbers(all.length - 1)).toEqual([])
  const refused = await get(`/responses/${id}?stream=true&starting_after=x`)
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'starting_after' } }])
})

test.each(['', '-5', '0x2', ' 3', '1e3', '1.5', 'NaN', '9'.repeat(40)])(
  '%j is no number in an address',
  async (number) => {
    const { client, get } = await testServer(['one'])
    const { id } = await client.responses.create({ model: 'm', input: 'x', background: true })
    const value = encodeURIComponent(number)
    const answers = [
      await get(`/responses/${id}?stream=true&starting_after=${value}`),
      await get(`/responses/${id}/input_items?limit=${value}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400])
  },
)

test('an item that is referred to again and again is looked for once, and the first that is not there ends the search', async () => {
  const inner = memoryStore()
  let looks = 0
  const store = { ...inner, item: async (...asked: Parameters<typeof inner.item>) => (looks++, inner.item(...asked)) }
  const { client, post } = await testServer(['one', 'two'], { store })
  const { output: items } = await client.responses.create({ model: 'm', input: 'x' })
  const refer = (id: string | undefined) => Array.from({ length: 1_000 }, () => ({ type: 'item_reference', id }))
  const user = { role: 'user', content: 'x' }
  expect((await post('/responses', { model: 'm', input: [user, ...refer(items[0]?.id)] })).status).toBe(200)
  expect((await post('/responses', { model: 'm', input: refer('msg_none') })).status).toBe(400)
  expect(looks).toBe(2)
})
