import { expect, test } from 'vitest'
import type { FunctionToolDefinition } from '@steploop/core/adapter'
import { assistant, question, send } from './testing.ts'

const weather: FunctionToolDefinition = {
  type: 'function',
  name: 'get_weather',
  description: 'Weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const strictWeather = { ...weather, strict: true }

test('settings have the names of the API', () => {
  const settings = {
    maxOutputTokens: 9,
    temperature: 0,
    topP: 0.5,
    topK: 3,
    frequencyPenalty: 0.1,
    stopSequences: ['END'],
    seed: 7,
    reasoning: 'none',
  } as const
  const { body, warnings } = send({ settings })
  expect(body).toMatchObject({
    max_tokens: 9,
    temperature: 0,
    p: 0.5,
    k: 3,
    frequency_penalty: 0.1,
    stop_sequences: ['END'],
    seed: 7,
    thinking: { type: 'disabled' },
  })
  expect(warnings).toEqual([])
})

test.each([
  [{ presencePenalty: 0.1, frequencyPenalty: 0.1 }, 'settings.presencePenalty'],
  [{ stopSequences: 'a b c d e f'.split(' ') }, 'settings.stopSequences'],
  [{ parallelToolCalls: false }, 'settings.parallelToolCalls'],
  [{ reasoning: 'high' }, 'settings.reasoning'],
  [{ reasoning: 'medium' }],
  [{ stopSequences: 'a b c d e'.split(' ') }],
] as const)('what Cohere refuses of the settings is said: %j', (settings, ...paths) => {
  const { warnings, body } = send({ settings })
  expect(warnings.map((warning) => warning.path)).toEqual(paths)
  expect(body['presence_penalty']).toBeUndefined()
  expect(body['stop_sequences'] ?? []).not.toHaveLength(6)
})

test.each([
  ['none', 'NONE', 0],
  ['required', 'REQUIRED', 0],
  ['auto', undefined, 0],
  [{ type: 'tool', toolName: 'get_weather' }, undefined, 1],
] as const)('tools: the choice %j is %j', (toolChoice, sent, count) => {
  const { body, warnings } = send({ tools: [weather], toolChoice })
  expect(body['tool_choice']).toBe(sent)
  expect(warnings).toHaveLength(count)
  expect(send({ toolChoice }).body).not.toHaveProperty('tool_choice')
  expect(send({ tools: [], toolChoice }).body).not.toHaveProperty('tool_choice')
})

test('tools whose names Cohere does not take have names of their own, with a warning for each', () => {
  const given = ['1st', '2nd', '_1st', '1'.repeat(64), `${'a'.repeat(64)}.`, 'a.b']
  const { body, warnings } = send({ tools: given.map((name) => ({ ...weather, name })) })
  const names = (body['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name)
  expect(new Set(names).size).toBe(given.length)
  expect(names).toContain('_1st')
  expect(warnings.map(({ path }) => path)).toEqual([0, 1, 3, 4, 5].map((index) => `tools[${index}].name`))
  for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/)
})

test('tools are strict when all of them are', () => {
  expect(send({ tools: [strictWeather] }).body['strict_tools']).toBe(true)
  const optional = { ...strictWeather, name: 'get_time', inputSchema: { type: 'object', properties: { tz: {} } } }
  const search = { type: 'provider', provider: 'openai', name: 'search', definition: {} } as const
  const none = { ...strictWeather, name: 'ping', inputSchema: { type: 'object' } }
  for (const more of [{ ...weather, name: 'get_time' }, optional]) {
    const { body, warnings } = send({ tools: [strictWeather, more] })
    expect(body).not.toHaveProperty('strict_tools')
    expect(warnings[0]).toMatchObject({ type: 'coerced', path: 'tools[0].strict' })
  }
  expect(send({ tools: [strictWeather, none, search] }).body['strict_tools']).toBe(true)
  expect(send({ tools: [weather] }).body).not.toHaveProperty('strict_tools')
})

test('a strict tool goes without what Cohere refuses of a schema, with a warning', () => {
  const city = { type: 'string', minLength: 1 }
  const inputSchema = { type: 'object', properties: { city }, required: ['city'] }
  const own = { ...weather, inputSchema, providerOptions: { cohere: { beta: true } } }
  const { body, warnings } = send({ tools: [{ ...own, strict: true }] })
  const expected = { ...inputSchema, properties: { city: { type: 'string' } } }
  expect(body['tools']).toMatchObject([{ beta: true, type: 'function', function: { parameters: expected } }])
  expect(body).not.toHaveProperty(['tools', 0, 'function', 'parameters', 'properties', 'city', 'minLength'])
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'tools[0].inputSchema' }])
  expect(send({ tools: [own] }).body).toMatchObject({ tools: [{ function: { parameters: inputSchema } }] })
})

test('options of the caller go into the body, except for what the turn decides', () => {
  const documents = [{ id: 'doc:0', data: { text: 'By Matz.' } }]
  const { body, warnings } = send({
    providerOptions: { cohere: { documents, model: 'x', messages: [], stream: 1, tools: {} }, openai: { a: 1 } },
  })
  expect(body).toMatchObject({ documents, model: 'command-a-03-2025', messages: [question] })
  expect(body).not.toHaveProperty('a')
  expect(warnings).toMatchObject(
    ['model', 'messages', 'stream', 'tools'].map((name) => ({ path: `providerOptions.${name}` })),
  )
})

test('options of the caller: tools go behind those of the turn, a format replaces its own, and what is undefined is not set', () => {
  const more = { type: 'function', function: { name: 'ping' } }
  const cohere = { tools: [more], response_format: { type: 'text' }, p: undefined, model: undefined }
  const responseFormat = { name: 'answer', schema: { type: 'object' } }
  const { body, warnings } = send({
    providerOptions: { cohere },
    tools: [weather],
    settings: { topP: 0.5 },
    responseFormat,
  })
  expect(body).toMatchObject({
    p: 0.5,
    response_format: { type: 'text' },
    tools: [{ function: { name: 'get_weather' } }, more],
  })
  expect(warnings).toEqual([])
})

test('a schema for the answer goes without what Cohere refuses, with a warning', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      when: { type: 'string', format: 'date' },
      mail: { type: 'string', format: 'email', pattern: '^a' },
      sizes: { type: 'array', minItems: 1, items: { type: 'number', minimum: 0 } },
    },
    required: ['when'],
    additionalProperties: false,
  }
  const { body, warnings } = send({ responseFormat: { name: 'answer', schema } })
  expect(body['response_format']).toEqual({
    type: 'json_object',
    json_schema: {
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date' },
        mail: { type: 'string' },
        sizes: { type: 'array', items: { type: 'number' } },
      },
      required: ['when'],
    },
  })
  expect(warnings).toHaveLength(1)
  expect(warnings[0]?.message).toContain('enforce format, pattern, minItems, minimum, additionalProperties')
})

test.each([
  ...'anyOf allOf oneOf not minimum maximum exclusiveMinimum exclusiveMaximum'.split(' '),
  ...'minItems maxItems minLength maxLength uniqueItems additionalProperties'.split(' '),
])('a schema for the answer goes without %s, wherever it stands, and one warning names it', (name) => {
  const part = { type: 'string', [name]: 1 }
  const places = { items: part, properties: { a: part, b: true }, $defs: { c: part }, definitions: { d: part } }
  const { body, warnings } = send({ responseFormat: { name: 'answer', schema: { type: 'object', ...places } } })
  expect(JSON.stringify(body['response_format'])).not.toContain(name)
  expect(body).toMatchObject({ response_format: { json_schema: { properties: { b: true } } } })
  expect(warnings).toMatchObject([{ path: 'responseFormat.schema' }])
  expect(warnings[0]?.message).toContain(name)
})

test.each([
  { format: 'date-time' },
  { format: 'uuid' },
  { format: 'date' },
  { format: 'time' },
  { pattern: '[a-z]+' },
  { enum: ['a'], description: 'A', $ref: '#/$defs/a' },
  { items: true, default: { minItems: 1 } },
])('a schema for the answer keeps %j', (schema) => {
  const { body, warnings } = send({ responseFormat: { name: 'answer', schema } })
  expect(body['response_format']).toEqual({ type: 'json_object', json_schema: schema })
  expect(warnings).toEqual([])
})

test.each([
  [198, true],
  [199, undefined],
])('tools are strict with at most 200 parameters, deep ones counted: %d beside two', (count, isStrict) => {
  const many = Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, {}]))
  const list = { type: 'array', items: { type: 'object', properties: many } }
  const inputSchema = { type: 'object', properties: { list, more: {} }, required: ['list'] }
  expect(send({ tools: [{ ...strictWeather, inputSchema }] }).body['strict_tools']).toBe(isStrict)
})

test('messages of which nothing is left are left out', () => {
  for (const type of ['text', 'reasoning'] as const) {
    expect(send({ messages: [question, assistant([{ type, text: '' }]), question] }).messages).toHaveLength(2)
  }
})

test('messages: results name their call, and each text of one is a source of its own', () => {
  const part = (text: string) => ({ type: 'text', text }) as const
  const image = { type: 'file', mediaType: 'image/png', data: 'aGk=' } as const
  const value = [part('A'), part('B'), image]
  const result = { type: 'tool-result', toolCallId: 'w_1', toolName: 'get_weather' } as const
  const { messages, warnings } = send({
    messages: [
      question,
      assistant([
        { type: 'tool-call', toolCallId: 'w_1', toolName: 'get_weather', input: {}, inputText: '{}', owner: 'loop' },
      ]),
      { role: 'tool', content: [{ ...result, output: { type: 'content', value } }] },
    ],
  })
  expect(messages[2]).toEqual({
    role: 'tool',
    tool_call_id: 'w_1',
    content: [part('A'), part('B'), part('[image/png file, not shown]')],
  })
  expect(warnings).toHaveLength(1)
})
