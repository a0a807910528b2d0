import { collectTurn, type Adapter } from '@steploop/core/adapter'
import { describe, expect, it } from 'vitest'
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
