import { expect, test } from 'vitest'
import { encoded, question, requestOf, origin } from './testing.ts'
import { openaiResponses } from './wire.ts'

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { type: 'function', name: 'weather', description: 'Weather.', inputSchema } as const
const search = { type: 'provider', provider: 'openai', name: 'search', definition: { type: 'web_search' } } as const

test('state: a response that the caller names is gone on from, with the whole history behind it', () => {
  const { body } = encoded({ providerOptions: { openai: { previous_response_id: 'resp_0' } } }, { store: true })
  expect(body).toMatchObject({ previous_response_id: 'resp_0', input: [question] })
  const none = encoded({ providerOptions: { openai: { previous_response_id: null } } })
  expect(none.body).not.toHaveProperty('previous_response_id')
})

test('state: what goes into a conversation of the caller’s is stored there, and names no response before it', () => {
  const continuation = { responseId: 'resp_1', from: 1 }
  const providerOptions = { openai: { conversation: 'conv_1' } }
  const { body } = encoded({ messages: [question, question], providerOptions, continuation })
  expect(body).toMatchObject({ conversation: 'conv_1', store: true, input: [question] })
  expect(body).not.toHaveProperty('previous_response_id')
})

test('settings become the fields of the API', () => {
  const settings = { maxOutputTokens: 9, temperature: 0.1, topP: 0.2, parallelToolCalls: false }
  const { body, warnings } = encoded({ settings, tools: [weather] }, { model: 'gpt-4o' })
  expect(body).toMatchObject({ max_output_tokens: 9, temperature: 0.1, top_p: 0.2, parallel_tool_calls: false })
  expect(warnings).toEqual([])
})

test('settings of sampling are not sent to a model that reasons', () => {
  const thinking = encoded({ settings: { temperature: 0.1, topP: 0.2, reasoning: 'high' } })
  expect(thinking.body).toMatchObject({ reasoning: { effort: 'high' } })
  expect(thinking.body).not.toHaveProperty('temperature')
  expect(thinking.body).not.toHaveProperty('top_p')
  expect(thinking.warnings).toMatchObject([{ path: 'settings.temperature' }, { path: 'settings.topP' }])
  expect(encoded({ settings: { temperature: 0.1, reasoning: 'none' } }).body).toMatchObject({ temperature: 0.1 })
})

test('settings of reasoning are reported for models that do not reason', () => {
  const { body, warnings } = encoded({ settings: { reasoning: 'low' } }, { model: 'gpt-4o' })
  expect(body).not.toHaveProperty('reasoning')
  expect(warnings).toMatchObject([{ path: 'settings.reasoning' }])
  expect(encoded({ settings: { reasoning: 'none' } }, { model: 'gpt-4o' }).warnings).toEqual([])
})

test('provider options are united with what the adapter sets in include, reasoning, text and tools', () => {
  const providerOptions = {
    openai: {
      include: ['web_search_call.action.sources'],
      reasoning: { summary: 'auto' },
      text: { verbosity: 'low' },
      tools: [{ type: 'code_interpreter' }],
    },
  }
  const responseFormat = { name: 'city', schema: inputSchema }
  const { body, text } = encoded({ settings: { reasoning: 'low' }, providerOptions, responseFormat, tools: [search] })
  expect(text.match(/"tools":/g)).toHaveLength(1)
  expect(encoded({ providerOptions: { openai: { tools: 'all' } } }).warnings).toMatchObject([{ type: 'dropped' }])
  expect(body).toMatchObject({
    include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
    reasoning: { effort: 'low', summary: 'auto' },
    text: { verbosity: 'low', format: { type: 'json_schema', name: 'city' } },
    tools: [{ type: 'web_search' }, { type: 'code_interpreter' }],
  })
})

test('provider options that cannot be united with what the adapter sets go in its place', () => {
  const own = { include: 'all', reasoning: null, metadata: { a: 1 } }
  const { body } = encoded({ settings: { reasoning: 'low' }, providerOptions: { openai: own } })
  expect(body).toMatchObject(own)
})

test('provider options that are written to are sent as they are at each request', () => {
  const wire = openaiResponses(origin)
  const openai = { user: 'one' }
  const request = requestOf({ providerOptions: { openai } })
  const sent = ['one', 'two'].map((user) => {
    openai.user = user
    return (JSON.parse(wire.encode(request, 'generate').body) as { readonly user: unknown }).user
  })
  expect(sent).toEqual(['one', 'two'])
})

test('provider options cannot replace input and stream, and say so', () => {
  const { body, warnings } = encoded({ providerOptions: { openai: { input: 'x', stream: true } } })
  expect(body).not.toHaveProperty('stream')
  expect(body['input']).toEqual([question])
  expect(warnings.map((warning) => warning.path)).toEqual([
    'providerOptions.openai.input',
    'providerOptions.openai.stream',
  ])
})

test('provider options may ask for background work only in a stream', () => {
  const fields = { providerOptions: { openai: { background: true } } }
  expect(() => encoded(fields)).toThrow(/background/)
  expect(encoded(fields, {}, 'stream').body).toMatchObject({ background: true, stream: true })
})

test('tools are strict on wish with closed objects, and the wish is dropped with a warning where it cannot be met', () => {
  const { body, warnings } = encoded({
    tools: [
      { ...weather, strict: true },
      { ...weather, name: 'open', strict: true, inputSchema: { ...inputSchema, required: [] } },
    ],
  })
  expect(body['tools']).toMatchObject([
    { strict: true, parameters: { additionalProperties: false } },
    { strict: false },
  ])
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'tools[1].strict' }])
})

test.each([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  [
    { type: 'tool', toolName: 'weather' },
    { type: 'function', name: 'weather' },
  ],
  [{ type: 'tool', toolName: 'search' }, { type: 'web_search' }],
  [
    { type: 'tool', toolName: 'query' },
    { type: 'custom', name: 'sql' },
  ],
  [
    { type: 'tool', toolName: 'docs' },
    { type: 'mcp', server_label: 'd' },
  ],
] as const)('tools are chosen by %j', (toolChoice, expected) => {
  const query = { ...search, name: 'query', definition: { type: 'custom', name: 'sql' } }
  const docs = { ...search, name: 'docs', definition: { type: 'mcp', server_label: 'd' } }
  expect(encoded({ tools: [weather, search, query, docs], toolChoice }).body['tool_choice']).toEqual(expected)
})

test('tools are chosen by `auto`, with a warning, where the dialect honours nothing else', () => {
  const { body, warnings } = encoded({ tools: [weather], toolChoice: 'required' }, { toolChoice: ['auto', 'none'] })
  expect(body['tool_choice']).toBe('auto')
  const one = {
    tools: [weather],
    toolChoice: { type: 'tool', toolName: 'weather' },
    settings: { parallelToolCalls: false },
  } as const
  expect(encoded(one, { toolChoice: ['tool'] }).body['tool_choice']).toMatchObject({ name: 'weather' })
  expect(encoded(one, { toolChoice: ['auto'] }).body).toMatchObject({ tool_choice: 'auto', parallel_tool_calls: false })
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'toolChoice' }])
  const honoured = encoded({ tools: [weather], toolChoice: 'none' }, { toolChoice: ['auto', 'none'] })
  expect(honoured.body['tool_choice']).toBe('none')
})

test('structured output is strict where the schema allows it', () => {
  const description = 'A city'
  const { body, warnings } = encoded({ responseFormat: { name: 'city', description, schema: inputSchema } })
  expect(body['text']).toEqual({
    format: {
      type: 'json_schema',
      name: 'city',
      description,
      schema: { ...inputSchema, additionalProperties: false },
      strict: true,
    },
  })
  expect(warnings).toEqual([])
})

test('structured output is asked for without enforcement, with a warning, where strict mode cannot express the schema', () => {
  const { body, warnings } = encoded({ responseFormat: { name: 'city', schema: { ...inputSchema, required: [] } } })
  expect(body['text']).toMatchObject({ format: { strict: false, schema: { required: [] } } })
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'responseFormat.schema' }])
})

test('a dialect may want the system prompt as a message, and has fields left out', () => {
  expect(encoded({ instructions: 'Be brief.' }).body).toMatchObject({ instructions: 'Be brief.', input: [question] })
  const { body } = encoded({ instructions: 'Be brief.' }, { instructions: 'message', omit: ['store'] })
  expect(body).not.toHaveProperty('instructions')
  expect(body).not.toHaveProperty('store')
  expect(body['input']).toEqual([{ role: 'system', content: 'Be brief.' }, question])
})

test('the body of a turn repeats the warnings of what it sends again', () => {
  const wire = openaiResponses(origin)
  const request = requestOf({ settings: { seed: 1 }, tools: [{ ...search, provider: 'x' }] })
  expect(wire.encode(request, 'stream').warnings).toMatchObject([
    { path: 'settings.seed' },
    { path: 'tools[0]', message: expect.stringContaining("'search' is a tool of 'x', not of 'openai'") },
  ])
  expect(wire.encode(request, 'stream').warnings).toHaveLength(2)
})
