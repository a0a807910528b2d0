import { expect, test, vi } from 'vitest'
import { createAzureChat } from './index.ts'
import { askOnce, chatAnswer } from './test-kit.ts'

const options = { baseURL: 'https://my-resource.openai.azure.com/openai/v1', apiKey: 'azure-key' }

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
