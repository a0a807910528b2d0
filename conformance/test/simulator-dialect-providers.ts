import { expect } from 'vitest'

import type { Draft, Provider } from './simulator-corruption.ts'

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const alerts = { type: 'function', function: { name: 'list_alerts', parameters: { type: 'object', properties: {} } } }
const opening = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Weather in Zürich?' }] },
]

interface ChatProvider {
  readonly baseURL: string
  readonly head: Draft
  readonly errorOf: (body: unknown) => Draft
  /** Members of the answer that come back in the history. Default: all. */
  readonly replay?: (message: Draft) => Draft
}

/** A conversation of 0 system, 1 user, 2 assistant (get_weather, list_alerts), 3 and 4 results. */
function chat({ baseURL, head, errorOf, replay = (message) => message }: ChatProvider): Provider {
  const first = { ...head, tools: [weather, alerts], messages: opening }
  return {
    wire: 'openai-chat',
    baseURL,
    path: '/chat/completions',
    headers: { authorization: 'Bearer good' },
    first,
    second(answer) {
      const [{ message }] = answer['choices'] as [{ readonly message: Draft }]
      const calls = message['tool_calls'] as Draft[]
      const results = calls.map((call) => ({ role: 'tool', tool_call_id: call['id'], content: '21 °C' }))
      return { ...first, messages: [...opening, replay(message), ...results] }
    },
    errorOf,
  }
}

export const providers = {
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
    errorOf: (body) => (exactly(body, ['error', 'user_id']) as { readonly error: Draft }).error,
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

function exactly(body: unknown, members: readonly string[]): Draft {
  const draft = body as Draft
  expect(Object.keys(draft).toSorted()).toEqual(members)
  return draft
}
