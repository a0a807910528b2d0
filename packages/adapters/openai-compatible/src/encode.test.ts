import { expect, test } from 'vitest'
import { arrayOf, type FilePart, type JsonObject, type ToolDefinition } from '@steploop/core/adapter'
import { chatCapabilities } from './capabilities.ts'
import { llamaCpp } from './llama-cpp.ts'
import { assistant, origin, send } from './testing.ts'

const weather: ToolDefinition = {
  type: 'function',
  name: 'get_weather',
  description: 'Weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const tools = [weather]

test('settings that the provider does not know are left out with a warning', () => {
  const { body, warnings } = send(
    { settings: { maxOutputTokens: 9, topK: 5, seed: 7, reasoning: 'high' } },
    { settings: { seed: false }, reasoning: false },
  )
  const messages = [{ role: 'user', content: 'Weather in Zürich?' }]
  expect(body).toEqual({ model: 'chat-model', max_tokens: 9, messages })
  expect(warnings.map(({ type, path }) => [type, path])).toEqual([
    ['unsupported', 'settings.topK'],
    ['unsupported', 'settings.seed'],
    ['unsupported', 'settings.reasoning'],
  ])
})

test('settings that a dialect changes are reported in its words', () => {
  const reasoning = (_effort: string, coerced: (message: string) => void): Record<string, unknown> => {
    coerced('only full or none')
    return { thinking: 'full' }
  }
  const { body, warnings } = send({ settings: { reasoning: 'low' } }, { reasoning })
  expect(body).toMatchObject({ thinking: 'full' })
  expect(warnings).toEqual([{ type: 'coerced', path: 'settings.reasoning', message: 'only full or none' }])
})

test('headers of a dialect go with every request', () => {
  const headers = { 'x-version': '2' }
  expect(send({}, { headers })).toMatchObject({ headers })
})

test('provider options change no messages, no stream and no tools of the turn, and add more tools behind its own', () => {
  const sent = (options: JsonObject, fields = {}) =>
    send({ ...fields, providerOptions: { 'openai-compatible': options } })
  const search = { type: 'web_search' }
  const { text, warnings } = sent({ messages: [], stream: true, tools: search }, { tools })
  expect(text).toBe(send({ tools }).text)
  const paths = ['providerOptions.messages', 'providerOptions.stream', 'providerOptions.tools']
  expect(warnings.map(({ type, path }) => [type, path])).toEqual(paths.map((path) => ['dropped', path]))
  const own = arrayOf(send({ tools }).body['tools'])
  expect(sent({ tools: [search, search] }, { tools }).body['tools']).toEqual([...own, search, search])
  expect(sent({ tools: [search] })).toMatchObject({ body: { tools: [search] }, warnings: [] })
  expect(sent({ tools: search }).body).not.toHaveProperty('tools')
})

test('provider options that are undefined hide nothing of the turn', () => {
  const none = { model: undefined, temperature: undefined, tool_choice: undefined, response_format: undefined }
  const request = { tools, responseFormat, settings: { temperature: 0.5 } }
  const options = { providerOptions: { 'openai-compatible': { ...none, stream: undefined, tools: undefined } } }
  for (const mode of ['generate', 'stream'] as const) {
    const { text, warnings } = send(request, {}, mode)
    expect(send({ ...request, ...options }, {}, mode)).toMatchObject({ text, warnings })
  }
})

test('tools that ask for `strict` get it where the schema is fit, closed; else without, and that is reported', () => {
  const strict = send({ tools: [{ ...weather, strict: true }] })
  expect(strict.body['tools']).toMatchObject([
    { function: { strict: true, parameters: { additionalProperties: false } } },
  ])
  const optional = { type: 'object', properties: { city: { type: 'string' } } }
  const loose = send({ tools: [{ ...weather, inputSchema: optional, strict: true }] })
  expect(loose.body['tools']).toMatchObject([{ function: { parameters: optional } }])
  expect(loose.text).not.toContain('strict')
  expect(loose.warnings).toMatchObject([{ type: 'coerced', path: 'tools[0].strict' }])
  expect(send({ tools: [{ ...weather, strict: true }] }, { strict: false }).warnings).toHaveLength(1)
})

test('tools have the fields that an application gave them for this provider, beside the function and in it', () => {
  const own = { cache_control: { type: 'ephemeral' }, function: { annotations: ['a'] } }
  const providerOptions = { 'openai-compatible': own, other: { secret: 1 } }
  const { body, text } = send({ tools: [{ ...weather, providerOptions }] })
  const expected = { ...own, type: 'function', function: { ...own.function, name: 'get_weather' } }
  expect(body['tools']).toMatchObject([expected])
  expect(text).not.toContain('secret')
})

test('tools are chosen in the words of the dialect, and by `auto` with a warning where it has none', () => {
  const dialect = { toolChoice: { required: 'any', none: false, tool: false } } as const
  expect(send({ tools, toolChoice: 'required' }, dialect).body['tool_choice']).toBe('any')
  for (const toolChoice of ['none', { type: 'tool', toolName: 'get_weather' }] as const) {
    const { body, warnings } = send({ tools, toolChoice }, dialect)
    expect(body['tool_choice']).toBe('auto')
    expect(warnings).toMatchObject([{ type: 'coerced', path: 'toolChoice' }])
  }
})

test('llama.cpp obeys no choice by name, which is said, and binds to a schema only without tools', () => {
  const named = send({ tools, toolChoice: { type: 'tool', toolName: 'get_weather' } }, llamaCpp)
  expect([named.body['tool_choice'], named.warnings]).toMatchObject(['auto', [{ path: 'toolChoice' }]])
  expect(chatCapabilities(llamaCpp)).toMatchObject({
    structured: true,
    structuredWithTools: false,
    toolChoice: ['auto', 'none', 'required'],
  })
})

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const responseFormat = { name: 'place', description: 'A place', schema }

test('an answer by schema is asked for by response_format, strictly where the schema is fit', () => {
  const { body, warnings } = send({ responseFormat, tools })
  const strictSchema = { ...schema, additionalProperties: false }
  expect(body['response_format']).toEqual({
    type: 'json_schema',
    json_schema: { name: 'place', description: 'A place', schema: strictSchema, strict: true },
  })
  expect(warnings).toEqual([])
  const open = { ...responseFormat, schema: { type: 'object', properties: { a: { type: 'string' } } } }
  expect(send({ responseFormat: open }).warnings).toMatchObject([{ type: 'coerced', path: 'responseFormat.schema' }])
})

test('an answer by schema stands in the instructions for a provider that only knows JSON', () => {
  const { body, messages, warnings } = send(
    { responseFormat, instructions: 'Be brief.' },
    { structured: 'json_object' },
  )
  expect(body['response_format']).toEqual({ type: 'json_object' })
  expect(messages[0]?.['content']).toContain(JSON.stringify(schema))
  expect(messages[0]?.['content']).toMatch(/^Be brief\./)
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'responseFormat' }])
})

test('an answer by schema gives way to the caller’s own response_format', () => {
  const providerOptions = { 'openai-compatible': { response_format: { type: 'text' } } }
  const { body, text } = send({ responseFormat, providerOptions })
  expect(body['response_format']).toEqual({ type: 'text' })
  expect(text.split('"response_format"')).toHaveLength(2)
})

const image: FilePart = { type: 'file', mediaType: 'image/png', data: 'aGk=' }

const mp3 = { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } }

test.each([
  ['audio/mp3', mp3],
  ['audio/mpeg', mp3],
  ['text/csv', { type: 'file', file: { filename: 'file.csv', file_data: 'data:text/csv;base64,AA==' } }],
] as const)('messages with a file of the type %s hold it as %j', (mediaType, sent) => {
  const content = [{ type: 'file', mediaType, data: 'AA==' }] as const
  expect(send({ messages: [{ role: 'user', content }] }).messages[0]).toMatchObject({ content: [sent] })
})

test('messages keep fields that an application put into a part’s own payload', () => {
  const wire = { provider: 'openai-compatible', model: '', data: { cache_control: { type: 'ephemeral' } } }
  const content = [{ type: 'text', text: 'Long.', providerMetadata: wire }] as const
  expect(send({ messages: [{ role: 'user', content }] }).messages[0]?.['content']).toEqual([
    { type: 'text', text: 'Long.', cache_control: { type: 'ephemeral' } },
  ])
})

test('messages of the assistant with calls alone have the empty content of the dialect', { tags: ['H13'] }, () => {
  const call = {
    type: 'tool-call',
    toolCallId: 'c1',
    toolName: 'f',
    input: {},
    inputText: '',
    owner: 'loop',
  } as const
  const content = (dialect: object) => send({ messages: [assistant([call])] }, dialect).messages[0]?.['content']
  expect([content({}), content({ emptyContent: '' })]).toEqual([null, ''])
})

test('messages of the assistant keep a refusal apart; one of another provider is text', () => {
  const refusal = { type: 'refusal', text: 'No.' } as const
  expect(send({ messages: [assistant([refusal])] }).messages[0]).toEqual({
    role: 'assistant',
    content: null,
    refusal: 'No.',
  })
  const foreign = send({ messages: [assistant([refusal], 'other')] })
  expect(foreign.messages[0]).toEqual({ role: 'assistant', content: 'No.' })
  const chunk = { type: 'opaque', providerMetadata: { ...origin, data: { chunk: { type: 'reference' } } } } as const
  const beside = send({ messages: [assistant([refusal, chunk])] }, { refusals: false })
  expect(beside.messages[0]).toMatchObject({ content: [{ type: 'text', text: 'No.' }, { type: 'reference' }] })
  expect(foreign.warnings).toMatchObject([{ type: 'coerced' }])
  const strange = send({
    messages: [assistant([{ ...chunk, providerMetadata: { ...origin, provider: 'other', data: {} } }])],
  })
  expect(strange.warnings).toMatchObject([
    { type: 'dropped', message: expect.stringMatching(/^a block of other means nothing to/) as unknown },
  ])
})

test('messages with results are one per call, errors as JSON, images as text or as such', { tags: ['H13'] }, () => {
  const results = [
    { type: 'error', value: { code: 'tool-failed', message: 'no' } },
    { type: 'content', value: [{ type: 'text', text: 'See:' }, image] },
  ] as const
  const content = results.map(
    (output, n) => ({ type: 'tool-result', toolCallId: `c${n}`, toolName: 'f', output }) as const,
  )
  const { messages, warnings } = send({ messages: [{ role: 'tool', content }] })
  expect(messages).toEqual([
    { role: 'tool', tool_call_id: 'c0', content: '{"error":{"code":"tool-failed","message":"no"}}' },
    { role: 'tool', tool_call_id: 'c1', content: 'See:\n[image/png file, not shown]' },
  ])
  expect(warnings).toMatchObject([{ type: 'coerced' }])
  const images = send({ messages: [{ role: 'tool', content }] }, { toolResultImages: true })
  expect(images.messages[1]?.['content']).toMatchObject([{ type: 'text' }, { type: 'image_url' }])
  const gzip = { type: 'content', value: [{ type: 'file', mediaType: 'application/gzip', data: 'AA' }] } as const
  const odd = [{ type: 'tool-result', toolCallId: 'c1', toolName: 'f', output: gzip }] as const
  const dialect = { toolResultImages: true, filePart: () => undefined }
  const left = send({ messages: [{ role: 'tool', content: odd }] }, dialect)
  expect(left.messages[0]?.['content']).toEqual([{ type: 'text', text: '[application/gzip file, not shown]' }])
  expect(left.warnings).toMatchObject([{ type: 'coerced', message: expect.stringContaining('application/gzip') }])
})
