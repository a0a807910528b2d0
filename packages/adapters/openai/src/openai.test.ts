import { collectTurn, type Adapter } from '@steploop/core/adapter'
import { describe, expect, test } from 'vitest'
import { createAzureOpenAI } from './azure.ts'
import { createOpenAI, openai } from './openai.ts'
import { isReasoningModel } from './options.ts'
import { requestOf, responseOf } from './testing.ts'

interface Sent {
  readonly url: string
  readonly headers: Headers
}

function recorder(): { readonly sent: Sent[]; readonly fetch: typeof fetch } {
  const sent: Sent[] = []
  return {
    sent,
    fetch: async (url, init) => {
      sent.push({ url: url instanceof Request ? url.url : url.toString(), headers: new Headers(init?.headers) })
      return Response.json(responseOf([]))
    },
  }
}

async function run(adapter: Adapter): Promise<void> {
  await collectTurn(adapter.turn(requestOf(), { mode: 'generate' }))
}

describe('OpenAI', () => {
  test('is asked at /v1/responses with key, organization and project', async () => {
    const { sent, fetch } = recorder()
    await run(createOpenAI({ apiKey: 'sk-test', organization: 'org', project: 'proj', fetch })('gpt-5'))
    expect(sent[0]?.url).toBe('https://api.openai.com/v1/responses')
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
      authorization: 'Bearer sk-test',
      'openai-organization': 'org',
      'openai-project': 'proj',
    })
  })

  test('reads the key of the default instance at the first turn', () => {
    expect(openai('gpt-5')).toMatchObject({ provider: 'openai', model: 'gpt-5' })
  })

  test('claims reasoning only for models that reason', () => {
    expect(openai('gpt-5').capabilities).toMatchObject({ reasoning: true, continuation: true })
    expect(openai('gpt-4o').capabilities).toMatchObject({ reasoning: false, reasoningReplay: false })
    expect(openai('my-model', { reasoning: true }).capabilities).toMatchObject({ reasoning: true })
  })
})

test('Azure is asked with its own key header, version and provider name', async () => {
  const { sent, fetch } = recorder()
  const baseURL = 'https://my-resource.openai.azure.com/openai/v1'
  const adapter = createAzureOpenAI({ apiKey: 'azure-key', baseURL, apiVersion: 'preview', fetch })('my-deployment')
  await run(adapter)
  expect(adapter.provider).toBe('azure')
  expect(sent[0]?.url).toBe(`${baseURL}/responses?api-version=preview`)
  expect(sent[0]?.headers.get('api-key')).toBe('azure-key')
  expect(sent[0]?.headers.get('authorization')).toBeNull()
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
