import { expect, test } from 'vitest'
import { createOpenAICompatible, type OpenAICompatibleOptions } from './options.ts'
import { askOnce } from './test-kit.ts'
import { chatCompletions } from './wire.ts'

const baseURL = 'https://chat.example.com/v1'
const ask = (options: OpenAICompatibleOptions, response?: Response) =>
  askOnce((fetch) => createOpenAICompatible({ ...options, fetch })('chat-model'), response)

test('the factory without a key throws before any request', async () => {
  for (const [options, message] of [
    [{ baseURL }, /no API key was given\. Pass/],
    [{ baseURL, apiKeyVariable: 'NO_SUCH_KEY' }, /no API key was given, and NO_SUCH_KEY is not set/],
  ] as const) {
    const { error, requests } = await ask(options)
    expect(error).toMatchObject({ code: 'missing-api-key', provider: 'openai-compatible' })
    expect(error).toMatchObject({ message: expect.stringMatching(message) as unknown })
    expect(requests).toBe(0)
  }
})

test('the factory needs no key where the caller says so, or for a server on this machine', async () => {
  const local = ['localhost', '127.0.0.1', '[::1]'].map((host) => ({ baseURL: `http://${host}:8000/v1` }))
  for (const options of [{ baseURL, apiKeyOptional: true }, ...local]) {
    const { requests, headers } = await ask(options)
    expect([requests, headers.get('authorization')]).toEqual([1, null])
  }
  expect((await ask({ baseURL: 'http://127.0.0.1:8000/v1', apiKeyOptional: false })).requests).toBe(0)
})

test('the factory refuses a base URL that is none', () => {
  for (const wrong of ['', 'chat.example.com', 'file:///v1']) {
    expect(() => createOpenAICompatible({ baseURL: wrong })).toThrow(
      expect.objectContaining({
        code: 'invalid-options',
        message: expect.stringContaining(`'${wrong}' is no http(s) URL`),
      }),
    )
  }
})

test('the factory knows from the dialect what the provider can do; the caller knows better', () => {
  const dialect = { toolChoice: { required: false, tool: false }, structuredWithTools: false, replay: [] } as const
  const model = createOpenAICompatible({ baseURL, dialect, capabilities: { imageInput: false } })('m')
  expect(chatCompletions({ ...model, dialect })).toHaveProperty('name', 'openai-chat')
  expect(model.capabilities).toMatchObject({
    tools: true,
    toolChoice: ['auto', 'none'],
    structured: true,
    structuredWithTools: false,
    reasoningReplay: false,
    imageInput: false,
  })
  expect(createOpenAICompatible({ baseURL })('m').capabilities).toStrictEqual({
    tools: true,
    parallel: true,
    toolChoice: ['auto', 'none', 'required', 'tool'],
    structured: true,
    structuredWithTools: true,
    reasoning: true,
    reasoningReplay: true,
    imageInput: true,
    fileInput: true,
    toolResultImages: false,
    streamUsage: true,
  })
  expect(createOpenAICompatible({ baseURL, dialect: { structured: 'none' } })('m').capabilities).toMatchObject({
    structured: false,
    structuredWithTools: false,
  })
})
