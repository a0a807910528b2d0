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
  ['llama.cpp', 'http://localhost:8080/v1/chat/completions', 'LLAMA_API_KEY'],
  ['vllm', 'http://localhost:8000/v1/chat/completions', 'VLLM_API_KEY'],
  ['lm-studio', 'http://localhost:1234/v1/chat/completions', 'LM_API_TOKEN'],
] as const)('%s is asked on this machine at %s, without a key unless %s holds one', async (name, address, variable) => {
  const { url, headers } = await asked(name)
  expect([url, headers.get('authorization')]).toEqual([address, null])
  vi.stubEnv(variable, 'key-1')
  expect((await asked(name)).headers.get('authorization')).toBe('Bearer key-1')
})

test.each([
  ['databricks', 'DATABRICKS_TOKEN'],
  ['gpustack', 'GPUSTACK_API_KEY'],
] as const)('%s wants an address, and the key of %s', async (name, variable) => {
  expect(() => openaiCompatible(name)).toThrow(refused(/`baseURL`/))
  vi.stubEnv(variable, 'key-1')
  const baseURL = 'https://own.example/serving-endpoints'
  const { url, headers } = await asked(name, { baseURL })
  expect(url).toBe('https://own.example/serving-endpoints/chat/completions')
  expect(headers.get('authorization')).toBe('Bearer key-1')
  vi.stubEnv(variable, '')
  // GPUStack asks for no key by itself.
  const { requests } = await askOnce((fetch) => openaiCompatible(name, { baseURL, fetch })('m'))
  expect(requests).toBe(name === 'gpustack' ? 1 : 0)
})

test('a preset is asked at the address that the caller gives in place of its own', async () => {
  expect((await asked('vllm', { baseURL: 'https://own.example/v1' })).url).toBe(
    'https://own.example/v1/chat/completions',
  )
})

function refused(message: RegExp): unknown {
  return expect.objectContaining({ code: 'invalid-options', message: expect.stringMatching(message) as unknown })
}

test('a name that is none is refused with those that are', () => {
  const untyped: (name: never) => unknown = openaiCompatible
  expect(() => untyped('togehter' as never)).toThrow(
    refused(/'togehter' is no preset. There are: perplexity, together/),
  )
  expect(() => untyped('constructor' as never)).toThrow(/no preset/)
})

test('the gateway of Vercel is asked for reasoning in an object', async () => {
  const make = (fetch: typeof globalThis.fetch) => openaiCompatible('vercel-ai-gateway', { apiKey: 'k', fetch })('m')
  const { body } = await askOnce(make, undefined, { settings: { reasoning: 'low' } })
  expect(body).toMatchObject({ reasoning: { effort: 'low' } })
})
