import { expect, test } from 'vitest'
import type { TurnRequest } from '@steploop/core/adapter'
import { chatCapabilities } from '@steploop/openai-compatible'
import { createOpenRouter, openrouter } from './options.ts'
import { type AskedOnce, askOnce, chatChunk, chatStream } from '@steploop/openai-compatible/test-kit'

const model = 'anthropic/claude-sonnet-4.5'

function asking(response?: Response, request?: Partial<TurnRequest>): Promise<AskedOnce> {
  return askOnce((fetch) => createOpenRouter({ apiKey: 'key-1', fetch })(model), response, request)
}

test('a request goes to OpenRouter with the key, and the name and address of the application', async () => {
  const options = { apiKey: 'key-1', referer: 'https://example.com', title: 'Example' }
  const { url, headers } = await askOnce((fetch) => createOpenRouter({ ...options, fetch })(model))
  expect(url).toBe('https://openrouter.ai/api/v1/chat/completions')
  expect(Object.fromEntries(headers)).toMatchObject({
    authorization: 'Bearer key-1',
    'http-referer': 'https://example.com',
    'x-title': 'Example',
  })
  const custom = { ...options, headers: { 'X-Title': 'Mine' } }
  expect((await askOnce((fetch) => createOpenRouter({ ...custom, fetch })(model))).headers.get('x-title')).toBe('Mine')
})

test('a request asks for reasoning in an object, knows topK, and asks for no usage, which comes unasked', async () => {
  const { body } = await asking(undefined, { settings: { reasoning: 'none', topK: 5 } })
  expect(body).toEqual({ model, messages: expect.any(Array), reasoning: { effort: 'none' }, top_k: 5 })
  const streamed = await asking(chatStream(chatChunk({}, 'stop')))
  expect(streamed.body).toEqual({ model, messages: expect.any(Array), stream: true })
})

test('a request gives documents by URL and videos a place, and switches of caching pass', async () => {
  const cached = { provider: 'openrouter', model: '', data: { cache_control: { type: 'ephemeral' } } }
  const content = [
    { type: 'text', text: 'Long.', providerMetadata: cached },
    { type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' },
    { type: 'file', mediaType: 'application/pdf', data: 'AAAA', filename: 'b.pdf' },
    { type: 'file', mediaType: 'video/mp4', url: 'https://example.com/a.mp4' },
    { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' },
    { type: 'file', mediaType: 'audio/wav', data: 'AAAA' },
    { type: 'file', mediaType: 'text/csv', url: 'https://example.com/c', filename: 'c.csv' },
  ] as const
  const { body } = await asking(undefined, { messages: [{ role: 'user', content }] })
  expect(body).toHaveProperty('messages.0.content', [
    { type: 'text', text: 'Long.', cache_control: { type: 'ephemeral' } },
    { type: 'file', file: { filename: 'file.pdf', file_data: 'https://example.com/a.pdf' } },
    { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'file', file: { filename: 'c.csv', file_data: 'https://example.com/c' } },
  ])
  const sound = [{ type: 'file', mediaType: 'audio/wav', url: 'https://example.com/a.wav' }] as const
  const { error } = await asking(undefined, { messages: [{ role: 'user', content: sound }] })
  expect(error).toMatchObject({ code: 'unsupported' })
})

test('capabilities include tools that OpenRouter runs and switches of caching', () => {
  const own = { streamUsage: true, providerTools: true, cacheControl: true }
  expect(openrouter(model).capabilities).toEqual({ ...chatCapabilities(), ...own })
})
