import { afterEach, expect, test, vi } from 'vitest'
import { collectTurn, type Adapter, type Turn } from '@steploop/core/adapter'
import { createOllama, ollama } from './index.ts'
import { requestOf, origin } from './testing.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

interface Seen {
  url: string
  headers: Headers
  body: unknown
}

/** A server that answers every request with these lines. */
function server(lines: readonly object[], { status = 200, type = 'application/x-ndjson' } = {}) {
  const seen: Seen[] = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined
    seen.push({ url: String(input instanceof Request ? input.url : input), headers: new Headers(init?.headers), body })
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    return Promise.resolve(new Response(text, { status, headers: { 'content-type': type } }))
  }
  return { seen, fetch }
}

const answer = { model: 'qwen3', message: { role: 'assistant', content: 'Hi' }, done: true, done_reason: 'stop' }

function ask(adapter: Adapter, mode: 'generate' | 'stream' = 'generate'): Promise<Turn> {
  return collectTurn(adapter.turn(requestOf(), { mode }), origin)
}

test('needs no key and asks the server on this machine', async () => {
  vi.stubEnv('OLLAMA_API_KEY', undefined)
  const { seen, fetch } = server([answer])
  const turn = await ask(createOllama({ fetch })('qwen3'))
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Hi' }])
  expect(seen[0]?.url).toBe('http://localhost:11434/api/chat')
  expect(seen[0]?.headers.get('authorization')).toBeNull()
  expect(seen[0]?.body).toMatchObject({ model: 'qwen3', stream: false })
})

test('sends a key as bearer token, from the options before the environment', async () => {
  vi.stubEnv('OLLAMA_API_KEY', 'from-environment')
  const { seen, fetch } = server([answer])
  const options = { fetch, baseURL: 'https://ollama.com/' }
  await ask(createOllama(options)('gpt-oss:120b'), 'stream')
  await ask(createOllama({ ...options, apiKey: 'from-options' })('gpt-oss:120b'), 'stream')
  expect(seen.map(({ headers }) => headers.get('authorization'))).toEqual([
    'Bearer from-environment',
    'Bearer from-options',
  ])
  expect(seen[0]?.url).toBe('https://ollama.com/api/chat')
})

test('reads a stream however the server calls it', async () => {
  const lines = [
    { ...answer, done: false },
    { message: { content: '!' }, done: true },
  ]
  for (const type of ['application/x-ndjson', 'application/json']) {
    const { fetch } = server(lines, { type })
    const { message } = await ask(createOllama({ fetch })('qwen3'), 'stream')
    expect(message.content).toEqual([{ type: 'text', text: 'Hi!' }])
  }
})

test('the default instance names provider, model and what the API can do', () => {
  const adapter = ollama('qwen3')
  expect(adapter).toMatchObject({ provider: 'ollama', model: 'qwen3', capabilities: { tools: true } })
  expect(adapter.capabilities.toolChoice).toEqual(['auto', 'none'])
  expect(adapter.capabilities.structuredWithTools).toBe(false)
})
