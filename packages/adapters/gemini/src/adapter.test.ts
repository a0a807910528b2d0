import { askOnce, type AskedOnce } from '@steploop/core/testing'
import type { TurnRequest } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { createGemini, type GeminiOptions } from './options.ts'
import { answer, model } from './testing.ts'

function asking(options: GeminiOptions, request?: Partial<TurnRequest>): Promise<AskedOnce> {
  return askOnce(
    (fetch) => createGemini({ ...options, fetch })(model),
    Response.json(answer([{ text: 'Yes.' }])),
    request,
  )
}

const regional = 'https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google'

test('the key goes out as x-goog-api-key, to the public host', async () => {
  const { url, headers } = await asking({ apiKey: 'key-123' })
  expect(url).toBe('https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash-preview:generateContent')
  expect(headers.get('x-goog-api-key')).toBe('key-123')
})

test('Vertex gets a bearer token, and no key', async () => {
  const { url, headers } = await asking({ baseURL: regional, accessToken: async () => 'token-1' })
  expect(url).toBe(`${regional}/models/${model}:generateContent`)
  expect([headers.get('authorization'), headers.get('x-goog-api-key')]).toEqual(['Bearer token-1', null])
})

test('calls of built-in tools are asked for at the public host, and not at Vertex, whichever the region', async () => {
  const tools = [{ type: 'provider', provider: 'gemini', name: 'search', definition: { googleSearch: {} } }] as const
  const ours = await asking({ apiKey: 'key-123' }, { tools })
  expect(ours.body).toMatchObject({ toolConfig: { includeServerSideToolInvocations: true } })
  for (const baseURL of [regional, regional.replaceAll('europe-west4', 'us')]) {
    expect((await asking({ apiKey: 'key-123', baseURL }, { tools })).body).not.toHaveProperty('toolConfig')
  }
})

test.each(['x/../../endpoints/7', '..', './x', 'x//y', ''])(
  'a model that leads elsewhere is refused: %j',
  async (odd) => {
    const make = (fetch: typeof globalThis.fetch) => createGemini({ apiKey: 'key-1', fetch })(odd)
    const { error, requests } = await askOnce(make, Response.json({}))
    expect(error).toMatchObject({ code: 'bad-request', message: expect.stringContaining('leads elsewhere') as string })
    expect(requests).toBe(0)
  },
)
