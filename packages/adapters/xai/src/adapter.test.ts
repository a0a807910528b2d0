import { expect, test } from 'vitest'
import type { Message, TurnRequest } from '@steploop/core/adapter'
import { type AskedOnce, askOnce, chatStream } from '@steploop/openai-compatible/test-kit'
import { openaiCapabilities } from '@steploop/openai'
import { chatCapabilities } from '@steploop/openai-compatible'
import { createXai, xai } from './options.ts'

const model = 'grok-4'

function asking(response: Response, request?: Partial<TurnRequest>, modelId = model): Promise<AskedOnce> {
  return askOnce((fetch) => createXai({ apiKey: 'key-1', fetch })(modelId), response, request)
}

function responded(output: readonly object[] = [message], more: object = {}): Response {
  return Response.json({ id: 'resp_1', object: 'response', model, status: 'completed', output, ...more })
}

const url = 'https://example.com'
const annotations = [{ type: 'url_citation', url }]
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hi', annotations }],
}
const search = {
  type: 'custom_tool_call',
  id: 'ctc_1',
  call_id: 'xs_1',
  name: 'x_keyword_search',
  input: '{"query":"steps"}',
  status: 'completed',
}
const tools = [
  { type: 'function', name: 'weather', inputSchema: { type: 'object', properties: {} } },
  { type: 'provider', provider: 'xai', name: 'x_search', definition: { type: 'x_search' } },
] as const
const question: Message = { role: 'user', content: 'Hello' }

test('a Responses request sends temperature and top-p to models that reason too, the caller’s own first', async () => {
  const settings = { temperature: 0.5, topP: 0.9 }
  const { body, turn } = await asking(responded(), { settings, providerOptions: { xai: { top_p: 1, user: 'u-1' } } })
  expect(body).toMatchObject({ temperature: 0.5, top_p: 1, user: 'u-1' })
  expect(turn?.warnings).toEqual([])
  const plain = await asking(responded(), { settings: { ...settings, topK: 5 } }, 'grok-3')
  expect(plain.body).toMatchObject({ temperature: 0.5, top_p: 0.9, top_k: 5 })
  expect(plain.turn?.warnings).toEqual([])
})

test.each([
  ['grok-4', 'high', undefined, ['unsupported']],
  ['grok-4-fast-non-reasoning', 'high', undefined, ['unsupported']],
  ['grok-4.20-0309-reasoning', 'low', undefined, ['unsupported']],
  ['grok-4.3', 'none', { effort: 'none' }, []],
  ['grok-3-mini', 'medium', { effort: 'high' }, ['coerced']],
  ['grok-3-mini', 'low', { effort: 'low' }, []],
  ['grok-3-mini', 'none', { effort: 'low' }, ['coerced']],
] as const)(
  'a Responses request asks %s for the effort %s only where it can be told',
  async (modelId, reasoning, expected, warned) => {
    const { body, turn } = await asking(responded(), { settings: { reasoning } }, modelId)
    expect(body['reasoning']).toEqual(expected)
    expect(turn?.warnings.map(({ type }) => type)).toEqual(warned)
  },
)

test('a Responses request tells a model its options beside the effort', async () => {
  const request = { settings: { reasoning: 'low', topK: 5 }, providerOptions: { xai: { user: 'u-1' } } } as const
  expect((await asking(responded(), request, 'grok-3-mini')).body).toMatchObject({
    reasoning: { effort: 'low' },
    top_k: 5,
    user: 'u-1',
  })
})

test('a Responses request forces no tool but says so, and declares the tools of xAI as they are', async () => {
  const { body, turn } = await asking(responded(), { tools, toolChoice: 'required' })
  expect(body).toMatchObject({ tool_choice: 'auto', tools: [{ name: 'weather' }, { type: 'x_search' }] })
  expect(turn?.warnings).toMatchObject([{ type: 'coerced', path: 'toolChoice' }])
  expect((await asking(responded(), { tools, toolChoice: 'none' })).body['tool_choice']).toBe('none')
})

test('a Responses request continues a stored response with what is new', async () => {
  const request = { messages: [question, question], turn: 1, continuation: { responseId: 'resp_1', from: 1 } }
  const stored = await askOnce((fetch) => createXai({ apiKey: 'k', fetch, store: true })(model), responded(), request)
  expect(stored.body).toMatchObject({ store: true, previous_response_id: 'resp_1', input: [{ role: 'user' }] })
  expect((await asking(responded(), request)).body['input']).toHaveLength(2)
})

const isDone = [
  { type: 'tool-call', owner: 'provider', toolName: 'x_keyword_search', input: { query: 'steps' } },
  { type: 'tool-result', output: { value: { status: 'completed' } } },
  { type: 'text', text: 'Hi', citations: [{ url }] },
]

test('a Responses answer tells that xAI searched by itself, and sends that back', async () => {
  const { turn } = await asking(responded([search, message]), { tools })
  expect(turn).toMatchObject({ finishReason: 'stop', message: { content: isDone } })
  const { body } = await asking(responded(), { messages: turn ? [turn.message, question] : [] })
  expect(body).toHaveProperty('input.0', {
    type: 'x_search_call',
    id: 'ctc_1',
    call_id: 'xs_1',
    name: 'x_keyword_search',
    arguments: search.input,
    status: 'completed',
  })
})

test('a Responses answer: a broken event of a search, or an output that is no list, is malformed', async () => {
  const { error } = await asking(chatStream('data: {"type":"custom_tool_call\n\n'))
  expect(error).toMatchObject({ code: 'malformed-response', provider: 'xai', model })
  expect((await asking(Response.json({ output: 'custom' }))).error).toMatchObject({ code: 'malformed-response' })
})

test('a Responses answer: a streamed Responses answer gives the same turn as a whole one', async () => {
  const at = { output_index: 0, item_id: 'ctc_1' }
  const response = { id: 'resp_1', model, status: 'completed', output: [search, message] }
  const { turn } = await asking(
    chatStream(
      { type: 'response.created', response: { id: 'resp_1', model, output: [] } },
      { type: 'response.output_item.added', ...at, item: { ...search, input: '', status: 'in_progress' } },
      { type: 'response.custom_tool_call_input.delta', ...at, delta: search.input },
      { type: 'response.output_item.done', output_index: 1, item: message },
      { type: 'response.completed', response },
    ),
    { tools },
  )
  expect(turn).toMatchObject({ finishReason: 'stop', responseId: 'resp_1', message: { content: isDone } })
})

test.each([
  [400, { code: 'Client specified an invalid argument', error: 'Incorrect API key provided.' }, 'authentication'],
  [429, { code: 'exhausted', error: 'Your team has used all available credits.' }, 'insufficient-credit'],
  [403, { code: 'denied', error: 'Your newly created team doesn’t have any credits yet.' }, 'insufficient-credit'],
  [429, { code: 'exhausted', error: 'Your team has reached its monthly spending limit.' }, 'insufficient-credit'],
  [404, { code: 'not found', error: 'Response with id=resp_1 not found' }, 'continuation-not-found'],
  [404, { code: 'not found', error: 'The model grok-9 does not exist' }, 'not-found'],
])('a Responses answer with status %i and body %j is the error `%s`', async (status, body, code) => {
  expect((await asking(Response.json(body, { status }))).error).toMatchObject({ code })
})

function chatting(response?: Response, request?: Partial<TurnRequest>, modelId = 'grok-3-mini'): Promise<AskedOnce> {
  return askOnce((fetch) => createXai({ apiKey: 'key-1', fetch }).chat(modelId), response, request)
}

test('Chat Completions force no tool, and leave out what models that reason refuse', { tags: ['P12'] }, async () => {
  const settings = { maxOutputTokens: 9, stopSequences: ['x'], presencePenalty: 1, reasoning: 'high' } as const
  const request = { settings, tools, toolChoice: { type: 'tool', toolName: 'weather' } } as const
  const { url: sentTo, body, turn } = await chatting(undefined, request)
  expect(sentTo).toBe('https://api.x.ai/v1/chat/completions')
  expect(body).toMatchObject({ max_completion_tokens: 9, reasoning_effort: 'high', tool_choice: 'auto' })
  expect(turn?.warnings.map(({ path }) => path)).toEqual([
    'settings.presencePenalty',
    'settings.stopSequences',
    'toolChoice',
  ])
  const plain = await chatting(undefined, { settings }, 'grok-3')
  expect(plain.body).toMatchObject({ stop: ['x'], presence_penalty: 1 })
  expect(plain.body).not.toHaveProperty('reasoning_effort')
})

test('Chat Completions know a wrong key by its words', async () => {
  const body = { code: 'Client specified an invalid argument', error: 'Incorrect API key provided.' }
  expect((await chatting(Response.json(body, { status: 400 }))).error).toMatchObject({ code: 'authentication' })
})

const none = { reasoning: false, reasoningReplay: false }

test.each([
  [model, {}, none],
  ['grok-4-fast-non-reasoning', none, none],
  ['grok-3-mini', {}, {}],
  ['grok-code-fast-1', {}, {}],
])('capabilities of %s differ by format', (modelId, responses, chat) => {
  const toolChoice = ['auto', 'none']
  const all = openaiCapabilities(modelId, { reasoning: true })
  expect(xai(modelId).capabilities).toEqual({ ...all, toolChoice, cacheControl: false, ...responses })
  const common = { toolChoice, toolResultImages: true, fileInput: false }
  expect(xai.chat(modelId).capabilities).toEqual({ ...chatCapabilities(), ...common, ...chat })
})
