import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AdapterError, collectTurn, objectOf, type Adapter, type JsonObject } from '@steploop/core/adapter'
import { createVertex, createVertexClaude, vertex, type VertexOptions } from './index.ts'

beforeEach(() => {
  vi.stubEnv('GOOGLE_CLOUD_PROJECT', undefined)
  vi.stubEnv('GOOGLE_CLOUD_LOCATION', undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

const geminiAnswer = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }
const claudeAnswer = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
}

interface Sent {
  readonly url: string
  readonly headers: Headers
  readonly body: JsonObject
}

function server(answer: object, status = 200) {
  const sent: Sent[] = []
  const fetch: typeof globalThis.fetch = (url, init) => {
    const body = objectOf(JSON.parse(typeof init?.body === 'string' ? init.body : 'null'))
    sent.push({ url: url instanceof Request ? url.url : String(url), headers: new Headers(init?.headers), body })
    return Promise.resolve(Response.json(answer, { status }))
  }
  return { sent, fetch }
}

function ask(adapter: Adapter) {
  return collectTurn(adapter.turn({ messages: [{ role: 'user', content: 'Hi' }], turn: 0 }, { mode: 'generate' }))
}

const token = 'ya29.token-of-google-cloud-1234'
const given = { project: 'my-project', location: 'europe-west4', accessToken: () => token }

test('Gemini is asked in its project and location, with a token that is asked for at each request', async () => {
  const { sent, fetch } = server(geminiAnswer)
  const accessToken = vi.fn(() => Promise.resolve(token))
  const adapter = createVertex({ ...given, accessToken, fetch })('gemini-3-flash-preview')
  expect((await ask(adapter)).message.content).toEqual([{ type: 'text', text: 'Hi' }])
  await ask(adapter)
  expect(sent[0]?.url).toBe(
    'https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-3-flash-preview:generateContent',
  )
  expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${token}`)
  expect(accessToken).toHaveBeenCalledTimes(2)
})

test('Claude says its version in the body, and its model in the path alone', async () => {
  const { sent, fetch } = server(claudeAnswer)
  const auth = { getAccessToken: () => Promise.resolve(token) }
  const options = { project: 'my-project', auth, betas: ['b-1'], fetch }
  const turn = await ask(createVertexClaude(options)('claude-sonnet-4-5@20250929'))
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Hi' }])
  expect(sent[0]?.url).toBe(
    'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict',
  )
  expect(sent[0]?.body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: false })
  expect(sent[0]?.body).not.toHaveProperty('model')
  expect(sent[0]?.headers.get('anthropic-beta')).toBe('b-1')
  expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${token}`)
})

const cases: readonly (readonly [string, VertexOptions, string, RegExp])[] = [
  ['no credentials', { project: 'p' }, 'missing-api-key', /`auth`.*`accessToken`/],
  ['no token', { project: 'p', auth: { getAccessToken: () => Promise.resolve(null) } }, 'authentication', /gave none/],
  [
    'a source that fails',
    { ...given, accessToken: () => Promise.reject(new Error('down')) },
    'authentication',
    /failed/,
  ],
  ['no project', { accessToken: () => token }, 'bad-request', /GOOGLE_CLOUD_PROJECT/],
  ['a project that is none', { ...given, project: '../x' }, 'bad-request', /'..\/x' is no id/],
  ['a location that is none', { ...given, location: 'evil.example/' }, 'bad-request', /is no location/],
]

test.each(cases)('%s is told before any request', async (_, options, code, words) => {
  const { sent, fetch } = server(geminiAnswer)
  for (const make of [createVertex, createVertexClaude]) {
    const error: unknown = await ask(make({ ...options, fetch })('m')).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code, retryable: false })
    expect(AdapterError.isInstance(error) && error.message).toMatch(words)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(token)
  }
  expect(sent).toEqual([])
})

test('a token that the answer repeats shows in no error', async () => {
  const { fetch } = server({ error: { code: 401, message: `no: ${token}`, status: 'UNAUTHENTICATED' } }, 401)
  for (const make of [createVertex, createVertexClaude]) {
    const error: unknown = await ask(make({ ...given, fetch })('m')).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'authentication', status: 401 })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(token)
  }
})

test('Claude gets files with their bytes, and none by its address', async () => {
  const { sent, fetch } = server(claudeAnswer)
  const adapter = createVertexClaude({ ...given, fetch })('claude-sonnet-4-6')
  const askAbout = (file: { data: string } | { url: string }) => {
    const content = [{ type: 'file', mediaType: 'image/png', ...file }] as const
    return collectTurn(adapter.turn({ messages: [{ role: 'user', content }], turn: 0 }, { mode: 'generate' }))
  }
  const refused: unknown = await askAbout({ url: 'https://example.com/a.png' }).catch((cause: unknown) => cause)
  expect(refused).toMatchObject({ code: 'unsupported', message: expect.stringContaining('base64') as string })
  expect(sent).toEqual([])
  await askAbout({ data: 'iVBORw0KGgo=' })
  expect(JSON.stringify(sent[0]?.body)).toContain('"data":"iVBORw0KGgo="')
})

test('the default instance names provider and model', () => {
  expect(vertex('gemini-3-flash-preview')).toMatchObject({ provider: 'vertex', model: 'gemini-3-flash-preview' })
})

test.each([
  ['global', 'aiplatform.googleapis.com'],
  ['us', 'aiplatform.us.rep.googleapis.com'],
  ['eu', 'aiplatform.eu.rep.googleapis.com'],
  ['europe-west4', 'europe-west4-aiplatform.googleapis.com'],
])('the location %s is at %s', async (location, host) => {
  const { sent, fetch } = server(geminiAnswer)
  await ask(createVertex({ ...given, location, fetch })('gemini-3-flash-preview'))
  expect(sent.map(({ url }) => new URL(url).host)).toEqual([host])
})

test.each(['x/../../endpoints/7', '..', './x', 'x//y', ''])(
  'a model that leads elsewhere is refused: %j',
  async (model) => {
    const { sent, fetch } = server(geminiAnswer)
    const turn = ask(createVertex({ ...given, fetch })(model))
    await expect(turn).rejects.toMatchObject({ code: 'bad-request', retryable: false })
    expect(sent).toEqual([])
  },
)
