import { expect, test } from 'vitest'
import { createAzureChat } from './index.ts'
import { askOnce, chatChunk, chatStream } from './test-kit.ts'

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

test('a token of Microsoft Entra goes out in place of the key', async () => {
  const accessToken = () => Promise.resolve('token-1')
  const { headers } = await askOnce((fetch) => createAzureChat({ ...options, accessToken, fetch })('my-deployment'))
  expect([headers.get('authorization'), headers.get('api-key')]).toEqual(['Bearer token-1', null])
})
