import { expect, test } from 'vitest'
import type { Settings, TurnRequest } from '@steploop/core/adapter'
import { chatCapabilities } from '@steploop/openai-compatible'
import { createGroq, groq } from './options.ts'
import { type AskedOnce, askOnce } from '@steploop/openai-compatible/test-kit'

function asking(model: string, response?: Response, request?: Partial<TurnRequest>): Promise<AskedOnce> {
  return askOnce((fetch) => createGroq({ apiKey: 'key-1', fetch })(model), response, request)
}

const gptOss = 'openai/gpt-oss-120b'
const qwen = 'qwen/qwen3-32b'
const llama = 'llama-3.3-70b-versatile'
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const responseFormat = { name: 'place', schema }

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

test('a request binds an answer by schema where the model can, else by JSON mode and the instructions', async () => {
  const strict = await asking(gptOss, undefined, { responseFormat })
  expect(strict.body['response_format']).toMatchObject({ type: 'json_schema', json_schema: { strict: true } })
  const plain = await asking('moonshotai/kimi-k2-instruct', undefined, { responseFormat })
  expect(plain.body['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'place', schema } })
  const json = await asking(llama, undefined, { responseFormat })
  expect(json.body).toMatchObject({ response_format: { type: 'json_object' }, messages: [{ role: 'system' }, {}] })
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
