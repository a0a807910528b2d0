import { expect, test } from 'vitest'
import type { AssistantPart, FunctionToolDefinition, Message, ToolOutput } from '@steploop/core/adapter'
import { isSameFamily } from './model-traits.ts'
import { wireToolName } from './names.ts'
import { origin, send } from './testing.ts'

const nova = 'amazon.nova-lite-v1:0'
const weather: FunctionToolDefinition = {
  type: 'function',
  name: 'get_weather',
  description: '',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content: readonly AssistantPart[], provider = origin.provider): Message => ({
  role: 'assistant',
  content,
  provider,
  model: origin.model,
})
const call = (toolCallId: string): AssistantPart => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'get_weather',
  input: { city: 'Zürich' },
  inputText: '{"city":"Zürich"}',
  owner: 'loop',
})
const result = (toolCallId: string, output: ToolOutput): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'get_weather', output }],
})

test.each([
  ['us.meta.llama3-3-70b-instruct-v1:0', 'meta.llama4-scout-17b-instruct-v1:0', true],
  ['us.deepseek.r1-v1:0', 'eu.meta.llama3-3-70b-instruct-v1:0', false],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic.claude-opus-4-1-20250805-v1:0', true],
  ['openai.gpt-oss-120b-1:0', 'openai.other-1:0', false],
])('whether %s and %s are of one family, whatever the region: %j', (one, other, expected) => {
  expect([isSameFamily(one, other), isSameFamily(other, one)]).toEqual([expected, expected])
})

test('a name that is too long is cut to what the API takes', () => {
  expect(wireToolName('a'.repeat(80))).toHaveLength(64)
})

test('a schema of a tool without a type is that of an object', () => {
  const { body } = send({ tools: [{ ...weather, inputSchema: { properties: {} } }] })
  expect(body).toHaveProperty('toolConfig.tools.0.toolSpec.inputSchema.json', { properties: {}, type: 'object' })
})

test('messages hold images, documents and files of S3, and no other files', () => {
  const files = [
    { type: 'file', mediaType: 'image/png', data: 'aGk=' },
    { type: 'file', mediaType: 'application/pdf', data: 'aGk=', filename: 'Bericht: 2026  (neu).pdf' },
    { type: 'file', mediaType: 'video/mp4', url: 's3://bucket/x.mp4' },
  ] as const
  const content = send({ messages: [{ role: 'user', content: files }] }).messages[0]?.['content']
  expect(content).toEqual([
    { image: { format: 'png', source: { bytes: 'aGk=' } } },
    { text: 'Document:' },
    { document: { format: 'pdf', name: 'Bericht- 2026 (neu)', source: { bytes: 'aGk=' } } },
    { video: { format: 'mp4', source: { s3Location: { uri: 's3://bucket/x.mp4' } } } },
  ])
  for (const file of [
    { type: 'file', mediaType: 'audio/wav', data: 'aGk=' },
    { type: 'file', mediaType: 'constructor', data: 'aGk=' },
    { type: 'file', mediaType: 'image/png', url: 'https://a.example/x.png' },
  ] as const) {
    const form = 'url' in file ? 'a URL that is not of S3' : 'data'
    const asked = () => send({ messages: [{ role: 'user', content: [file] }] })
    expect(asked).toThrow(`a file of type ${file.mediaType} given as ${form} cannot be sent`)
  }
})

test.each([
  [origin.model, undefined],
  [nova, 2],
])('a schema for the answer of %s has the bound %j: Claude takes none', (model, minLength) => {
  const schema = { type: 'object', properties: { city: { type: 'string', minLength: 2 } } }
  const { body, warnings } = send({ responseFormat: { name: 'answer', schema } }, model)
  const sent = JSON.stringify(body)
  expect(sent.includes(String.raw`\"minLength\":2`)).toBe(minLength === 2)
  expect(warnings).toHaveLength(minLength === 2 ? 0 : 1)
})

test.each([
  ['image', 'image/png', 'png'],
  ['image', 'image/jpeg', 'jpeg'],
  ['image', 'image/gif', 'gif'],
  ['image', 'image/webp', 'webp'],
  ['document', 'application/pdf', 'pdf'],
  ['document', 'text/csv', 'csv'],
  ['document', 'application/msword', 'doc'],
  ['document', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['document', 'application/vnd.ms-excel', 'xls'],
  ['document', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['document', 'text/html', 'html'],
  ['document', 'text/plain', 'txt'],
  ['document', 'text/markdown', 'md'],
  ['video', 'video/x-matroska', 'mkv'],
  ['video', 'video/quicktime', 'mov'],
  ['video', 'video/mp4', 'mp4'],
  ['video', 'video/webm', 'webm'],
  ['video', 'video/x-flv', 'flv'],
  ['video', 'video/mpeg', 'mpeg'],
  ['video', 'video/x-ms-wmv', 'wmv'],
  ['video', 'video/3gpp', 'three_gp'],
])('messages hold a %s of %s as %s', (kind, mediaType, format) => {
  const content = [{ type: 'text', text: 'Why?' } as const, { type: 'file', mediaType, data: 'aGk=' } as const]
  const { messages } = send({ messages: [{ role: 'user', content }] })
  expect(messages).toMatchObject([{ content: [{}, { [kind]: { format, source: { bytes: 'aGk=' } } }] }])
})

test('messages hold what a document is about, and whether it is cited', () => {
  const data = { context: 'Minutes.', citations: { enabled: true }, other: 1 }
  const file = { type: 'file', mediaType: 'text/csv', data: 'aGk=', providerMetadata: { ...origin, data } } as const
  const { messages } = send({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Why?' }, file] }] })
  const { context, citations } = data
  expect(messages[0]).toMatchObject({ content: [{}, { document: { format: 'csv', context, citations } }] })
})

test.each([
  [nova, 'error'],
  ['openai.gpt-oss-20b-1:0', undefined],
])('messages of a result that failed say so to %s: %s', (model, status) => {
  const failed = result('t_1', { type: 'error', value: { code: 'tool-failed', message: 'no' } })
  const { messages } = send({ messages: [user('A'), assistant([call('t_1')]), failed] }, model)
  const toolResult = { toolUseId: 't_1', content: [{ text: expect.any(String) as string }], ...(status && { status }) }
  expect(messages[2]?.['content']).toEqual([{ toolResult }])
})

test('messages have a cache point behind the part that asks for one', () => {
  const providerMetadata = { ...origin, data: { cachePoint: { type: 'default' } } }
  const { messages } = send({ messages: [{ role: 'user', content: [{ type: 'text', text: 'A', providerMetadata }] }] })
  expect(messages[0]?.['content']).toEqual([{ text: 'A' }, { cachePoint: { type: 'default' } }])
})

test('messages of a document alone get a text, without which Converse refuses it', () => {
  const file = { type: 'file', mediaType: 'application/pdf', data: 'aGk=', filename: 'a.pdf' } as const
  const alone = send({ messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }, file] }] })
  const document = { format: 'pdf', name: 'a', source: { bytes: 'aGk=' } }
  expect(alone.messages).toEqual([{ role: 'user', content: [{ text: 'Document:' }, { document }] }])
  expect(alone.warnings).toMatchObject([{ type: 'coerced', path: 'messages' }])
  const beside = send({ messages: [{ role: 'user', content: [file, { type: 'text', text: 'Why?' }] }] })
  expect(beside.messages).toEqual([{ role: 'user', content: [{ document }, { text: 'Why?' }] }])
  expect(beside.warnings).toEqual([])
})

test.each([
  [nova, origin.model],
  ['mistral.m-v1:0', origin.model],
  ['mistral.m-v1:0', 'deepseek.v3-v1:0'],
  [origin.model, 'mistral.m-v1:0'],
  [origin.model, nova],
])('messages with thoughts of %s lose them for %s, with a warning', (from, to) => {
  const data = [{ signature: 'x' }, { redactedContent: 'aGk=' }]
  const parts = data.map((own): AssistantPart => ({
    type: 'reasoning',
    text: '',
    providerMetadata: { ...origin, model: from, data: own },
  }))
  const said = { ...assistant([...parts, { type: 'text', text: 'Sunny.' }]), model: from }
  const { messages, warnings } = send({ messages: [user('Q'), said] }, to)
  expect(messages[1]?.['content']).toEqual([{ text: 'Sunny.' }])
  expect(warnings.map(({ type }) => type)).toEqual(['dropped', 'dropped'])
})

test('messages with thoughts that name no model are of the model of their message', () => {
  const thought = { type: 'reasoning', text: 'Hm.' } as const
  const from = { role: 'assistant', content: [thought], provider: 'bedrock', model: 'meta.llama3-v1:0' } as const
  const contentFor = (model: string) => send({ messages: [user('Q'), from] }, model).messages[1]?.['content']
  expect(contentFor('meta.llama4-v1:0')).toEqual([{ reasoningContent: { reasoningText: { text: 'Hm.' } } }])
  expect(contentFor('deepseek.r1-v1:0')).toBeUndefined()
})

test('messages with thoughts that need no signature have them back, and none that say nothing', () => {
  const model = 'mistral.m-v1:0'
  const thoughts = ['Hm.', ''].map((text): AssistantPart => ({ type: 'reasoning', text }))
  const said = { ...assistant([...thoughts, { type: 'text', text: 'Sunny.' }]), model }
  const { messages, warnings } = send({ messages: [user('Q'), said] }, model)
  const thought = { reasoningContent: { reasoningText: { text: 'Hm.' } } }
  expect([messages[1]?.['content'], warnings]).toEqual([[thought, { text: 'Sunny.' }], []])
})

test.each(['us', 'us-gov', 'eu', 'apac', 'jp', 'au', 'ca', 'sa', 'global'])(
  'messages with thoughts of a model keep them in the region %s',
  (region) => {
    const model = 'mistral.m-v1:0'
    const providerMetadata = { ...origin, model, data: { signature: 'x' } }
    const said = { ...assistant([{ type: 'reasoning', text: 'Hm.', providerMetadata }]), model }
    const { messages } = send({ messages: [user('Q'), said] }, `${region}.${model}`)
    expect(messages[1]?.['content']).toEqual([{ reasoningContent: { reasoningText: { text: 'Hm.', signature: 'x' } } }])
  },
)

test('messages of another provider lose reasoning, blocks and calls that it ran, with a warning each', () => {
  const foreign = { provider: 'openai', model: 'm', data: { signature: 'x' } }
  const parts: AssistantPart[] = [
    { type: 'reasoning', text: 'Hm.', providerMetadata: foreign },
    { type: 'opaque', providerMetadata: foreign },
    { ...call('s_1'), owner: 'provider' } as AssistantPart,
    { type: 'text', text: 'Sunny.' },
  ]
  const { messages, warnings } = send({ messages: [user('Q'), assistant(parts, 'openai')] })
  expect(messages[1]?.['content']).toEqual([{ text: 'Sunny.' }])
  expect(warnings.map(({ type }) => type)).toEqual(['dropped', 'dropped', 'dropped'])
  expect(warnings[1]?.message).toBe('a opaque part of another provider means nothing to bedrock')
})

test.each([
  ['auto', origin.model, undefined, []],
  ['required', origin.model, { any: {} }, []],
  [{ type: 'tool', toolName: 'get_weather' }, nova, { tool: { name: 'get_weather' } }, []],
  ['none', origin.model, undefined, ["'none' is sent as auto: Converse has no such choice"]],
  [
    'required',
    'meta.llama3-8b-instruct-v1:0',
    undefined,
    ["'required' is sent as auto: the model takes no such choice"],
  ],
] as const)('the tool choice %j is sent to the model %s as %j', (toolChoice, model, sent, warned) => {
  const { body, warnings } = send({ tools: [weather], toolChoice }, model)
  const toolSpec = { name: 'get_weather', inputSchema: { json: weather.inputSchema } }
  expect(body['toolConfig']).toEqual({ tools: [{ toolSpec }], ...(sent && { toolChoice: sent }) })
  expect(warnings.map(({ message }) => message)).toEqual(warned)
})

test('tools that a history called are declared where the turn has none, with a warning: Converse refuses the calls otherwise', () => {
  const calls = assistant([call('t_1'), { ...call('t_2'), toolName: 'get_time' } as AssistantPart])
  const messages = [user('Q'), calls, result('t_1', { type: 'text', value: 'A' })]
  const { body, warnings } = send({ messages })
  const inputSchema = { json: { type: 'object' } }
  const tools = ['get_weather', 'get_time'].map((name) => ({ toolSpec: { name, inputSchema } }))
  expect(body['toolConfig']).toEqual({ tools })
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'tools' }])
  expect(warnings[0]?.message).toContain('get_weather, get_time')
})

test('tools of Nova itself go as they are', () => {
  const definition = { systemTool: { name: 'nova_code_interpreter' } }
  const tool = { type: 'provider', provider: 'bedrock', name: 'code', definition } as const
  expect(send({ tools: [tool] }, nova).body['toolConfig']).toEqual({ tools: [definition] })
})

test('settings of reasoning are left out, with a warning, where calls are answered that were made without', () => {
  const messages = [user('Q'), assistant([call('t_1')]), result('t_1', { type: 'text', value: 'A' })]
  const { body, warnings } = send({ messages, tools: [weather], settings: { reasoning: 'low' } })
  expect(body).not.toHaveProperty('additionalModelRequestFields.thinking')
  expect(warnings).toMatchObject([{ type: 'dropped', path: 'settings.reasoning' }])
})

test('options of the caller go into the body or join ours; cache points stand behind what they end', () => {
  const bedrock = {
    guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: '1' },
    performanceConfig: { latency: 'optimized' },
    inferenceConfig: { topP: 0.5 },
    additionalModelRequestFields: { anthropic_beta: ['x'] },
    cacheControl: { system: true, tools: { ttl: '1h' }, messages: true },
    toolConfig: { toolChoice: { any: {} } },
    outputConfig: { effort: 'low' },
    modelId: 'other',
  }
  const { body, warnings } = send({
    instructions: 'Be brief.',
    tools: [weather],
    settings: { temperature: 0 },
    providerOptions: { bedrock },
  })
  const cachePoint = { type: 'default' }
  expect(body).toMatchObject({
    guardrailConfig: bedrock.guardrailConfig,
    performanceConfig: bedrock.performanceConfig,
    outputConfig: { effort: 'low' },
    inferenceConfig: { temperature: 0, topP: 0.5 },
    additionalModelRequestFields: { anthropic_beta: ['x'] },
    system: [{ text: 'Be brief.' }, { cachePoint }],
    toolConfig: { tools: [{}, { cachePoint: { ...cachePoint, ttl: '1h' } }], toolChoice: { any: {} } },
    messages: [{ content: [{ text: 'Weather in Zürich?' }, { cachePoint }] }],
  })
  expect(body).not.toHaveProperty('modelId')
  expect(warnings).toMatchObject([{ type: 'dropped', path: 'providerOptions.modelId' }])
})

test('options of the caller for a cache of tools say nothing where there are no tools', () => {
  const { body } = send({ providerOptions: { bedrock: { cacheControl: { tools: true } } } })
  expect(body).not.toHaveProperty('toolConfig')
})

test('arguments that are no object go back as {}, with a warning', () => {
  const unusable = {
    type: 'tool-call',
    toolCallId: 't_1',
    toolName: 'get_weather',
    input: ['Zürich'],
    inputText: '["Zürich"]',
    owner: 'loop',
  } as const
  const { messages, warnings } = send({
    messages: [
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: [unusable] },
    ],
  })
  expect(messages[1]?.['content']).toMatchObject([{ toolUse: { input: {} } }])
  expect(warnings).toContainEqual(expect.objectContaining({ type: 'coerced', path: 'assistant.content[0]' }))
})

test('tools of earlier calls are declared where nobody declares any, and only there', () => {
  const messages = [user('Q'), assistant([call('t_1')])]
  const declared = { toolSpec: { name: 'get_weather', inputSchema: { json: { type: 'object', properties: {} } } } }
  const bodyOf = (more: object): unknown => send({ messages: messages, ...more }).body['toolConfig']
  expect(bodyOf({ tools: [] })).toMatchObject({ tools: [{ toolSpec: { name: 'get_weather' } }] })
  expect(bodyOf({ providerOptions: { bedrock: { toolConfig: { tools: [declared] } } } })).toEqual({ tools: [declared] })
})
