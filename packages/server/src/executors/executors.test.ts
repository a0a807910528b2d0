import type { McpServer } from '@steploop/mcp'
import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { callWeather, eventsOf, testServer, weather } from '../testing.ts'
import { fileSearch } from './file-search.ts'
import { mcp } from './mcp.ts'
import { webSearch } from './web-search.ts'

type Message = Readonly<Record<string, unknown>>

/** A server of MCP behind a transport by hand: one tool, `pay`, which says what it got. */
function payServer(calls: unknown[] = []): McpServer {
  const answers: Readonly<Record<string, (params: Message) => unknown>> = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'pay', version: '1' },
    }),
    'tools/list': () => ({ tools: [{ name: 'pay', description: 'Pays', inputSchema: { type: 'object' } }] }),
    'tools/call': ({ arguments: input }) => {
      calls.push(input)
      return { content: [{ type: 'text', text: 'paid' }] }
    },
  }
  const transport = () => {
    const own: Record<string, unknown> = {
      start: async () => undefined,
      close: async () => undefined,
      send: async ({ id, method, params }: Message) => {
        if (id === undefined) return
        const result = answers[String(method)]?.((params ?? {}) as Message)
        const error = { code: -32_601, message: 'Method not found' }
        const reply = { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }
        queueMicrotask(() => (own['onmessage'] as (message: unknown) => void)(reply))
      },
    }
    return own as never
  }
  return { transport }
}

const payTool = { type: 'mcp', server_label: 'bank' } as never as OpenAI.Responses.Tool.Mcp
const pay = { type: 'call', toolName: 'bank__pay', input: { amount: 5 } } as const

const results = [{ url: 'https://example.com/a', title: 'A', text: 'Rome is warm' }]
const search = webSearch({ search: async () => results })
const ask = { type: 'call', toolName: 'web_search', input: { query: 'rome' } } as const

test('web search runs here, beside a call that the client has to answer', async () => {
  const { client, model } = await testServer([[ask, callWeather('Rome', 'c1')], 'Warm.'], { executors: [search] })
  const stream = client.responses.stream({ model: 'm', input: 'x', tools: [{ type: 'web_search' }, weather] })
  const events = await eventsOf(stream)
  const first = await stream.finalResponse()
  expect(first.status).toBe('completed')
  expect(first.output).toMatchObject([
    { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'rome' } },
    { type: 'function_call', call_id: 'c1' },
  ])
  const own = events.map(({ type }) => type).filter((type) => type.startsWith('response.web_search_call'))
  expect(own).toEqual(['in_progress', 'searching', 'completed'].map((word) => `response.web_search_call.${word}`))
  expect(JSON.stringify(first.output)).not.toContain('sources')
  const input = [{ type: 'function_call_output', call_id: 'c1', output: 'warm' }] as const
  await client.responses.create({
    model: 'm',
    previous_response_id: first.id,
    input: [...input],
    tools: [{ type: 'web_search' }, weather],
  })
  const [, , tool, ...rest] = model.requests[1]?.request.messages ?? []
  expect(rest).toEqual([])
  expect(tool?.content).toMatchObject([{ output: { type: 'json', value: results } }, { output: { value: 'warm' } }])
})

test('web search shows its sources to who asks for them, and is told of a failure as JSON', async () => {
  const failing = webSearch({
    search: async () => {
      throw new Error('no network')
    },
  })
  const good = await testServer([[ask], 'ok'], { executors: [search] })
  const tools: OpenAI.Responses.Tool[] = [{ type: 'web_search' }]
  const include: OpenAI.Responses.ResponseIncludable[] = ['web_search_call.action.sources']
  const shown = await good.client.responses.create({ model: 'm', input: 'x', tools, include })
  expect(shown.output[0]).toMatchObject({ action: { sources: [{ type: 'url', url: 'https://example.com/a' }] } })
  const bad = await testServer([[ask], 'ok'], { executors: [failing] })
  const failed = await bad.client.responses.create({ model: 'm', input: 'x', tools })
  expect(failed.output[0]).toMatchObject({ type: 'web_search_call', status: 'failed' })
  expect(JSON.stringify(bad.model.requests[1]?.request.messages)).toContain('tool-failed')
})

test('web search: a function of the client with its name is refused', async () => {
  const { post, model } = await testServer(['never'], { executors: [search] })
  const tools = [{ type: 'web_search' }, { ...weather, name: 'web_search' }]
  expect((await post('/responses', { model: 'm', input: 'x', tools })).status).toBe(400)
  expect(model.requests).toHaveLength(0)
})

const find = (queries: readonly string[]) => ({ type: 'call', toolName: 'file_search', input: { queries } }) as const

test('file search finds words in the files of the tenant and the stores alone, with filters', async () => {
  const files = fileSearch({ path: ':memory:' })
  const scope = { tenant: 'default', storeId: 's' }
  files.add(scope, { id: 'f1', filename: 'rome.md', text: 'Rome is "warm" AND old', attributes: { year: 2024 } })
  files.add(scope, { id: 'f2', filename: 'old.md', text: 'Rome was cold', attributes: { year: 1999 } })
  files.add({ ...scope, storeId: 'other' }, { id: 'f3', filename: 'x', text: 'Rome elsewhere' })
  files.add({ tenant: 'foreign', storeId: 's' }, { id: 'f4', filename: 'x', text: 'Rome secret' })
  files.add(scope, { id: 'f5', filename: 'gone.md', text: 'Rome gone', attributes: { year: 2024 } })
  files.remove(scope, 'f5')
  const server = await testServer([[find(['Rome" OR NEAR(', ''])], 'ok'], { executors: [files] })
  const filters = { type: 'gte', key: 'year', value: 2000 } as const
  const { output } = await server.client.responses.create({
    model: 'm',
    input: 'x',
    tools: [{ type: 'file_search', vector_store_ids: ['s'], filters }],
    include: ['file_search_call.results'],
  })
  const [call] = output
  if (call?.type !== 'file_search_call') throw new Error('no file search')
  expect(call.results?.map(({ file_id: id, filename }) => [id, filename])).toEqual([['f1', 'rome.md']])
  expect(call.results?.[0]?.score).toBeGreaterThan(0)
})

test('file search without stores it is refused', async () => {
  const server = await testServer(['never'], { executors: [fileSearch({ path: ':memory:' })] })
  const response = await server.post('/responses', { model: 'm', input: 'x', tools: [{ type: 'file_search' }] })
  expect(await response.json()).toMatchObject({ error: { param: 'tools[0].vector_store_ids' } })
})

test('MCP lists the tools of a server, and runs them without asking where the client says so', async () => {
  const calls: unknown[] = []
  const { client } = await testServer([[pay], 'Paid.'], { executors: [mcp({ servers: { bank: payServer(calls) } })] })
  const tools = [{ ...payTool, require_approval: 'never' as const }]
  const events = await eventsOf(await client.responses.create({ model: 'm', input: 'x', tools, stream: true }))
  const last = events.at(-1)
  if (last?.type !== 'response.completed') throw new Error('not completed')
  expect(last.response.output).toMatchObject([
    { type: 'mcp_list_tools', server_label: 'bank', tools: [{ name: 'pay', description: 'Pays' }] },
    {
      type: 'mcp_call',
      server_label: 'bank',
      name: 'pay',
      arguments: '{"amount":5}',
      output: 'paid',
      status: 'completed',
    },
    { type: 'message' },
  ])
  expect(calls).toEqual([{ amount: 5 }])
})

async function asked(approve: boolean) {
  const calls: unknown[] = []
  const server = await testServer([[pay], 'Done.'], { executors: [mcp({ servers: { bank: payServer(calls) } })] })
  const first = await server.client.responses.create({ model: 'm', input: 'x', tools: [payTool] })
  const request = first.output.find(({ type }) => type === 'mcp_approval_request')
  expect(calls).toEqual([])
  const second = await server.client.responses.create({
    model: 'm',
    previous_response_id: first.id,
    tools: [payTool],
    input: [{ type: 'mcp_approval_response', approval_request_id: request?.id ?? '', approve }],
  })
  return { server, first, request, second, calls }
}

test('MCP asks before it runs, and runs what was approved once', async () => {
  const { request, second, calls } = await asked(true)
  expect(request).toEqual({
    type: 'mcp_approval_request',
    id: request?.id,
    name: 'pay',
    server_label: 'bank',
    arguments: '{"amount":5}',
  })
  expect(calls).toEqual([{ amount: 5 }])
  expect(second.output).toMatchObject([
    { type: 'mcp_call', approval_request_id: request?.id, output: 'paid' },
    { type: 'message' },
  ])
})

test('MCP does not run what was denied, and says so to the model', async () => {
  const { server, calls } = await asked(false)
  expect(calls).toEqual([])
  expect(JSON.stringify(server.model.requests[1]?.request.messages)).toContain('denied')
})

test('MCP: an approval that is missing, unknown, given twice, or for what is a tool of the client now is refused', async () => {
  const server = await testServer([[pay]], { executors: [mcp({ servers: { bank: payServer() } })] })
  const first = await server.client.responses.create({ model: 'm', input: 'x', tools: [payTool] })
  const request = first.output.find(({ type }) => type === 'mcp_approval_request')
  const answer = { type: 'mcp_approval_response', approval_request_id: request?.id, approve: true }
  const bodies: readonly object[] = [
    { input: 'well?' },
    { input: [answer, answer] },
    { input: [{ ...answer, approval_request_id: 'mcpr_none' }] },
    { input: [answer], tools: [{ ...weather, name: 'bank__pay' }] },
  ]
  for (const body of bodies) {
    const common = { model: 'm', previous_response_id: first.id, tools: [payTool] }
    const response = await server.post('/responses', { ...common, ...body })
    expect(response.status).toBe(400)
  }
})

test('MCP: a server that fails is an item with an error, without a word of what it was sent', async () => {
  const transport = () => {
    throw new Error('planted sk-secret')
  }
  const { client } = await testServer(['ok'], { executors: [mcp({ servers: { bank: { transport } } })] })
  const { output } = await client.responses.create({ model: 'm', input: 'x', tools: [payTool] })
  expect(output[0]).toMatchObject({ type: 'mcp_list_tools', tools: [], error: { type: 'mcp_protocol_error' } })
  expect(JSON.stringify(output)).not.toContain('planted')
})

test('MCP: what opens a server is neither stored, nor echoed, nor reported', async () => {
  const errors: unknown[] = []
  const executors = [mcp({ servers: { bank: payServer() } })]
  const { post, store } = await testServer(['ok'], { executors, onError: (error) => errors.push(error) })
  const tools = [{ ...payTool, authorization: 'planted-token', headers: { 'x-key': 'planted-key' } }]
  const response = (await (await post('/responses', { model: 'm', input: 'x', tools })).json()) as { id: string }
  expect(JSON.stringify([response, await store.response('default', response.id), errors])).not.toContain('planted')
})

test.each([
  'http://allowed.example/mcp',
  'https://other.example/mcp',
  'https://allowed.example.evil.example/',
  'https://user:pw@allowed.example/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://[::ffff:127.0.0.1]/',
  'file:///etc/passwd',
  'nonsense',
])('MCP: %s is not asked', async (url) => {
  const hosts = ['allowed.example', '127.0.0.1', '[::ffff:7f00:1]']
  const { post } = await testServer(['never'], { executors: [mcp({ allow: hosts })] })
  const response = await post('/responses', { model: 'm', input: 'x', tools: [{ ...payTool, server_url: url }] })
  expect(await response.json()).toMatchObject({ error: { param: 'tools[0].server_url' } })
})
