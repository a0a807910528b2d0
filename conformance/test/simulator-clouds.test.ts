import { simulatedWire, type JsonObject } from '@steploop/conformance/simulator'
import { describe, expect, test } from 'vitest'
import { reply } from '../src/wires/simulate/play.ts'
import { bytesOf } from '../src/wires/simulate/body-bytes.ts'
import { scanMessages } from '../src/wires/event-stream.ts'
import type { ScriptedTurn } from '../src/script.ts'

const hello: ScriptedTurn = { type: 'answer', parts: [{ type: 'text', text: 'Grüezi' }] }
const publishers = '/v1/projects/my-project/locations/global/publishers'
const bearer = { authorization: 'Bearer good' }
const question = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
const claudeBody = { max_tokens: 100, messages: [question] }

interface Asked {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
}

const clouds = {
  'Gemini on Vertex': {
    wire: 'gemini-generate',
    baseURL: 'https://aiplatform.googleapis.com/v1',
    good: {
      path: `${publishers}/google/models/gemini-3-flash-preview:generateContent`,
      headers: bearer,
      body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    },
  },
  'Claude on Vertex': {
    wire: 'anthropic-messages',
    baseURL: 'https://europe-west4-aiplatform.googleapis.com/v1',
    good: {
      path: `${publishers}/anthropic/models/claude-sonnet-4-6:rawPredict`,
      headers: bearer,
      body: { ...claudeBody, anthropic_version: 'vertex-2023-10-16', stream: false },
    },
  },
  'Claude on Bedrock': {
    wire: 'anthropic-messages',
    baseURL: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    good: {
      path: '/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke',
      headers: bearer,
      body: { ...claudeBody, anthropic_version: 'bedrock-2023-05-31', anthropic_beta: ['b-1'] },
    },
  },
} as const satisfies Record<string, { wire: string; baseURL: string; good: Asked }>

type Cloud = keyof typeof clouds

function ask(cloud: Cloud, changed: Partial<Asked> = {}, turn: ScriptedTurn = hello) {
  const { wire, baseURL, good } = clouds[cloud]
  const { path, headers, body } = { ...good, ...changed }
  const memory = { responses: new Map(), items: new Map() }
  const play = {
    simulation: simulatedWire(wire, baseURL),
    script: [turn],
    apiKey: 'good',
    memory,
    position: 0,
    requests: 0,
  }
  const {
    status,
    body: answer,
    ...rest
  } = reply(play, {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    text: JSON.stringify(body),
  })
  return { status, headers: rest.headers, bytes: bytesOf(answer), text: new TextDecoder().decode(bytesOf(answer)) }
}

const on = {
  vertex: clouds['Claude on Vertex'].good,
  gemini: clouds['Gemini on Vertex'].good,
  bedrock: clouds['Claude on Bedrock'].good,
}
const streamedPath = {
  vertex: on.vertex.path.replace('rawPredict', 'streamRawPredict'),
  bedrock: `${on.bedrock.path}-with-response-stream`,
}

describe.each(Object.keys(clouds) as Cloud[])('%s', (cloud) => {
  test('answers what is asked as the documentation says', () => {
    expect(ask(cloud)).toMatchObject({ status: 200, text: expect.stringContaining('Grüezi') as string })
  })
})

const without = (body: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))

const refused: readonly (readonly [Cloud, string, Partial<Asked>, number, RegExp])[] = [
  ['Gemini on Vertex', 'a key of the Gemini API', { headers: { 'x-goog-api-key': 'good' } }, 401, /UNAUTHENTICATED/],
  [
    'Gemini on Vertex',
    'a key beside the token',
    { headers: { ...bearer, 'x-goog-api-key': 'good' } },
    400,
    /x-goog-api-key/,
  ],
  ['Gemini on Vertex', 'another token', { headers: { authorization: 'Bearer canary' } }, 401, /had invalid auth/],
  [
    'Gemini on Vertex',
    'the path of the Gemini API',
    { path: '/v1beta/models/gemini-3:generateContent' },
    404,
    /NOT_FOUND/,
  ],
  ['Gemini on Vertex', 'another publisher', { path: on.vertex.path }, 404, /NOT_FOUND/],
  [
    'Gemini on Vertex',
    'the switch that shows calls of built-in tools',
    { body: { ...on.gemini.body, toolConfig: { includeServerSideToolInvocations: true } } },
    400,
    /include_server_side_tool_invocations|includeServerSideToolInvocations/,
  ],
  ['Claude on Vertex', 'a key of Anthropic’s', { headers: { 'x-api-key': 'good' } }, 401, /UNAUTHENTICATED/],
  [
    'Claude on Vertex',
    'a version in a header',
    { headers: { ...bearer, 'anthropic-version': '2023-06-01' } },
    400,
    /anthropic-version/,
  ],
  [
    'Claude on Vertex',
    'no version',
    { body: without(on.vertex.body, 'anthropic_version') },
    400,
    /anthropic_version: Field required/,
  ],
  [
    'Claude on Vertex',
    'the version of Bedrock',
    { body: { ...on.vertex.body, anthropic_version: 'bedrock-2023-05-31' } },
    400,
    /vertex-2023-10-16/,
  ],
  [
    'Claude on Vertex',
    'a model in the body',
    { body: { ...on.vertex.body, model: 'claude' } },
    400,
    /model: Extra inputs/,
  ],
  ['Claude on Vertex', 'a stream that the body does not want', { path: streamedPath.vertex }, 400, /stream:/],
  [
    'Claude on Vertex',
    'a file by its address',
    { body: { ...on.vertex.body, messages: [{ role: 'user', content: [image] }] } },
    400,
    /URL sources/,
  ],
  ['Claude on Vertex', 'an unknown member', { body: { ...on.vertex.body, seed: 1 } }, 400, /seed: Extra inputs/],
  ['Claude on Bedrock', 'no token', { headers: {} }, 403, /Missing Authentication Token/],
  [
    'Claude on Bedrock',
    'the version of Vertex',
    { body: { ...on.bedrock.body, anthropic_version: 'vertex-2023-10-16' } },
    400,
    /bedrock-2023-05-31/,
  ],
  [
    'Claude on Bedrock',
    'a model in the body',
    { body: { ...on.bedrock.body, model: 'claude' } },
    400,
    /model: Extra inputs/,
  ],
  [
    'Claude on Bedrock',
    'a stream in the body',
    { body: { ...on.bedrock.body, stream: true } },
    400,
    /stream: Extra inputs/,
  ],
  [
    'Claude on Bedrock',
    'a file by its address',
    { body: { ...on.bedrock.body, messages: [{ role: 'user', content: [image] }] } },
    400,
    /URL sources are not supported/,
  ],
  [
    'Claude on Bedrock',
    'the path of Converse',
    { path: on.bedrock.path.replace('invoke', 'converse') },
    404,
    /Not found/,
  ],
]

test.each(refused)('%s refuses %s', (cloud, _, changed, status, words) => {
  const answer = ask(cloud, changed)
  expect(answer.status).toBe(status)
  expect(answer.text).toMatch(words)
  expect(answer.text).not.toContain('canary')
})

test('Claude on Bedrock streams: chunks in AWS frames, without pings, the last with counts of AWS', () => {
  const { headers, bytes } = ask('Claude on Bedrock', { path: streamedPath.bedrock })
  expect(headers['content-type']).toBe('application/vnd.amazon.eventstream')
  const messages = scanMessages(bytes)
  expect(new Set(messages.map(({ name }) => name))).toEqual(new Set(['chunk']))
  expect(messages.at(-1)?.end).toBe(bytes.length)
  expect(messages.map(({ data }) => (JSON.parse(data) as JsonObject)['type'])).not.toContain('ping')
  expect(messages.at(-1)?.data).toMatch(/"message_stop".*invocationMetrics/)
})

test('Claude on Bedrock streams: an exception as a message of its own behind what was said', () => {
  const turn = { type: 'failure', failure: 'rate-limited', place: 'body', after: hello.parts } as const
  const names = scanMessages(ask('Claude on Bedrock', { path: streamedPath.bedrock }, turn).bytes)
  expect(names.at(-1)).toMatchObject({ name: 'throttlingException' })
  expect(names.at(-2)).toMatchObject({ name: 'chunk' })
})

test('errors are in the words of whoever finds them: of the cloud, or of the model', () => {
  const say = (failure: 'unknown-model' | 'bad-request'): string =>
    ask('Claude on Vertex', {}, { type: 'failure', failure }).text
  expect(JSON.parse(say('unknown-model'))).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
  expect(JSON.parse(say('bad-request'))).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
})
