import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { askOnce } from '@steploop/core/testing'
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

const token = 'ya29.token-of-google-cloud-1234'
const given = { project: 'my-project', location: 'europe-west4', accessToken: () => token }

test('Claude says its version in the body, and its model in the path alone', async () => {
  const auth = { getAccessToken: () => Promise.resolve(token) }
  const { turn, url, headers, body } = await askOnce(
    (fetch) => createVertexClaude({ project: 'my-project', auth, betas: ['b-1'], fetch })('claude-sonnet-4-5@20250929'),
    Response.json(claudeAnswer),
  )
  expect(turn?.message.content).toEqual([{ type: 'text', text: 'Hi' }])
  expect(url).toBe(
    'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict',
  )
  expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: false })
  expect(body).not.toHaveProperty('model')
  expect([headers.get('anthropic-beta'), headers.get('authorization')]).toEqual(['b-1', `Bearer ${token}`])
  expect(turn?.message).toMatchObject({ provider: 'vertex-claude', model: 'claude-sonnet-4-5@20250929' })
})

test('project and location stand in the environment, unless an address of one’s own leads elsewhere', async () => {
  const make =
    (options: VertexOptions = {}) =>
    (fetch: typeof globalThis.fetch) =>
      createVertex({ accessToken: () => token, ...options, fetch })('gemini-3-flash-preview')
  vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'of-the-environment')
  vi.stubEnv('GOOGLE_CLOUD_LOCATION', 'europe-west1')
  const { url } = await askOnce(make(), Response.json(geminiAnswer))
  expect(url).toContain(
    'https://europe-west1-aiplatform.googleapis.com/v1/projects/of-the-environment/locations/europe-west1/',
  )
  const own = await askOnce(make({ baseURL: 'https://gateway.example/v1' }), Response.json(geminiAnswer))
  expect(own.url).toMatch(/^https:\/\/gateway\.example\/v1\/models\//)
})

const cases: readonly (readonly [string, VertexOptions, string, RegExp])[] = [
  ['no credentials', { project: 'p' }, 'missing-api-key', /`auth`.*`accessToken`/],
  ['no token', { project: 'p', auth: { getAccessToken: () => Promise.resolve(null) } }, 'authentication', /gave none/],
  ['a blank token', { project: 'p', accessToken: () => ' ' }, 'authentication', /gave none/],
  [
    'a client without a token',
    { project: 'p', auth: { getAccessToken: () => Promise.resolve({ token: null }) } },
    'authentication',
    /`\(await client.getAccessToken\(\)\).token`/,
  ],
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

test.each(cases)('%s is reported before any request', async (_, options, code, words) => {
  for (const make of [createVertex, createVertexClaude]) {
    const { error, requests } = await askOnce((fetch) => make({ ...options, fetch })('m'), Response.json(geminiAnswer))
    expect(error).toMatchObject({ code, retryable: false, message: expect.stringMatching(words) as string })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(token)
    expect(requests).toBe(0)
  }
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
  const { url } = await askOnce(
    (fetch) => createVertex({ ...given, location, fetch })('gemini-3-flash-preview'),
    Response.json(geminiAnswer),
  )
  expect(new URL(url).host).toBe(host)
})
