import { expect, test } from 'vitest'
import type { TurnRequest } from '@steploop/core/adapter'
import { send } from './testing.ts'

const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'Weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const

test.each([
  ['qwen3', 'none', false, 0],
  ['qwen3', 'medium', true, 0],
  ['qwen3', 'high', true, 1],
  ['qwen3', 'low', true, 1],
  ['gpt-oss:20b', 'high', 'high', 0],
  ['library/gpt-oss', 'low', 'low', 0],
  ['gpt-oss:120b-cloud', 'none', 'low', 1],
  ['not-gpt-ossian', 'medium', true, 0],
] as const)('settings: reasoning of %s at %s is sent as think: %s', (model, reasoning, think, warned) => {
  const { body, warnings } = send({ settings: { reasoning } }, { model })
  expect(body['think']).toBe(think)
  expect(warnings.map(({ type, path }) => `${type} ${path}`)).toEqual(
    warned === 0 ? [] : ['coerced settings.reasoning'],
  )
})

test('settings: what the server cannot do is said where it was asked for', () => {
  const { warnings } = send({ settings: { parallelToolCalls: false }, tools: [{ ...weather, strict: true }] })
  expect(warnings.map(({ type, path }) => `${type} ${path}`).toSorted()).toEqual([
    'coerced tools[0].strict',
    'unsupported settings.parallelToolCalls',
  ])
})

const optionsOf = (ollama: Record<string, unknown>, more: Partial<TurnRequest> = {}) =>
  send({ providerOptions: { ollama, openai: { store: true } }, ...more })

test('providerOptions.ollama wins over settings, also inside an `options` object', () => {
  const settings = { temperature: 0.1, topK: 5, reasoning: 'none' } as const
  const { body } = optionsOf({ options: { temperature: 1 }, top_k: 50, think: true }, { settings })
  expect(body).toMatchObject({ think: true, options: { temperature: 1, top_k: 50 } })
})

test('providerOptions.ollama may hold objects, and an `options` that is none', () => {
  const given = { options: 'x', novelty: { a: 1 } }
  expect(optionsOf(given).body['options']).toEqual(given)
})

test('providerOptions.ollama cannot change the model, the messages, the tools or `stream`', () => {
  const { body, warnings } = optionsOf({ model: 'x', messages: [], stream: true, tools: 'all', num_ctx: undefined })
  expect(body).toMatchObject({ model: 'qwen3', stream: false, messages: [{}] })
  expect(body).not.toHaveProperty('options')
  expect(warnings.map(({ path }) => path)).toEqual([
    'providerOptions.model',
    'providerOptions.messages',
    'providerOptions.stream',
    'providerOptions.tools',
  ])
})

test('tools have a schema that fits the types of the server, which refuses others', () => {
  const inputSchema = {
    type: ['object', 'null'],
    required: ['a', 1],
    additionalProperties: false,
    properties: {
      a: true,
      b: { type: 'object', properties: { c: false, d: { type: 'string' } } },
      e: { anyOf: [true, { type: 'null' }] },
      f: { anyOf: 'odd' },
    },
  }
  const { body } = send({ tools: [{ type: 'function', name: 'odd', inputSchema }] })
  const parameters = {
    type: 'object',
    required: ['a'],
    additionalProperties: false,
    properties: {
      a: {},
      b: { type: 'object', properties: { c: {}, d: { type: 'string' } } },
      e: { anyOf: [{}, { type: 'null' }] },
      f: {},
    },
  }
  expect(body['tools']).toEqual([{ type: 'function', function: { name: 'odd', parameters } }])
  const bare = send({ tools: [{ type: 'function', name: 'bare', inputSchema: { required: 'a' } }] }).body['tools']
  expect(bare).toEqual([
    { type: 'function', function: { name: 'bare', parameters: { type: 'object', properties: {} } } },
  ])
})

test.each(['required', { type: 'tool', toolName: 'get_weather' }] as const)(
  'tools cannot be forced: %j is coerced',
  (toolChoice) => {
    const { body, warnings } = send({ tools: [weather], toolChoice })
    expect(body['tools']).toHaveLength(1)
    expect(body).not.toHaveProperty('tool_choice')
    expect(warnings).toMatchObject([{ type: 'coerced', path: 'toolChoice' }])
    expect(send({ tools: [weather], toolChoice: 'auto' }).warnings).toEqual([])
    const none = send({ tools: [weather], toolChoice: 'none' })
    expect(none.body).not.toHaveProperty('tools')
    expect(none.warnings).toEqual([])
  },
)

const schema = { type: 'object', properties: { city: { type: 'string' } } }

test('a response format gives way to the caller’s own', () => {
  const request = { responseFormat: { name: 'answer', schema }, providerOptions: { ollama: { format: 'json' } } }
  const { body, text } = send(request)
  expect(body['format']).toBe('json')
  expect(text.split('"format"')).toHaveLength(2)
})
