import {
  collectTurn,
  objectOf,
  type Adapter,
  type JsonObject,
  type Mode,
  type TurnRequest,
} from '@steploop/core/adapter'
import { expect, test, vi } from 'vitest'
import { createGemini, gemini, type GeminiOptions } from './options.ts'
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

function streamed(chunks: readonly object[]): Response {
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
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

test('without a key the turn fails before any request', async () => {
  vi.stubEnv('GEMINI_API_KEY', '')
  const [adapter, sent] = adapterWith(() => Response.json({}), { apiKey: '' })
  await expect(run(adapter)).rejects.toMatchObject({ code: 'missing-api-key' })
  await expect(run(gemini(model))).rejects.toMatchObject({ code: 'missing-api-key' })
  expect(sent).toEqual([])
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

test('streams have CR LF lines and end without [DONE]', async () => {
  const chunks = [answer([{ text: 'It ' }], {}), answer([{ text: 'rains.' }])]
  const [adapter, sent] = adapterWith(() => streamed(chunks))
  const turn = await run(adapter, 'stream')
  expect(turn.message.content).toEqual([{ type: 'text', text: 'It rains.' }])
  expect(sent[0]?.url).toContain(':streamGenerateContent?alt=sse')
})

test('a stream that breaks off after a call is no turn', async () => {
  const [adapter] = adapterWith(() => streamed([answer([{ functionCall: { name: 'now', args: {} } }], {})]))
  await expect(run(adapter, 'stream')).rejects.toMatchObject({ code: 'incomplete-stream' })
})

test('a failed response is an error with the words of the provider', async () => {
  const error = { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '2s' }] }
  const [adapter] = adapterWith(() => Response.json({ error }, { status: 429 }))
  await expect(run(adapter, 'stream')).rejects.toMatchObject({
    code: 'rate-limit',
    status: 429,
    retryAfterMs: 2000,
    providerMessage: 'Quota exceeded.',
  })
})

test('the key is never in a message', async () => {
  const error = { code: 400, message: 'Bad key key-123', status: 'INVALID_ARGUMENT' }
  const [adapter] = adapterWith(() => Response.json({ error }, { status: 400 }))
  const failure: unknown = await run(adapter).catch((thrown: unknown) => thrown)
  expect(objectOf(failure)['providerMessage']).toBe('Bad key [redacted]')
})
