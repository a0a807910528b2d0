import { askOnce } from '@steploop/core/testing'
import { expect, test, vi } from 'vitest'
import { createAzureOpenAI } from './azure.ts'
import { createOpenAI, openai } from './options.ts'
import { isReasoningModel } from './model-traits.ts'
import { responseOf } from './testing.ts'
import { openaiResponses } from './wire.ts'

const answer = () => Response.json(responseOf([]))

test('OpenAI is asked at /v1/responses with key, organization and project', async () => {
  const options = { apiKey: 'sk-test', organization: 'org', project: 'proj' }
  const { url, headers } = await askOnce((fetch) => createOpenAI({ ...options, fetch })('gpt-5'), answer())
  expect(url).toBe('https://api.openai.com/v1/responses')
  expect(Object.fromEntries(headers)).toMatchObject({
    authorization: 'Bearer sk-test',
    'openai-organization': 'org',
    'openai-project': 'proj',
  })
})

test('OpenAI gets the texts of other providers in the form that was asked for', async () => {
  const messages = [{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }] as const
  const make = (fetch: typeof globalThis.fetch) =>
    createOpenAI({ apiKey: 'k', assistantText: 'output_text', fetch })('gpt-5')
  const { body } = await askOnce(make, answer(), { messages })
  expect(body).toMatchObject({ input: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }] })
})

test('the wire format is that of Responses, over server-sent events', () => {
  expect(openaiResponses({ provider: 'openai', model: 'gpt-5' })).toMatchObject({
    name: 'openai-responses',
    framing: 'sse',
  })
})

test('OpenAI keeps state, reasons and takes headers as its options say', async () => {
  const fields = { store: true, headers: { 'x-trace': '1' }, apiKey: 'k' }
  const make = (fetch: typeof globalThis.fetch) => createOpenAI({ ...fields, fetch })('ft:mine', { reasoning: true })
  const { body, headers } = await askOnce(make, answer())
  expect(body).toMatchObject({ model: 'ft:mine', store: true, include: ['reasoning.encrypted_content'] })
  expect(headers.get('x-trace')).toBe('1')
})

test.each([
  ['OPENAI_API_KEY', 'authorization', 'Bearer key-1', createOpenAI],
  [
    'AZURE_OPENAI_API_KEY',
    'api-key',
    'key-1',
    (options: object) => createAzureOpenAI({ baseURL: 'https://my.azure.com/openai/v1', ...options }),
  ],
])('the key is read from %s', async (variable, header, value, create) => {
  vi.stubEnv(variable, 'key-1')
  const { headers } = await askOnce((fetch) => create({ fetch })('gpt-5'), answer())
  expect(headers.get(header)).toBe(value)
})

test('OpenAI reads the key of the default instance at the first turn', () => {
  expect(openai('gpt-5')).toMatchObject({ provider: 'openai', model: 'gpt-5' })
})

test('OpenAI claims reasoning only for models that reason', () => {
  expect(openai('gpt-5').capabilities).toMatchObject({ reasoning: true, continuation: true })
  expect(openai('gpt-4o').capabilities).toMatchObject({ reasoning: false, reasoningReplay: false })
  expect(openai('my-model', { reasoning: true }).capabilities).toMatchObject({ reasoning: true })
})

test('Azure is asked with its own key header, version and provider name', async () => {
  const baseURL = 'https://my-resource.openai.azure.com/openai/v1'
  const { url, headers } = await askOnce(
    (fetch) => createAzureOpenAI({ apiKey: 'azure-key', baseURL, apiVersion: 'preview', fetch })('my-deployment'),
    answer(),
  )
  const options = { apiKey: 'azure-key', baseURL, store: true }
  const plain = await askOnce(
    (fetch) => createAzureOpenAI({ ...options, fetch })('my-deployment', { reasoning: true }),
    Response.json(responseOf([{ type: 'reasoning', id: 'rs_1', summary: [] }])),
  )
  expect(plain.url).toBe(`${baseURL}/responses`)
  expect(plain.body).toMatchObject({ model: 'my-deployment', store: true, include: ['reasoning.encrypted_content'] })
  expect(plain.turn?.message.content).toMatchObject([
    { providerMetadata: { provider: 'azure', model: 'my-deployment' } },
  ])
  const { capabilities, model } = createAzureOpenAI(options)('my-deployment', { reasoning: true })
  expect([model, capabilities.reasoning]).toEqual(['my-deployment', true])
  expect(createAzureOpenAI({ baseURL })('my-deployment').provider).toBe('azure')
  expect(url).toBe(`${baseURL}/responses?api-version=preview`)
  expect([headers.get('api-key'), headers.get('authorization')]).toEqual(['azure-key', null])
})

test.each([
  ['gpt-5', true],
  ['gpt-5.6-sol', true],
  ['gpt-5-chat-latest', false],
  ['gpt-4o', false],
  ['gpt-4.1-mini', false],
  ['gpt-10', true],
  ['o3', true],
  ['o4-mini', true],
  ['openai/gpt-5', true],
  ['ft:o4-mini:org', true],
  ['gpt-oss-120b', true],
  ['omni-moderation', false],
])('the name %s says whether the model reasons: %s', (model, expected) => {
  expect(isReasoningModel(model)).toBe(expected)
})
