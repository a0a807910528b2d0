import {
  collectTurn,
  objectOf,
  type Adapter,
  type JsonObject,
  type Mode,
  type TurnRequest,
} from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { createGemini, type GeminiOptions } from './options.ts'
import { answer, model, requestOf } from './testing.ts'

interface Sent {
  readonly url: string
  readonly headers: Headers
  readonly body: JsonObject
}

function adapterWith(respond: () => Response, options: GeminiOptions = { apiKey: 'key-123' }): [Adapter, Sent[]] {
  const sent: Sent[] = []
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const body = objectOf(JSON.parse(typeof init?.body === 'string' ? init.body : '{}'))
    sent.push({ url: String(input instanceof Request ? input.url : input), headers: new Headers(init?.headers), body })
    return respond()
  }
  return [createGemini({ ...options, fetch })(model), sent]
}

const run = (adapter: Adapter, mode: Mode = 'generate', fields: Partial<TurnRequest> = {}) =>
  collectTurn(adapter.turn(requestOf(fields), { mode }))

test('the key goes out as x-goog-api-key, to the public host', async () => {
  const [adapter, sent] = adapterWith(() => Response.json(answer([{ text: 'Yes.' }])))
  await run(adapter)
  expect(sent[0]?.url).toBe(
    'https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash-preview:generateContent',
  )
  expect(sent[0]?.headers.get('x-goog-api-key')).toBe('key-123')
})

test('Vertex gets a fresh bearer token for each request, and no key', async () => {
  let count = 0
  const baseURL =
    'https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google'
  const accessToken = async (): Promise<string> => `token-${++count}`
  const [adapter, sent] = adapterWith(() => Response.json(answer([{ text: 'Yes.' }])), { baseURL, accessToken })
  await run(adapter)
  await run(adapter)
  expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer token-1', 'Bearer token-2'])
  expect(sent[0]?.headers.has('x-goog-api-key')).toBe(false)
  expect(sent[0]?.url).toBe(`${baseURL}/models/${model}:generateContent`)
})

test('calls of built-in tools are asked for at the public host, and not at Vertex, whichever the region', async () => {
  const definition = { googleSearch: {} }
  const tools = [{ type: 'provider', provider: 'gemini', name: 'search', definition }] as const
  const baseURL = 'https://us-aiplatform.googleapis.com/v1/projects/p/locations/us/publishers/google'
  const bodies = []
  for (const options of [{ apiKey: 'key-123' }, { apiKey: 'key-123', baseURL }]) {
    const [adapter, sent] = adapterWith(() => Response.json(answer([{ text: 'Yes.' }])), options)
    await run(adapter, 'generate', { tools })
    bodies.push(sent[0]?.body)
  }
  expect(bodies[0]).toMatchObject({ toolConfig: { includeServerSideToolInvocations: true } })
  expect(bodies[1]).not.toHaveProperty('toolConfig')
})
