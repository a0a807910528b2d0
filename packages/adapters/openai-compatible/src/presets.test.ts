import { afterEach, expect, test, vi } from 'vitest'
import { openaiCompatible, type PresetName } from './index.ts'
import { askOnce } from './test-kit.ts'

afterEach(() => vi.unstubAllEnvs())

const remote: readonly (readonly [PresetName, string, string])[] = [
  ['perplexity', 'https://api.perplexity.ai/chat/completions', 'PERPLEXITY_API_KEY'],
  ['together', 'https://api.together.xyz/v1/chat/completions', 'TOGETHER_API_KEY'],
  ['venice', 'https://api.venice.ai/api/v1/chat/completions', 'VENICE_API_KEY'],
  ['vercel-ai-gateway', 'https://ai-gateway.vercel.sh/v1/chat/completions', 'AI_GATEWAY_API_KEY'],
  ['hugging-face', 'https://router.huggingface.co/v1/chat/completions', 'HF_TOKEN'],
  ['copilot', 'https://api.githubcopilot.com/chat/completions', 'GITHUB_COPILOT_TOKEN'],
]

test.each(remote)('%s is asked at %s with the key of %s', async (name, address, variable) => {
  vi.stubEnv(variable, 'key-of-the-server')
  const { url, headers, model } = await asked(name)
  expect([url, headers.get('authorization'), model]).toEqual([address, 'Bearer key-of-the-server', 'm'])
  vi.stubEnv(variable, '')
  const { requests, error } = await askOnce((fetch) => openaiCompatible(name, { fetch })('m'))
  expect([requests, error]).toEqual([0, expect.objectContaining({ code: 'missing-api-key' })])
  expect(String(error)).toContain(variable)
})

async function asked(name: PresetName, options: { baseURL?: string } = {}) {
  const adapter = openaiCompatible(name, options)('m')
  const { url, headers } = await askOnce((fetch) => openaiCompatible(name, { ...options, fetch })('m'))
  expect(adapter.provider).toBe(name)
  return { url, headers, model: adapter.model }
}

test.each([
  ['llama.cpp', 'http://localhost:8080/v1/chat/completions'],
  ['vllm', 'http://localhost:8000/v1/chat/completions'],
  ['lm-studio', 'http://localhost:1234/v1/chat/completions'],
] as const)('%s is asked on this machine, without a key', async (name, address) => {
  const { url, headers } = await asked(name)
  expect([url, headers.get('authorization')]).toEqual([address, null])
})

test.each(['databricks', 'gpustack'] as const)('%s wants an address', async (name) => {
  expect(() => openaiCompatible(name)).toThrow(/`baseURL`/)
  vi.stubEnv('DATABRICKS_TOKEN', 'key-1')
  const { url } = await asked(name, { baseURL: 'https://own.example/serving-endpoints' })
  expect(url).toBe('https://own.example/serving-endpoints/chat/completions')
})

test('a name that is none is refused with those that are', () => {
  const untyped: (name: never) => unknown = openaiCompatible
  expect(() => untyped('togehter' as never)).toThrow(/'togehter' is no preset. There are: .*together/)
  expect(() => untyped('constructor' as never)).toThrow(/no preset/)
})

test('the gateway of Vercel is asked for reasoning in an object', async () => {
  const make = (fetch: typeof globalThis.fetch) => openaiCompatible('vercel-ai-gateway', { apiKey: 'k', fetch })('m')
  const { body } = await askOnce(make, undefined, { settings: { reasoning: 'low' } })
  expect(body).toMatchObject({ reasoning: { effort: 'low' } })
})
