import { expect, test } from 'vitest'
import { tool } from '@steploop/core'
import type { Executor } from './executor.ts'
import { callWeather, testServer, weather } from './testing.ts'

test('a conversation keeps what was put into it and what was said, in order', async () => {
  const { client, model } = await testServer(['Hello.', 'Again.'])
  const { id } = await client.conversations.create({
    metadata: { topic: 'greetings' },
    items: [{ type: 'message', role: 'developer', content: 'Be kind' }],
  })
  await client.responses.create({ model: 'm', input: 'Hi', conversation: id })
  await client.responses.create({ model: 'm', input: 'Hi again', conversation: { id } })
  expect(model.requests[1]?.request.messages).toMatchObject([
    { role: 'system', content: 'Be kind' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Hi again' }] },
  ])
  const items = await client.conversations.items.list(id, { order: 'asc' })
  expect(items.data.map((item) => ('role' in item ? item.role : item.type))).toEqual([
    'developer',
    'user',
    'assistant',
    'user',
    'assistant',
  ])
  expect(await client.conversations.retrieve(id)).toMatchObject({
    object: 'conversation',
    metadata: { topic: 'greetings' },
  })
  expect((await client.conversations.update(id, { metadata: { topic: 'x' } })).metadata).toEqual({ topic: 'x' })
})

test('items are added, read and deleted; what is deleted is not said to the model any more', async () => {
  const { client, model } = await testServer(['ok'])
  const { id } = await client.conversations.create({ items: [] })
  const added = await client.conversations.items.create(id, {
    items: ['one', 'two'].map((content) => ({ type: 'message' as const, role: 'user' as const, content })),
  })
  const [first, second] = added.data.map((item) => item.id ?? '')
  await client.conversations.items.delete(first ?? '', { conversation_id: id })
  await expect(client.conversations.items.retrieve(first ?? '', { conversation_id: id })).rejects.toMatchObject({
    status: 404,
  })
  expect((await client.conversations.items.retrieve(second ?? '', { conversation_id: id })).id).toBe(second)
  await client.responses.create({ model: 'm', input: 'three', conversation: id })
  const said = JSON.stringify(model.requests[0]?.request.messages)
  expect(said).toContain('two')
  expect(said).not.toContain('one')
})

test('a call and its output may be put in one after the other', async () => {
  const { client, model } = await testServer(['ok'])
  const { id } = await client.conversations.create()
  const call = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' } as const
  await client.conversations.items.create(id, { items: [{ type: 'message', role: 'user', content: 'x' }, call] })
  const early = client.responses.create({ model: 'm', input: 'y', conversation: id })
  await expect(early).rejects.toMatchObject({ status: 400, message: expect.stringContaining('call c1') })
  await client.conversations.items.create(id, {
    items: [{ type: 'function_call_output', call_id: 'c1', output: 'warm' }],
  })
  await client.responses.create({ model: 'm', input: 'y', conversation: id })
  expect(model.requests[0]?.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})

test('calls of a response in a conversation are answered in the next one', async () => {
  const { client, model } = await testServer([[callWeather('Rome', 'c1')], 'Warm.'])
  const { id: conversation } = await client.conversations.create()
  await client.responses.create({ model: 'm', input: 'x', conversation, tools: [weather] })
  const input = [{ type: 'function_call_output', call_id: 'c1', output: 'warm' }] as const
  await client.responses.create({ model: 'm', input: [...input], conversation, tools: [weather] })
  expect(model.requests[1]?.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
})

test('a response that is not stored reads the conversation and adds nothing', async () => {
  const { client, model } = await testServer(['one', 'two'])
  const { id } = await client.conversations.create({ items: [{ type: 'message', role: 'user', content: 'before' }] })
  await client.responses.create({ model: 'm', input: 'x', conversation: id, store: false })
  expect(JSON.stringify(model.requests[0]?.request.messages)).toContain('before')
  expect((await client.conversations.items.list(id)).data).toHaveLength(1)
})

test('more than 20 items are refused', async () => {
  const { client } = await testServer([])
  const items = Array.from({ length: 21 }, () => ({ type: 'message' as const, role: 'user' as const, content: 'x' }))
  await expect(client.conversations.create({ items })).rejects.toMatchObject({ status: 400, param: 'items' })
})

test('an approval counts once: a request that read the conversation before another one carried the call out is locked out', async () => {
  let runs = 0
  const pay = tool({ inputSchema: { type: 'object' }, needsApproval: true, execute: () => ++runs })
  const show = ({ inputText }: { readonly inputText: string }) => ({
    name: 'pay',
    server_label: 'bank',
    arguments: inputText,
  })
  let opened = 0
  const late = Promise.withResolvers<void>()
  const bank: Executor = {
    types: ['mcp'],
    async open() {
      if (++opened === 3) await late.promise
      return { tools: { bank__pay: pay }, view: () => ({ type: 'mcp_call', asks: true, show }) }
    },
  }
  const { client, post } = await testServer(
    [[{ type: 'call', toolName: 'bank__pay', input: {} }], 'Paid.', 'Paid again.'],
    { executors: [bank] },
  )
  const { id: conversation } = await client.conversations.create({})
  const body = { model: 'm', conversation, tools: [{ type: 'mcp', server_label: 'bank' }] }
  const first = (await (await post('/responses', { ...body, input: 'Pay.' })).json()) as { output: { id: string }[] }
  const answer = { type: 'mcp_approval_response', approval_request_id: first.output[0]?.id, approve: true }
  const approve = () => post('/responses', { ...body, input: [answer] })
  const [one, other] = [approve(), approve()]
  expect((await Promise.race([one, other])).status).toBe(200)
  late.resolve()
  expect((await Promise.all([one, other])).map(({ ok }) => ok)).toEqual(expect.arrayContaining([true, false]))
  expect(runs).toBe(1)
})

test.each([true, false])('what is said beside the answer to an approval, %s, is deleted alone', async (approve) => {
  const pay = tool({ inputSchema: { type: 'object' }, needsApproval: true, execute: () => 'paid' })
  const view = () => ({ type: 'mcp_call', asks: true, show: () => ({ name: 'pay' }) })
  const bank: Executor = { types: ['mcp'], open: async () => ({ tools: { pay }, view }) }
  const script = [[{ type: 'call', toolName: 'pay', input: {} }], 'Well.'] as const
  const { client, post, store } = await testServer(script, { executors: [bank] })
  const { id: conversation } = await client.conversations.create({})
  const body = { model: 'm', conversation, tools: [{ type: 'mcp' }] }
  const first = (await (await post('/responses', { ...body, input: 'Pay.' })).json()) as { output: { id: string }[] }
  const answer = { type: 'mcp_approval_response', approval_request_id: first.output[0]?.id, approve }
  await post('/responses', { ...body, input: [answer, { role: 'user', content: 'Please.' }] })
  const { data } = await client.conversations.items.list(conversation)
  const said = data.find((item) => JSON.stringify(item).includes('Please.'))
  await client.conversations.items.delete(said?.id ?? '', { conversation_id: conversation })
  const messages = (await store.history('default', { conversationId: conversation }))?.messages
  expect(messages?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
})

test('a call that is deleted before its output came is not waited for any more', async () => {
  const { client, model } = await testServer([[callWeather('Rome', 'c1')], 'Well.'])
  const { id: conversation } = await client.conversations.create()
  const first = await client.responses.create({ model: 'm', input: 'x', conversation, tools: [weather] })
  await client.conversations.items.delete(first.output[0]?.id ?? '', { conversation_id: conversation })
  await client.responses.create({ model: 'm', input: 'y', conversation, tools: [weather] })
  expect(model.requests[1]?.request.messages.map(({ role }) => role)).toEqual(['user', 'user'])
})
