import { tool } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { memoryStore, type NewResponse } from '@steploop/store'
import { expect, test, vi } from 'vitest'
import { createServer } from './create-server.ts'
import type { Executor } from './executor.ts'
import { eventsOf, testServer } from './testing.ts'

const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: {}, inputText: '{}', owner: 'loop' } as const

/** What a server that died has left. */
function left(more: Partial<NewResponse> = {}): NewResponse {
  return {
    id: 'resp_left',
    status: 'in_progress',
    request: { model: 'm', input: 'x', background: more.background ?? false },
    result: { id: 'resp_left', object: 'response' },
    transcriptId: 't',
    messages: [{ role: 'user', content: 'x' }],
    items: [],
    lease: { owner: 'dead', until: 1 },
    createdAt: Date.now(),
    ...more,
  }
}

test('a response whose server died fails, its calls are answered, and its conversation is free', async () => {
  const store = memoryStore()
  await store.createConversation('default', { id: 'conv', metadata: {}, createdAt: 1 })
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [call] },
  ] as const
  await store.accept('default', left({ conversationId: 'conv', messages }))
  const { client } = await testServer(['ok'], { store })
  expect(await client.responses.retrieve('resp_left')).toMatchObject({
    status: 'failed',
    error: { code: 'server_error' },
  })
  const history = await store.history('default', { conversationId: 'conv' })
  expect(history?.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ toolCallId: 'c1', output: { value: { code: 'aborted' } } }],
  })
  await client.responses.create({ model: 'm', input: 'y', conversation: 'conv' })
})

test('a background response is gone on with, under its id and with its numbers', async () => {
  const store = memoryStore()
  await store.accept('default', left({ background: true }))
  const types = ['response.created', 'response.queued', 'response.in_progress']
  await store.addEvents(
    'default',
    'resp_left',
    types.map((type, sequence) => ({ sequence, data: { type, sequence_number: sequence } })),
  )
  const { client } = await testServer(['Hello.'], { store })
  const events = await eventsOf(await client.responses.retrieve('resp_left', { stream: true }))
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_event, index) => index))
  expect(events.slice(0, 4).map(({ type }) => type)).toEqual([...types, 'response.output_item.added'])
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id: 'resp_left' } })
  expect((await client.responses.retrieve('resp_left')).output_text).toBe('Hello.')
})

test('a background response that readers were told a lost step of fails, with an event', async () => {
  const store = memoryStore()
  await store.accept('default', left({ background: true }))
  await store.addEvents('default', 'resp_left', [
    { sequence: 0, data: { type: 'response.output_item.added', sequence_number: 0 } },
  ])
  const { client, model } = await testServer(['never'], { store })
  const events = await eventsOf(await client.responses.retrieve('resp_left', { stream: true }))
  expect(events.map(({ type }) => type)).toEqual(['response.output_item.added', 'response.failed'])
  expect(model.requests).toHaveLength(0)
})

test.each([
  ['in the background, not again', { background: true, status: 'in_progress', effect: 'write' }, 'may have run', 0],
  ['in the background where it only reads', { background: true, status: 'in_progress', effect: 'read' }, 'ran 1', 1],
  ['in the background that had not begun', { background: true, status: 'queued', effect: 'write' }, 'ran 1', 1],
  [
    'that somebody waited for, not again',
    { background: false, status: 'in_progress', effect: 'write' },
    'may have run',
    0,
  ],
] as const)(
  'a call that was approved runs after the death of its server in a response %s',
  async (_what, how, said, most) => {
    const { background, status, effect } = how
    let runs = 0
    const pay = tool({ inputSchema: { type: 'object' }, effect, needsApproval: true, execute: () => `ran ${++runs}` })
    const show = ({ inputText }: { readonly inputText: string }) => ({ name: 'pay', arguments: inputText })
    const view = () => ({ type: 'mcp_call', asks: true, show })
    const bank: Executor = { types: ['mcp'], open: async () => ({ tools: { pay }, view }) }
    const store = memoryStore()
    const script = scriptedAdapter([[{ type: 'call', toolName: 'pay', input: {} }], 'Well.', 'Well.'])
    const accepted: NewResponse[] = []
    const accept = async (tenant: string, response: NewResponse) => {
      if (response.previousId === undefined) return store.accept(tenant, response)
      accepted.push({ ...response, status, lease: { owner: 'dead', until: 1 } })
      throw new Error('It dies.')
    }
    const options = { models: { m: script }, executors: [bank] }
    const dying = createServer({ ...options, store: { ...store, accept } })
    const next = createServer({ ...options, store })
    const ask = async (
      body: object,
      server = dying,
    ): Promise<{ readonly id: string; readonly output: readonly { readonly id: string }[] }> => {
      const tools = [{ type: 'mcp' }]
      const init = { method: 'POST', body: JSON.stringify({ model: 'm', tools, ...body }) }
      return (await server.fetch(new Request('http://x/v1/responses', init))).json() as never
    }
    const { id, output } = await ask({ input: 'x' })
    const input = [{ type: 'mcp_approval_response', approval_request_id: output[0]?.id, approve: true }]
    await ask({ input, previous_response_id: id, background })
    for (const response of accepted) await store.accept('default', response)
    await next.maintain()
    const responseId = accepted[0]?.id ?? ''
    await vi.waitFor(async () => {
      expect((await store.response('default', responseId))?.status).toBe(background ? 'completed' : 'failed')
    })
    expect(JSON.stringify((await store.history('default', { responseId }))?.messages)).toContain(said)
    expect(runs).toBe(most)
    const again = await ask({ input, previous_response_id: id }, next)
    expect(again).toMatchObject({ error: { code: 'approval_already_answered' } })
    const later = await ask({ input: 'And now?', previous_response_id: responseId }, next)
    expect(later).toMatchObject({ status: 'completed' })
    expect(runs).toBe(most)
  },
)

test('one that has been taken over too often fails', async () => {
  const store = memoryStore()
  await store.accept('default', left({ background: true }))
  for (let attempt = 1; attempt <= 3; attempt++)
    await store.claim('default', 'resp_left', { owner: 'dead', until: 1 }, 2)
  const { client } = await testServer(['never'], { store })
  expect((await client.responses.retrieve('resp_left')).status).toBe('failed')
})

test('two servers take one response over once', async () => {
  const store = memoryStore()
  await store.accept('default', left())
  const servers = [1, 2].map(() => createServer({ models: { m: scriptedAdapter([]) }, store }))
  const taken = await Promise.all(servers.map((server) => server.maintain()))
  expect(taken.reduce((sum, each) => sum + each, 0)).toBe(1)
})

test('what is older than the operator keeps it is removed', async () => {
  const store = memoryStore()
  await store.accept('default', left({ status: 'completed', lease: undefined, createdAt: Date.now() - 2_000 }))
  const server = createServer({ models: {}, store, retention: { responses: 1_000 } })
  await server.maintain()
  expect(await store.response('default', 'resp_left')).toBeUndefined()
})

test('a server that stops takes nothing new, lets what runs end within its time, and cancels the rest', async () => {
  const store = memoryStore()
  const model = scriptedAdapter([{ parts: [{ type: 'text', text: 'x' }], hang: true }])
  const server = createServer({ models: { m: model }, store })
  const ask = (): Promise<Response> =>
    server.fetch(
      new Request('http://x/v1/responses', { method: 'POST', body: '{"model":"m","input":"x","stream":true}' }),
    )
  const running = await ask()
  const text = running.text()
  const stopped = server.stop(10)
  expect((await ask()).status).toBe(503)
  await stopped
  expect(await text).toContain('"status":"cancelled"')
  expect(await store.maintenance.expired(Infinity)).toEqual([])
})
