import { expect, test } from 'vitest'
import type { Settings, TurnRequest } from '@steploop/core/adapter'
import { chatCapabilities } from '@steploop/openai-compatible'
import { createGroq, groq } from './options.ts'
import { type AskedOnce, askOnce, chatAnswer, chatChunk, chatStream } from '@steploop/openai-compatible/test-kit'

function asking(model: string, response?: Response, request?: Partial<TurnRequest>): Promise<AskedOnce> {
  return askOnce((fetch) => createGroq({ apiKey: 'key-1', fetch })(model), response, request)
}

const gptOss = 'openai/gpt-oss-120b'
const qwen = 'qwen/qwen3-32b'
const llama = 'llama-3.3-70b-versatile'
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const responseFormat = { name: 'place', schema }
const tools = [{ type: 'function', name: 'weather', inputSchema: schema }] as const

test('a request has max_completion_tokens, and no settings that no model of Groq knows', async () => {
  const settings: Settings = { maxOutputTokens: 9, seed: 1, presencePenalty: 1, frequencyPenalty: 1, topK: 3 }
  const { body, turn } = await asking(llama, undefined, { settings })
  expect(body).toEqual({ model: llama, max_completion_tokens: 9, seed: 1, messages: expect.any(Array) })
  expect(turn?.warnings.map(({ path }) => path)).toEqual([
    'settings.topK',
    'settings.presencePenalty',
    'settings.frequencyPenalty',
  ])
})

test('a request that is streamed asks for no usage: it comes unasked, and the API reference knows no such field', async () => {
  const { body } = await asking(llama, chatStream(chatChunk({}, 'stop')))
  expect(body).toEqual({ model: llama, messages: expect.any(Array), stream: true })
})

test.each([
  [gptOss, 'high', { reasoning_effort: 'high' }, 0],
  [gptOss, 'none', { reasoning_effort: 'low' }, 1],
  [qwen, 'none', { reasoning_effort: 'none', reasoning_format: 'parsed' }, 0],
  [qwen, 'low', { reasoning_effort: 'default', reasoning_format: 'parsed' }, 1],
  ['qwen/qwen3.8-27b', 'low', { reasoning_effort: 'low', reasoning_format: 'parsed' }, 0],
] as const)('a request asks %s for the reasoning %s in its own words', async (model, reasoning, fields, warned) => {
  const { body, turn } = await asking(model, undefined, { settings: { reasoning } })
  expect(body).toEqual({ model, messages: expect.any(Array), ...fields })
  expect(turn?.warnings.filter(({ type }) => type === 'coerced')).toHaveLength(warned)
})

test.each([llama, 'groq/compound'])('a request asks %s for no reasoning, and says so', async (model) => {
  const { body, turn } = await asking(model, undefined, { settings: { reasoning: 'medium' } })
  expect(body).toEqual({ model, messages: expect.any(Array) })
  expect(turn?.warnings.map(({ path }) => path)).toEqual(['settings.reasoning'])
})

test('a request binds an answer by schema where the model can, else by JSON mode and the instructions', async () => {
  const strict = await asking(gptOss, undefined, { responseFormat })
  expect(strict.body['response_format']).toMatchObject({ type: 'json_schema', json_schema: { strict: true } })
  const plain = await asking('moonshotai/kimi-k2-instruct', undefined, { responseFormat })
  expect(plain.body['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'place', schema } })
  const json = await asking(llama, undefined, { responseFormat })
  expect(json.body).toMatchObject({ response_format: { type: 'json_object' }, messages: [{ role: 'system' }, {}] })
})

test('a request with tools carries the schema of the answer in the instructions alone', async () => {
  const { body } = await asking(gptOss, undefined, { responseFormat, tools })
  expect(body).not.toHaveProperty('response_format')
  expect(JSON.stringify(body['messages'])).toContain('JSON Schema')
})

test('a request shows images to models that see, and no other files', async () => {
  const content = [{ type: 'file', mediaType: 'image/png', data: 'AAAA' }] as const
  const seen = await asking('meta-llama/llama-4-scout', undefined, { messages: [{ role: 'user', content }] })
  expect(JSON.stringify(seen.body)).toContain('data:image/png;base64,AAAA')
  const document = [{ type: 'file', mediaType: 'application/pdf', data: 'AAAA' }] as const
  for (const [model, refused] of [
    [gptOss, content],
    ['meta-llama/llama-4-scout', document],
  ] as const) {
    const { error } = await asking(model, undefined, { messages: [{ role: 'user', content: refused }] })
    expect(error).toMatchObject({ code: 'unsupported' })
  }
})

test('a request brings reasoning back to the model that gave it', async () => {
  const message = { content: 'Hi', reasoning: 'They greet.' }
  const { turn } = await asking(gptOss, chatAnswer(message))
  const { body } = await asking(gptOss, undefined, { messages: turn ? [turn.message] : [] })
  expect(body['messages']).toEqual([{ role: 'assistant', ...message }])
})

test.each([
  [qwen, { reasoning: 'Oh.' }, 0],
  [llama, {}, 1],
])('a request tells %s thoughts that an application changed, if it thinks', async (model, fields, lost) => {
  const content = [
    { type: 'reasoning', text: 'Oh.' },
    { type: 'text', text: 'Hi' },
  ] as const
  const { body, turn } = await asking(model, undefined, {
    messages: [{ role: 'assistant', content, provider: 'groq' }],
  })
  expect(body['messages']).toEqual([{ role: 'assistant', content: 'Hi', ...fields }])
  expect(turn?.warnings).toHaveLength(lost)
})

const common = {
  ...chatCapabilities(),
  structured: { generate: true, stream: false },
  structuredWithTools: false,
  providerTools: false,
  imageInput: false,
  fileInput: false,
}

test.each([
  [gptOss, { parallel: false, providerTools: true }],
  [qwen, {}],
  [llama, { reasoning: false, reasoningReplay: false }],
  ['meta-llama/llama-4-scout', { reasoning: false, reasoningReplay: false, imageInput: true }],
  ['groq/compound', { tools: false }],
])('capabilities of %s are those of the model', (model, own) => {
  expect(groq(model).capabilities).toEqual({ ...common, ...own })
})
