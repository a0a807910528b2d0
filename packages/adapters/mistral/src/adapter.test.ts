import { expect, test } from 'vitest'
import type { Message, TurnRequest } from '@steploop/core/adapter'
import { chatCapabilities } from '@steploop/openai-compatible'
import { createMistral, mistral } from './options.ts'
import { type AskedOnce, askOnce, chatChunk, chatStream } from '@steploop/openai-compatible/test-kit'

const model = 'mistral-large-latest'

function asking(response?: Response, request?: Partial<TurnRequest>, modelId = model): Promise<AskedOnce> {
  return askOnce((fetch) => createMistral({ apiKey: 'key-1', fetch })(modelId), response, request)
}

const schema = { type: 'object', properties: {} }
const tools = [{ type: 'function', name: 'weather', inputSchema: schema }] as const
const question: Message = { role: 'user', content: 'Weather?' }

const ran = {
  type: 'tool-call',
  toolCallId: 'ran',
  toolName: 'weather',
  input: {},
  inputText: '{}',
  owner: 'loop',
} as const

function call(toolCallId: string): readonly Message[] {
  const result = { type: 'tool-result', toolCallId, toolName: 'weather', output: { type: 'text', value: 'x' } } as const
  return [
    { role: 'assistant', content: [{ ...ran, toolCallId }] },
    { role: 'tool', content: [result] },
  ]
}

test('a request calls the seed random_seed and a required choice any', { tags: ['P12'] }, async () => {
  const options = { mistral: { safe_prompt: true } }
  const request = {
    tools,
    toolChoice: 'required',
    settings: { seed: 7, topK: 2 },
    providerOptions: options,
  } as const
  const { body, turn } = await asking(chatStream(chatChunk({ content: 'x' }, 'stop')), request)
  expect(body).toMatchObject({ random_seed: 7, tool_choice: 'any', safe_prompt: true, stream: true })
  expect(Object.keys(body)).not.toContain('stream_options')
  expect(turn?.warnings).toMatchObject([{ type: 'unsupported', path: 'settings.topK' }])
})

test.each([
  { provider: 'mistral', content: [{ type: 'text', text: '' }] },
  { provider: 'other', content: [{ type: 'reasoning', text: 'Hm.' }] },
  { provider: 'other', content: [{ type: 'refusal', text: '' }] },
  { provider: 'other', content: [{ type: 'opaque', providerMetadata: { provider: 'other', model: 'm', data: 1 } }] },
  { provider: 'other', content: [{ ...ran, owner: 'provider' }] },
] as const)('a request puts it in the place of an empty turn of $provider after results, too', async (empty) => {
  const messages = [question, ...call('abcDEF123'), { role: 'assistant', ...empty } as const, question]
  const { body } = await asking(undefined, { messages })
  expect(body['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: '' },
    { role: 'tool' },
    { role: 'assistant', content: 'OK.' },
    { role: 'user' },
  ])
})

test.each([
  { provider: 'mistral', content: [{ type: 'reasoning', text: 'Hm.' }] },
  { provider: 'other', content: [{ type: 'refusal', text: 'No.' }] },
  { provider: 'other', content: [{ type: 'text', text: 'Hi.' }] },
  { provider: 'other', content: [ran] },
  {
    provider: 'mistral',
    content: [{ type: 'opaque', providerMetadata: { provider: 'mistral', model, data: { chunk: { type: 'x' } } } }],
  },
] as const)('a request puts none in the place of a turn that says something: %j', async (said) => {
  const messages = [question, ...call('abcDEF123'), { role: 'assistant', ...said } as const]
  expect(JSON.stringify((await asking(undefined, { messages })).body)).not.toContain('OK.')
})

test('a request holds thoughts that an application changed, and a refusal as a text', async () => {
  const content = [
    { type: 'reasoning', text: 'Oh.' },
    { type: 'refusal', text: 'No.' },
  ] as const
  const { body, turn } = await asking(undefined, {
    messages: [{ role: 'assistant', content, provider: 'mistral' }, question, ...call('a'), question],
  })
  const chunks = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Oh.' }] },
    { type: 'text', text: 'No.' },
  ]
  expect(body).toHaveProperty('messages.0', { role: 'assistant', content: chunks })
  expect(turn?.warnings.map(({ type }) => type)).toEqual(['coerced', 'repaired'])
})

test('a request shows images, documents and audio in chunks of its own', async () => {
  const content = [
    { type: 'file', mediaType: 'image/png', data: 'AAAA' },
    { type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf', filename: 'a.pdf' },
    { type: 'file', mediaType: 'audio/mpeg', data: 'BBBB' },
    { type: 'file', mediaType: 'audio/mpeg', url: 'https://example.com/a.mp3' },
  ] as const
  const { body } = await asking(undefined, { messages: [{ role: 'user', content }] })
  expect(body).toHaveProperty('messages.0.content', [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'document_url', document_url: 'https://example.com/a.pdf', document_name: 'a.pdf' },
    { type: 'input_audio', input_audio: 'BBBB' },
    { type: 'input_audio', input_audio: 'https://example.com/a.mp3' },
  ])
  const text = [{ type: 'file', mediaType: 'text/css', data: 'AA' }] as const
  expect((await asking(undefined, { messages: [{ role: 'user', content: text }] })).error).toMatchObject({
    code: 'unsupported',
  })
})

test('a request asks Magistral for no amount of reasoning', async () => {
  const settings = { reasoning: 'high' } as const
  expect((await asking(undefined, { settings })).body).toMatchObject({ reasoning_effort: 'high' })
  const { body, turn } = await asking(undefined, { settings }, 'magistral-medium-latest')
  expect(body).not.toHaveProperty('reasoning_effort')
  expect(turn?.warnings).toMatchObject([{ type: 'coerced', path: 'settings.reasoning' }])
})

test('a response says with a word of its own that a tier is full', async () => {
  const body = { object: 'error', message: 'Full', type: 'service_tier_capacity_exceeded', code: '3505' }
  const { error } = await asking(Response.json(body, { status: 429 }))
  expect(error).toMatchObject({ code: 'overloaded', providerMessage: 'Full' })
})

test('capabilities name the usage that comes without being asked for, and the tools that Mistral runs', () => {
  const own = { streamUsage: true, structuredWithTools: false, providerTools: true }
  expect(mistral(model).capabilities).toEqual({ ...chatCapabilities(), ...own })
})
