import type { Message, ToolDefinition } from '@steploop/core/adapter'
import { expect, it } from 'vitest'
import { encoded, requestOf, origin } from './testing.ts'
import { wireToolName } from './names.ts'
import { anthropicMessages } from './wire.ts'

const schema = { type: 'object', properties: { city: { type: 'string', minLength: 2 } }, required: ['city'] }
const weather: ToolDefinition = { type: 'function', name: 'weather', description: 'Tells', inputSchema: schema }
const search: ToolDefinition = {
  type: 'provider',
  provider: 'anthropic',
  name: 'web_search',
  definition: { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
}

it.each([
  ['claude-3-haiku-20240307', 4096],
  ['claude-3-5-sonnet-latest', 8192],
  ['claude-3-7-sonnet-20250219', 32_000],
  ['claude-opus-4-20250514', 32_000],
  ['claude-haiku-4-5', 64_000],
  ['eu.anthropic.claude-opus-4-8', 64_000],
  ['someone-elses-model', 8192],
])('the body asks %s for at most %i tokens unless told otherwise', (model, limit) => {
  expect(encoded({}, model).body['max_tokens']).toBe(limit)
  expect(encoded({ settings: { maxOutputTokens: 7 } }, model).body['max_tokens']).toBe(7)
})

it('the body goes to /messages with the version and the betas of factory and request', () => {
  const wire = anthropicMessages({ ...origin, betas: ['one'] })
  const request = requestOf({ providerOptions: { anthropic: { betas: ['two', 'one'] } } })
  expect(wire.encode(request, 'generate')).toMatchObject({
    path: '/messages',
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'one,two' },
  })
  expect(encoded({}).headers).not.toHaveProperty('anthropic-beta')
})

it('the body takes provider options at its top level; they win over settings, and those of others are not looked at', () => {
  const providerOptions = {
    anthropic: { metadata: { user_id: 'u' }, temperature: 0.5, output_config: { effort: 'low' } },
    openai: { store: true },
  }
  const { body } = encoded({ settings: { temperature: 0.1 }, providerOptions })
  expect(body).toMatchObject({ metadata: { user_id: 'u' }, temperature: 0.5, output_config: { effort: 'low' } })
  expect(body).not.toHaveProperty('store')
})

it('the body keeps messages and stream to the loop, with a warning', () => {
  const hidden = JSON.parse('{"__proto__":{"messages":[],"model":"other"}}') as object
  const anthropic = { ...hidden, messages: [], stream: true, format: () => 'no JSON' }
  const { body, warnings } = encoded({ providerOptions: { anthropic } })
  expect(body).toMatchObject({ stream: false, messages: [{ role: 'user' }], model: encoded({}).body['model'] })
  expect(warnings.map((warning) => warning.path)).toEqual(['providerOptions.messages', 'providerOptions.stream'])
})

it.each(['anyOf', 'oneOf', 'allOf'])('tools with %s at the root of the schema are warned of', (choice) => {
  const inputSchema = { type: 'object', [choice]: [{ required: ['a'] }, { required: ['b'] }] }
  const { warnings } = encoded({ tools: [{ type: 'function', name: 'a', inputSchema }] })
  expect(warnings).toMatchObject([{ type: 'unsupported', path: 'tools[0].inputSchema' }])
})

it('tool choice carries the wish for one call at a time', () => {
  const settings = { parallelToolCalls: false }
  const single = { disable_parallel_tool_use: true }
  expect(encoded({ tools: [weather], settings }).body['tool_choice']).toEqual({ type: 'auto', ...single })
  expect(encoded({ tools: [weather], settings, toolChoice: 'required' }).body['tool_choice']).toEqual({
    type: 'any',
    ...single,
  })
  expect(encoded({ tools: [weather], settings, toolChoice: 'none' }).body['tool_choice']).toEqual({ type: 'none' })
})

it('tool choice: one tool is named as it is called on the wire', () => {
  const tools = [{ ...weather, name: 'get weather' }]
  const toolChoice = { type: 'tool', toolName: 'get weather' } as const
  const name = wireToolName('get weather')
  expect(encoded({ tools: [weather], toolChoice: 'auto' }).body.tool_choice).toEqual({ type: 'auto' })
  const { body, warnings } = encoded({ tools, toolChoice, settings: { parallelToolCalls: false } })
  expect(body.tool_choice).toEqual({ type: 'tool', name, disable_parallel_tool_use: true })
  expect(warnings).toEqual([
    { type: 'coerced', path: 'tools[0].name', message: expect.stringContaining(`\`get weather\` is called ${name}`) },
  ])
  const forced = { tools, toolChoice, settings: { parallelToolCalls: false, reasoning: 'low' } } as const
  expect(encoded(forced).body.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true })
})

it('tools hold what the application adds to them, and those of other providers are left out with a warning', () => {
  const own = { ...weather, inputSchema: {}, providerOptions: { anthropic: { defer_loading: true } } }
  const { body, warnings } = encoded({ tools: [own, { ...search, provider: 'openai' }] })
  expect(body.tools).toEqual([expect.objectContaining({ defer_loading: true, input_schema: { type: 'object' } })])
  expect(warnings).toMatchObject([{ type: 'dropped', message: '`web_search` is a tool of openai; it is left out.' }])
  expect(encoded({ providerOptions: { anthropic: { tools: 'all' } } }).warnings).toMatchObject([{ type: 'dropped' }])
})

it('messages and stream are the turn’s, and betas are words', () => {
  const { body, warnings, headers } = encoded({
    providerOptions: { anthropic: { messages: [], stream: true, betas: ['one', 5] } },
  })
  expect(body).toMatchObject({ messages: [{ role: 'user' }], stream: false })
  expect(warnings.map(({ path }) => path)).toEqual(['providerOptions.messages', 'providerOptions.stream'])
  expect(headers['anthropic-beta']).toBe('one')
})

it('names are as long as the API takes them', () => {
  expect(encoded({ tools: [{ ...weather, name: 'x'.repeat(128) }] }).body.tools[0].name).toHaveLength(128)
  expect(encoded({ tools: [{ ...weather, name: 'x'.repeat(200) }] }).body.tools[0].name.length).toBeLessThanOrEqual(128)
})

it('an answer is as long as the caller’s own member of the body says', () => {
  const request = { settings: { maxOutputTokens: 9000, reasoning: 'high' } } as const
  const { body } = encoded({ ...request, providerOptions: { anthropic: { max_tokens: 4000 } } })
  expect(body).toMatchObject({ max_tokens: 4000, thinking: { budget_tokens: 3000 } })
})

it('tool choice: forced together with adaptive thinking stays', () => {
  const request = { tools: [weather], toolChoice: 'required', settings: { reasoning: 'low' } } as const
  expect(encoded(request, 'claude-opus-4-6').body['tool_choice']).toEqual({ type: 'any' })
})

it.each([
  ['claude-opus-5-4', 'any'],
  ['claude-opus-5-5', 'auto'],
  ['claude-sonnet-5-5', 'any'],
  ['claude-mythos-preview', 'any'],
  ['claude-fable-5', 'any'],
  ['claude-fable-5-1', 'auto'],
])('tool choice: forced on %s is %s, with a warning where the model refuses to be forced', (model, type) => {
  const { body, warnings } = encoded({ tools: [weather], toolChoice: 'required' }, model)
  expect(body['tool_choice']).toEqual({ type })
  expect(warnings.map(({ path }) => path)).toEqual(type === 'any' ? [] : ['toolChoice'])
})

const mark = { type: 'ephemeral' }
const cached = (cacheControl: unknown): object => ({ providerOptions: { anthropic: { cacheControl } } })

it('cache switches in general go to the top level of the body', () => {
  expect(encoded(cached(true)).body['cache_control']).toEqual(mark)
  expect(encoded(cached({ ttl: '1h' })).body['cache_control']).toEqual({ ...mark, ttl: '1h' })
  // As the API writes it.
  expect(encoded(cached(mark)).body['cache_control']).toEqual(mark)
  expect(encoded(cached(false)).body).not.toHaveProperty('cache_control')
  expect(encoded(cached({ ttl: '5m' })).body['cache_control']).toEqual({ ...mark, ttl: '5m' })
  for (const option of ['on', { ttl: '2h', messages: true }]) {
    expect(encoded(cached(option)).warnings).toMatchObject([{ path: 'providerOptions.cacheControl' }])
  }
  expect(encoded(cached({ system: true })).warnings).toEqual([])
})

it('cache switches by position mark the last block of system, tools and messages, on every turn', () => {
  const wire = anthropicMessages(origin)
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const tools = [weather, search]
  const options = cached({ system: true, tools: { ttl: '1h' }, messages: true })
  const body = () =>
    JSON.parse(wire.encode(requestOf({ messages, tools, instructions: 'Be brief', ...options }), 'stream').body)
  const first = body()
  expect(first.system).toEqual([{ type: 'text', text: 'Be brief', cache_control: mark }])
  expect(first.tools[0]).not.toHaveProperty('cache_control')
  expect(first.tools[1]).toMatchObject({ name: 'web_search', cache_control: { ...mark, ttl: '1h' } })
  expect(first.messages[0].content).toEqual([{ type: 'text', text: 'Hello', cache_control: mark }])
  messages.push({ role: 'user', content: 'More' })
  expect(body().messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    { role: 'user', content: [{ type: 'text', text: 'More', cache_control: mark }] },
  ])
})

it('cache switches by position mark a late system message as well, and nothing where nothing is sent', () => {
  const late = [requestOf().messages[0]!, { role: 'system', content: 'Hurry.' }] as const
  const { body } = encoded({ messages: late, ...cached({ messages: true }) })
  expect(body.messages[1].content).toMatchObject([{ type: 'text', cache_control: mark }])
  const messages = [{ role: 'user', content: ' ' }] as const
  expect(encoded({ messages, ...cached({ messages: true }) }).body.messages).toEqual([])
})

it.each<Message>([
  { role: 'assistant', content: [] },
  { role: 'user', content: [] },
  { role: 'user', content: ' ' },
  { role: 'user', content: [{ type: 'text', text: ' ' }] },
])('cache switches leave a thought alone behind which nothing is sent: %j', (last) => {
  const thought = { type: 'reasoning', text: 'Hm', providerMetadata: { ...origin, data: { signature: 's' } } } as const
  const messages = [...requestOf().messages, { role: 'assistant', ...origin, content: [thought] } as const, last]
  const { body } = encoded({ messages, ...cached({ messages: true }) })
  expect(body.messages[1].content).toEqual([{ type: 'thinking', thinking: 'Hm', signature: 's' }])
})

it('cache switches leave a mark of the application alone', () => {
  const wire = { ...origin, data: { cache_control: { ...mark, ttl: '1h' } } }
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello', providerMetadata: wire }] }] as const
  const tool: ToolDefinition = {
    ...search,
    definition: { name: 'web_search', cache_control: { ...mark, ttl: '1h' } },
  }
  const { text } = encoded({ messages, tools: [tool], ...cached({ tools: true, messages: true }) })
  expect(text.match(/cache_control/g)).toHaveLength(2)
  const last = encoded({ tools: [weather, tool], ...cached({ tools: true }) })
  expect(last.text.match(/cache_control/g)).toHaveLength(1)
  const own = { ...weather, providerOptions: { anthropic: { cache_control: mark } } }
  expect(encoded({ tools: [own], ...cached({ tools: true }) }).text.match(/cache_control/g)).toHaveLength(1)
  const plain = encoded({ tools: [tool, weather], ...cached({ tools: true }) })
  expect(plain.body.tools[1]).toMatchObject({ cache_control: mark })
})

it('cache switches mark the last tool and message, whatever the first ones have', () => {
  const metadata = { ...origin, data: { cache_control: mark } }
  const first = { role: 'user', content: [{ type: 'text', text: 'A', providerMetadata: metadata }] } as const
  const tools = [{ name: 'one', cache_control: mark }, { name: 'two' }]
  const providerOptions = { anthropic: { cacheControl: { tools: true, messages: true }, tools } }
  const { body } = encoded({ messages: [first, { role: 'user', content: 'B' }], providerOptions })
  expect(body['tools'][1]).toEqual({ name: 'two', cache_control: mark })
  expect(body['messages'][1]['content']).toEqual([{ type: 'text', text: 'B', cache_control: mark }])
  const left = encoded({
    tools: [weather],
    providerOptions: { anthropic: { cacheControl: { tools: true }, tools: tools.slice(0, 1) } },
  })
  expect(left.body['tools'][1]).toEqual(tools[0])
})

it.each<[string, Message['content'], Message['role'], number]>([
  [
    'a thought',
    [{ type: 'reasoning', text: 'Hm', providerMetadata: { ...origin, data: { signature: 's' } } }],
    'assistant',
    0,
  ],
  [
    'a block of the API',
    [{ type: 'opaque', providerMetadata: { ...origin, data: { type: 'new', a: [{}] } } }],
    'assistant',
    0,
  ],
  ['an answer', [{ type: 'text', text: 'B' }], 'assistant', 1],
  [
    'a blank text after a thought',
    [
      { type: 'reasoning', text: 'Hm', providerMetadata: { ...origin, data: { signature: 's' } } },
      { type: 'text', text: ' ' },
    ],
    'assistant',
    0,
  ],
  [
    'an answer after a thought',
    [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'B' },
    ],
    'assistant',
    1,
  ],
  ['a question without anything in it', [], 'user', 1],
  ['a question of parts', [{ type: 'text', text: 'B' }], 'user', 1],
])('cache switches: %s as the last block', (_, content, role, marks) => {
  const message = { role, content, ...origin } as Message
  const { text } = encoded({ messages: [{ role: 'user', content: 'A' }, message], ...cached({ messages: true }) })
  expect(text.split('cache_control')).toHaveLength(marks + 1)
})

it('switches of ours are no members of the body', () => {
  const providerOptions = { anthropic: { cacheControl: true, reuseContainer: true, betas: ['one'] } }
  const { body } = encoded({ providerOptions })
  expect(Object.keys(body).toSorted()).toEqual(['cache_control', 'max_tokens', 'messages', 'model', 'stream'])
})

it('cache switches that make no sense are warned of', () => {
  expect(encoded(cached('yes')).warnings).toMatchObject([{ type: 'unsupported', path: 'providerOptions.cacheControl' }])
  expect(encoded(cached({ prompts: true })).warnings).toHaveLength(1)
})

it('structured output is asked for by schema, beside the effort, with a warning for what cannot be enforced', () => {
  const responseFormat = { name: 'answer', schema }
  const { body, warnings } = encoded({ responseFormat, settings: { reasoning: 'high' } }, 'claude-opus-4-6')
  expect(body['output_config']).toMatchObject({
    effort: 'high',
    format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false, required: ['city'] } },
  })
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'responseFormat.schema.properties.city' }])
})

it('structured output that the caller sets to null is not the caller’s', () => {
  const providerOptions = { anthropic: { output_config: { format: null } } }
  const { body } = encoded({ responseFormat: { name: 'answer', schema }, providerOptions })
  expect(body['output_config']).toMatchObject({ format: { type: 'json_schema' } })
})

it('structured output: an `output_config` in providerOptions wins over that of the response format', () => {
  const format = { type: 'json_schema', schema: { type: 'object' } }
  const providerOptions = { anthropic: { output_config: { format } } }
  expect(encoded({ responseFormat: { name: 'answer', schema }, providerOptions }).body['output_config']).toEqual({
    format,
  })
})
