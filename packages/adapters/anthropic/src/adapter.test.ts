import { collectTurn, type Adapter } from '@steploop/core/adapter'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anthropic, anthropicCapabilities, createAnthropic } from './index.ts'
import { messageOf, requestOf } from './testing.ts'

interface Call {
  readonly url: string
  readonly headers: Headers
}

function recording(calls: Call[], response: () => Response): typeof fetch {
  return async (input, init) => {
    calls.push({ url: new Request(input).url, headers: new Headers(init?.headers) })
    return response()
  }
}

const answer = (): Response => Response.json(messageOf([{ type: 'text', text: 'Hi' }]))

async function take(adapter: Adapter, fields: object = {}): Promise<string> {
  const turn = await collectTurn(adapter.turn(requestOf(fields), { mode: 'generate' }), adapter)
  return turn.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

afterEach(() => vi.unstubAllEnvs())

describe('adapters', () => {
  it('send one request to the Messages API with key, version and betas', async () => {
    const calls: Call[] = []
    const model = createAnthropic({ apiKey: 'sk-test-1234', betas: ['b1'], fetch: recording(calls, answer) })(
      'claude-sonnet-4-5',
    )
    expect(await take(model)).toBe('Hi')
    expect(calls).toHaveLength(1)
    expect(calls[0]?.url).toBe('https://api.anthropic.com/v1/messages')
    expect(Object.fromEntries(calls[0]?.headers ?? [])).toEqual({
      'content-type': 'application/json',
      'x-api-key': 'sk-test-1234',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'b1',
    })
  })

  it('take base URL and headers from the options, and headers from the request', async () => {
    const calls: Call[] = []
    const options = { baseURL: 'https://chat.example.com/v1/', headers: { 'anthropic-version': '2030-01-01' } }
    const model = createAnthropic({ apiKey: 'sk-test-1234', ...options, fetch: recording(calls, answer) })('claude-x')
    await take(model, { headers: { 'anthropic-beta': 'mine' } })
    expect(calls[0]?.url).toBe('https://chat.example.com/v1/messages')
    expect(calls[0]?.headers.get('anthropic-version')).toBe('2030-01-01')
    expect(calls[0]?.headers.get('anthropic-beta')).toBe('mine')
  })

  it('read the key from the environment at the first turn', async () => {
    const calls: Call[] = []
    const model = createAnthropic({ fetch: recording(calls, answer) })('claude-sonnet-4-5')
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-from-env')
    await take(model)
    expect(calls[0]?.headers.get('x-api-key')).toBe('sk-from-env')
  })

  it('without a key fail before any request', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', '')
    const calls: Call[] = []
    const model = createAnthropic({ fetch: recording(calls, answer) })('claude-sonnet-4-5')
    await expect(take(model)).rejects.toMatchObject({ code: 'missing-api-key' })
    expect(calls).toEqual([])
  })

  it('throw what the provider says of a refused request', async () => {
    const body = {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Slow down, sk-test-1234' },
      request_id: 'req_1',
    }
    const refuse = (): Response => Response.json(body, { status: 429, headers: { 'retry-after': '2' } })
    const model = createAnthropic({ apiKey: 'sk-test-1234', fetch: recording([], refuse) })('claude-sonnet-4-5')
    await expect(take(model)).rejects.toMatchObject({
      code: 'rate-limit',
      status: 429,
      retryAfterMs: 2000,
      requestId: 'req_1',
      providerMessage: 'Slow down, [redacted]',
    })
  })

  it('carry provider, model and capabilities', () => {
    const model = anthropic('claude-sonnet-4-5')
    expect(model).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5' })
    expect(model.capabilities).toEqual(anthropicCapabilities('claude-sonnet-4-5'))
  })
})

describe('capabilities', () => {
  it.each([
    ['claude-3-5-haiku-latest', false, false, true],
    ['claude-sonnet-4-0', true, false, true],
    ['claude-sonnet-4-5', true, true, true],
    ['anthropic/claude-opus-4.8', true, true, true],
    ['claude-opus-5-5', true, true, false],
    ['claude-fable-5-1', true, true, false],
    ['someone-elses-model', true, false, true],
  ])(
    'of %s: reasoning %s, native structured output %s, forced tool choice %s',
    (model, reasoning, structured, forced) => {
      const capabilities = anthropicCapabilities(model)
      expect(capabilities).toMatchObject({ reasoning, structured, structuredWithTools: structured })
      expect(capabilities.toolChoice?.includes('required')).toBe(forced)
    },
  )
})
