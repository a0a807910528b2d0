import { expect } from 'vitest'

import type { Draft, Provider } from './simulator-refusals.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { name: 'get_weather', description: 'Weather of a city' }
const alerts = { name: 'list_alerts' }
const noInput = { type: 'object', properties: {} }
const strict = { ...schema, additionalProperties: false }
const functions = [
  { type: 'function', function: { ...weather, parameters: schema } },
  { type: 'function', function: { ...alerts, parameters: noInput } },
]
const strictFunctions = [
  { type: 'function', function: { ...weather, strict: true, parameters: strict } },
  { type: 'function', function: { ...alerts, parameters: noInput } },
]
const asked = 'Weather in Zürich?'
const found = '21 °C'
const system = { role: 'system', content: 'Be brief.' }

interface ChatProvider {
  readonly baseURL?: string
  readonly head: Draft
  readonly errorOf: (body: unknown) => Draft
  /** Members of the answer that come back in the history. Default: all. */
  readonly replay?: (message: Draft) => Draft
}

function chat({ baseURL, head, errorOf, replay = (message) => message }: ChatProvider): Provider {
  const opening = [system, { role: 'user', content: [{ type: 'text', text: asked }] }]
  const first = { tools: functions, ...head, messages: opening }
  return {
    wire: 'openai-chat',
    ...(baseURL !== undefined && { baseURL }),
    path: '/chat/completions',
    headers: { authorization: 'Bearer good' },
    first,
    second(answer) {
      const [{ message }] = answer['choices'] as [{ readonly message: Draft }]
      const calls = message['tool_calls'] as Draft[]
      const results = calls.map((call) => ({ role: 'tool', tool_call_id: call['id'], content: found }))
      return { ...first, messages: [...opening, replay(message), ...results] }
    },
    errorOf,
  }
}

/** The error shape of both OpenAI endpoints. */
function openaiError(body: unknown): Draft {
  const { error } = exactly(body, ['error']) as { readonly error: Draft }
  expect(error['type']).toBe('invalid_request_error')
  return exactly(error, ['code', 'message', 'param', 'type'])
}

/** Those who speak Chat Completions in their own way. */
const providers = {
  mistral: chat({
    baseURL: 'https://api.mistral.ai/v1',
    head: { model: 'magistral-medium-latest', tool_choice: 'any' },
    errorOf: (body) => exactly(body, ['code', 'message', 'object', 'param', 'type']),
  }),
  groq: chat({
    baseURL: 'https://api.groq.com/openai/v1',
    head: { model: 'qwen/qwen3-32b', reasoning_format: 'parsed' },
    errorOf: (body) => {
      const { error } = exactly(body, ['error']) as { readonly error: Draft }
      return exactly(error, 'code' in error ? ['code', 'message', 'type'] : ['message', 'type'])
    },
  }),
  deepseek: chat({
    baseURL: 'https://api.deepseek.com',
    head: { model: 'deepseek-reasoner' },
    errorOf: (body) => {
      const { error } = exactly(body, ['error']) as { readonly error: Draft }
      return exactly(error, ['code', 'message', 'param', 'type'])
    },
    replay: (message) => ({
      ...message,
      tool_calls: (message['tool_calls'] as Draft[]).map(({ id, type, function: called }) => ({
        id,
        type,
        function: called,
      })),
    }),
  }),
  xai: chat({
    baseURL: 'https://api.x.ai/v1',
    head: { model: 'grok-3-mini', reasoning_effort: 'low' },
    errorOf: (body) => {
      const { code, error } = exactly(body, ['code', 'error'])
      return { code, message: error }
    },
  }),
  openrouter: chat({
    baseURL: 'https://openrouter.ai/api/v1',
    head: { model: 'anthropic/claude-sonnet-4.5', reasoning: { effort: 'low' }, usage: { include: true } },
    errorOf: (body) => {
      const { error } = exactly(body, ['error', 'user_id']) as { readonly error: Draft }
      const { metadata } = error as { readonly metadata?: Draft }
      return { ...error, raw: metadata?.['raw'], from: metadata?.['provider_name'] }
    },
    replay: ({ role, content, reasoning, reasoning_details, tool_calls }) => ({
      role,
      content,
      reasoning,
      reasoning_details,
      tool_calls: (tool_calls as Draft[]).map((call) => {
        const called = call['function'] as Draft
        return { id: call['id'], type: 'function', function: { arguments: '{}', ...called } }
      }),
    }),
  }),
} satisfies Readonly<Record<string, Provider>>

const openaiChat = chat({
  head: { model: 'chat-sim', temperature: 0.5, tools: strictFunctions, tool_choice: 'auto' },
  errorOf: openaiError,
  replay: ({ role, content, tool_calls }) => ({ role, content, tool_calls }),
})

function responses(
  head: Draft,
  content: unknown,
  over: Partial<Provider> & { readonly continues?: true } = {},
): Provider {
  const question = { role: 'user', content }
  return {
    wire: 'openai-responses',
    path: '/responses',
    headers: { authorization: 'Bearer good' },
    first: { ...head, input: [question] },
    second: (answer) => {
      const output = answer['output'] as Draft[]
      const calls = output.filter(({ type }) => type === 'function_call')
      const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: found }))
      if (over.continues) return { ...head, previous_response_id: answer['id'], input: results }
      return { ...head, input: [question, ...output, ...results] }
    },
    errorOf: openaiError,
    ...over,
  }
}

const gptTools = [
  { type: 'function', ...weather, strict: true, parameters: strict },
  { type: 'function', ...alerts, strict: false, parameters: noInput },
]
const gpt = { model: 'gpt-sim', temperature: 1, tools: gptTools, tool_choice: 'auto' }
const inputText = [{ type: 'input_text', text: asked }]
const encrypted = { store: false, include: ['reasoning.encrypted_content'] }
const grokTools = [weather, alerts].map(({ name }) => ({ type: 'function', name, parameters: noInput }))

const xaiResponses = responses({ model: 'grok-4', tools: grokTools, ...encrypted }, asked, {
  baseURL: 'https://api.x.ai/v1',
  errorOf: (body) => {
    const { code, error } = body as Draft
    exactly(body, code === undefined ? ['error'] : ['code', 'error'])
    return { code, message: error }
  },
})

const claude = {
  model: 'claude-sim',
  max_tokens: 4096,
  system: [{ type: 'text', text: 'Be brief.' }],
  thinking: { type: 'enabled', budget_tokens: 1024 },
  tools: [
    { ...weather, input_schema: schema },
    { ...alerts, input_schema: noInput },
  ],
  tool_choice: { type: 'auto' },
}
const question = { role: 'user', content: [{ type: 'text', text: asked }] }

const anthropic: Provider = {
  wire: 'anthropic-messages',
  path: '/messages',
  headers: { 'x-api-key': 'good', 'anthropic-version': '2023-06-01' },
  first: { ...claude, messages: [question] },
  second: (answer) => {
    const content = answer['content'] as Draft[]
    const calls = content.filter(({ type }) => type === 'tool_use')
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: found }))
    return { ...claude, messages: [question, { role: 'assistant', content }, { role: 'user', content: results }] }
  },
  errorOf: (body) => {
    const { error, ...others } = body as { readonly error: Draft }
    expect(others).toEqual({ type: 'error', request_id: expect.stringMatching(/^req_/) as string })
    expect(error['type']).toBe('invalid_request_error')
    return exactly(error, ['message', 'type'])
  },
}

interface CalledFunction {
  readonly id: string
  readonly name: string
}

const geminiHead = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  tools: [
    {
      functionDeclarations: [
        { ...weather, parametersJsonSchema: schema },
        { ...alerts, parameters: { type: 'OBJECT', properties: {} } },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  generationConfig: { temperature: 1, thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } },
}
const content = { role: 'user', parts: [{ text: asked }] }

const gemini: Provider = {
  wire: 'gemini-generate',
  path: '/models/gemini-3-flash-preview:generateContent',
  headers: { 'x-goog-api-key': 'good' },
  first: { ...geminiHead, contents: [content] },
  second: (answer) => {
    const [candidate] = answer['candidates'] as [{ readonly content: { readonly parts: readonly Draft[] } }]
    const { parts } = candidate.content
    const calls = parts.flatMap(({ functionCall }) => (functionCall as CalledFunction | undefined) ?? [])
    const results = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: found } } }))
    return { ...geminiHead, contents: [content, { role: 'model', parts }, { role: 'user', parts: results }] }
  },
  errorOf: (body) => {
    const { error } = exactly(body, ['error']) as { readonly error: Draft }
    expect(exactly(error, ['code', 'message', 'status'])).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    return { message: error['message'] }
  },
}

const qwen = {
  model: 'qwen3',
  stream: false,
  think: true,
  keep_alive: '10m',
  tools: functions,
  options: { temperature: 0.5, num_ctx: 8192, stop: ['END'] },
}
const opening = [system, { role: 'user', content: asked, images: ['iVBORw0KGgo='] }]

const ollama: Provider = {
  wire: 'ollama-chat',
  path: '/api/chat',
  headers: {},
  first: { ...qwen, messages: opening },
  second: (answer) => {
    const message = answer['message'] as Draft
    const calls = message['tool_calls'] as readonly { readonly id: string; readonly function: CalledFunction }[]
    const results = calls.map(({ id, function: { name } }) => {
      return { role: 'tool', tool_name: name, tool_call_id: id, content: found }
    })
    return { ...qwen, messages: [...opening, message, ...results] }
  },
  errorOf: (body) => ({ message: exactly(body, ['error'])['error'] }),
}

/** Good requests, by the names of the tables in `refusals/` and their sections. */
export const refusing: Readonly<Record<string, Readonly<Record<string, Provider>>>> = {
  'anthropic-messages': { all: anthropic },
  'gemini-generate': { shape: gemini, meaning: gemini },
  'ollama-chat': {
    server: ollama,
    // What the server ignores is refused in words of the simulator's own.
    'server-ignores': {
      ...ollama,
      errorOf: (body) => {
        const error = ollama.errorOf(body)
        expect(error['message']).toContain('(Ollama itself would not complain)')
        return error
      },
    },
  },
  'openai-chat': { all: openaiChat },
  'openai-dialects': providers,
  'openai-responses': {
    // Full replay: nothing is stored, the encrypted reasoning comes back.
    replaying: responses({ ...gpt, ...encrypted }, inputText),
    // The provider has the answer, only the outputs are new.
    continuing: responses(gpt, inputText, { continues: true }),
    // Full replay of items that are stored, too: the reasoning may be a reference by its id.
    stored: responses(gpt, inputText),
    xai: xaiResponses,
  },
}

function exactly(body: unknown, members: readonly string[]): Draft {
  const draft = body as Draft
  expect(Object.keys(draft).toSorted()).toEqual(members)
  return draft
}
