import { askOnce } from '@steploop/core/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { createOllama, ollama, ollamaChat } from './index.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const answer = { model: 'qwen3', message: { role: 'assistant', content: 'Hi' }, done: true, done_reason: 'stop' }

test('needs no key and asks the server on this machine', async () => {
  vi.stubEnv('OLLAMA_API_KEY', undefined)
  const { turn, url, headers, body } = await askOnce((fetch) => createOllama({ fetch })('qwen3'), Response.json(answer))
  expect(turn?.message.content).toEqual([{ type: 'text', text: 'Hi' }])
  expect([url, headers.get('authorization')]).toEqual(['http://localhost:11434/api/chat', null])
  expect(body).toMatchObject({ model: 'qwen3', stream: false })
})

test.each([
  [{}, 'from-environment'],
  [{ apiKey: 'from-options' }, 'from-options'],
])('a key is sent as bearer token, from the options before the environment: %j', async (options, key) => {
  vi.stubEnv('OLLAMA_API_KEY', 'from-environment')
  const baseURL = 'https://ollama.com/'
  const { url, headers } = await askOnce(
    (fetch) => createOllama({ ...options, fetch, baseURL })('gpt-oss:120b'),
    Response.json(answer),
  )
  expect([url, headers.get('authorization')]).toEqual(['https://ollama.com/api/chat', `Bearer ${key}`])
})

test('headers of the caller go out with each request', async () => {
  const { headers } = await askOnce(
    (fetch) => createOllama({ fetch, headers: { 'x-team': 'a' } })('qwen3'),
    Response.json(answer),
  )
  expect(headers.get('x-team')).toBe('a')
})

test('the default instance names provider, model and what the API can do', () => {
  const can = ['tools', 'parallel', 'structured', 'reasoning', 'reasoningReplay', 'imageInput', 'toolResultImages']
  const capabilities = {
    ...Object.fromEntries([...can, 'streamUsage'].map((name) => [name, true])),
    toolChoice: ['auto', 'none'],
    structuredWithTools: false,
  }
  expect(ollama('qwen3')).toMatchObject({ provider: 'ollama', model: 'qwen3', capabilities })
  expect(ollamaChat({ provider: 'ollama', model: 'qwen3' })).toHaveProperty('name', 'ollama-chat')
})
