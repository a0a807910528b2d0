import { expect, test, vi } from 'vitest'
import { createAzureChat } from './index.ts'
import { askOnce, chatAnswer, chatChunk, chatStream } from './test-kit.ts'

const leading = { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] }
const options = { baseURL: 'https://my-resource.openai.azure.com/openai/v1', apiKey: 'azure-key' }

test('a deployment on Azure is asked at its address with its header, and its leading empty chunk is no answer', async () => {
  const { turn, url, headers, body } = await askOnce(
    (fetch) => createAzureChat({ ...options, apiVersion: '2026-01-01', fetch })('my-deployment'),
    chatStream(leading, chatChunk({ role: 'assistant', content: 'Grüezi' }), chatChunk({}, 'stop'), 'data: [DONE]\n\n'),
    { settings: { maxOutputTokens: 9 } },
  )
  expect(url).toBe('https://my-resource.openai.azure.com/openai/v1/chat/completions?api-version=2026-01-01')
  expect(Object.fromEntries(headers)).toEqual({ 'content-type': 'application/json', 'api-key': 'azure-key' })
  expect(body).toMatchObject({ model: 'my-deployment', max_completion_tokens: 9 })
  expect(turn).toMatchObject({ responseId: 'chat_1', model: 'm-1', finishReason: 'stop' })
  expect(turn?.message.content).toEqual([{ type: 'text', text: 'Grüezi' }])
})

test('a deployment is asked without a version by default, with the key of the environment, and says whose it is', async () => {
  vi.stubEnv('AZURE_OPENAI_API_KEY', 'key-1')
  const { baseURL } = options
  const make = (fetch: typeof globalThis.fetch) => createAzureChat({ baseURL, fetch })('my-deployment')
  const { url, headers, turn } = await askOnce(make, chatAnswer({ reasoning_content: 'Hm.', content: 'Hi' }))
  expect([url, headers.get('api-key')]).toEqual([`${baseURL}/chat/completions`, 'key-1'])
  expect(turn?.message.content[0]).toMatchObject({ providerMetadata: { provider: 'azure', model: 'my-deployment' } })
  const adapter = createAzureChat(options)('my-deployment')
  expect(adapter).toMatchObject({ provider: 'azure', model: 'my-deployment', capabilities: { tools: true } })
})

test('a token of Microsoft Entra goes out in place of the key', async () => {
  const accessToken = () => Promise.resolve('token-1')
  const { headers } = await askOnce((fetch) => createAzureChat({ ...options, accessToken, fetch })('my-deployment'))
  expect([headers.get('authorization'), headers.get('api-key')]).toEqual(['Bearer token-1', null])
})
