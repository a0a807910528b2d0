import { providerTool, type Adapter } from '@steploop/core'
import type { TurnEvent } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { eventsOf, testServer } from '../testing.ts'
import { providerTools } from './provider-tools.ts'
import { webSearch } from './web-search.ts'

/** Searches and runs code at the provider, then answers; each later turn is a plain answer. */
function hostingModel(output: unknown = { status: 'completed', sources: [{ url: 'https://example.com/a' }] }) {
  const requests: unknown[] = []
  const search = { part: 0, toolCallId: 'ws_1', toolName: 'web_search' }
  const code = { part: 2, toolCallId: 'ci_1', toolName: 'bash_code_execution' }
  const said = (text: string, part: number): TurnEvent[] => [
    { type: 'text-start', part },
    { type: 'text-delta', part, text },
    { type: 'citation', part, citation: { url: 'https://example.com/a' } },
    { type: 'text-delta', part, text: '!' },
    { type: 'text-end', part },
  ]
  const input = { query: 'rome' }
  const events: readonly TurnEvent[] = [
    { type: 'tool-call-start', ...search, owner: 'provider' },
    { type: 'tool-call', ...search, input, inputText: JSON.stringify(input), owner: 'provider' },
    { type: 'tool-result', ...search, part: 1, output: { type: 'json', value: output } },
    { type: 'tool-call', ...code, input: { command: '6*7' }, inputText: '{"command":"6*7"}', owner: 'provider' },
    { type: 'tool-result', ...code, part: 3, output: { type: 'json', value: { stdout: '42' } } },
    ...said('Warm', 4),
  ]
  const model: Adapter = {
    provider: 'hosting',
    model: 'm',
    capabilities: { tools: true, providerTools: true },
    async *turn(request) {
      requests.push(JSON.parse(JSON.stringify(request)))
      yield [{ type: 'turn-start' }, ...(requests.length === 1 ? events : said('So', 0))]
      yield [{ type: 'turn-end', finishReason: 'stop', rawFinishReason: 'stop' }]
    },
  }
  return { model, requests }
}

const executors = [
  providerTools({
    tool: ({ type }, provider) =>
      provider === 'hosting' ? providerTool({ provider, name: type, definition: { type: `${type}_v1` } }) : undefined,
  }),
  webSearch({ search: async () => [] }),
]
const tools = [{ type: 'web_search' } as const, { type: 'code_interpreter', container: { type: 'auto' } } as const]

test('tools of the provider go to it alone, nothing runs here, and their calls are items', async () => {
  const { model, requests } = hostingModel()
  const { client } = await testServer([], { model, executors })
  const stream = client.responses.stream({ model: 'm', input: 'x', tools })
  const events = await eventsOf(stream)
  const first = await stream.finalResponse()
  expect(first.output).toMatchObject([
    { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'rome' } },
    { type: 'code_interpreter_call', status: 'completed', code: '6*7' },
    { type: 'message', content: [{ text: 'Warm!', annotations: [{ start_index: 0, end_index: 5 }] }] },
  ])
  const words = events.map(({ type }) => type.replace('response.', '')).filter((type) => /_call[._]/.test(type))
  expect(words).toEqual([
    ...['in_progress', 'searching', 'completed'].map((word) => `web_search_call.${word}`),
    'code_interpreter_call.in_progress',
    'code_interpreter_call_code.delta',
    'code_interpreter_call_code.done',
    'code_interpreter_call.interpreting',
    'code_interpreter_call.completed',
  ])
  expect(requests).toMatchObject([{ tools: [{ definition: { type: 'web_search_v1' } }, { type: 'provider' }] }])
  await client.responses.create({ model: 'm', previous_response_id: first.id, input: 'more', tools })
  const types = ['tool-call', 'tool-result', 'tool-call', 'tool-result', 'text'].map((type) => ({ type }))
  expect(requests[1]).toMatchObject({ messages: [{}, { content: types }, {}] })
})

test('outputs and sources are shown to who asks for them, and what failed is failed', async () => {
  const { client } = await testServer([], { model: hostingModel({ status: 'failed' }).model, executors })
  const failed = await client.responses.create({ model: 'm', input: 'x', tools })
  expect(failed.output[0]).toMatchObject({ type: 'web_search_call', status: 'failed' })
  expect(failed.output[1]).not.toHaveProperty('outputs')
  const good = await testServer([], { model: hostingModel().model, executors })
  const include = ['web_search_call.action.sources', 'code_interpreter_call.outputs'] as const
  const shown = await good.client.responses.create({ model: 'm', input: 'x', tools, include: [...include] })
  expect(shown.output).toMatchObject([
    { action: { sources: [{ type: 'url', url: 'https://example.com/a' }] } },
    { outputs: [{ type: 'logs', logs: '42' }] },
    { type: 'message' },
  ])
})

test('a provider without the tool leaves it to the next executor, or to nobody', async () => {
  const { client, model, post } = await testServer(['ok'], { executors })
  await client.responses.create({ model: 'm', input: 'x', tools: [{ type: 'web_search' }] })
  expect(model.requests[0]?.request.tools).toMatchObject([{ type: 'function', name: 'web_search' }])
  const refused = await post('/responses', { model: 'm', input: 'x', tools })
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { code: 'unsupported_tool', param: 'tools[1]' } },
  ])
})

test('a choice of the tool allows it alone', async () => {
  const { model, requests } = hostingModel()
  const { client } = await testServer([], { model, executors })
  await client.responses.create({ model: 'm', input: 'x', tools, tool_choice: { type: 'code_interpreter' } })
  expect(requests).toMatchObject([{ tools: [{ name: 'code_interpreter' }] }])
})
