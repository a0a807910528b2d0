import { simulatedWire, type JsonObject } from '@steploop/conformance/simulator'
import { expect, test } from 'vitest'
import { reply } from '../src/wires/simulate/play.ts'
import { apply, corruptionOf, type Draft } from './simulator-refusals.ts'
import { sectionsOf } from './simulator-tables.ts'
import { bytesOf } from '../src/wires/simulate/body-bytes.ts'
import { scanMessages } from '../src/wires/event-stream.ts'
import type { ScriptedTurn } from '../src/script.ts'

const hello: ScriptedTurn = { type: 'answer', parts: [{ type: 'text', text: 'Grüezi' }] }
const publishers = '/v1/projects/my-project/locations/global/publishers'
const bearer = { authorization: 'Bearer good' }
const question = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
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

const streamedPath = `${clouds['Claude on Bedrock'].good.path}-with-response-stream`

test.each(Object.keys(clouds) as Cloud[])('%s answers what is asked as the documentation says', (cloud) => {
  expect(ask(cloud)).toMatchObject({ status: 200, text: expect.stringContaining('Grüezi') as string })
})

const refused = [...sectionsOf('refusals/clouds.txt')].flatMap(([cloud, lines]) =>
  lines.map((line) => ({ cloud: cloud as Cloud, ...corruptionOf(line) })),
)

test.each(refused)('$cloud refuses $name', ({ cloud, edits, error, status }) => {
  const asked = structuredClone<Asked>(clouds[cloud].good)
  apply(edits, asked as unknown as Draft)
  const answer = ask(cloud, asked)
  expect(answer).toMatchObject({ status, text: error['message'] })
  expect(answer.text).not.toContain('canary')
})

test('Claude on Bedrock streams: chunks in AWS frames, without pings, the last with counts of AWS', () => {
  const { headers, bytes } = ask('Claude on Bedrock', { path: streamedPath })
  expect(headers['content-type']).toBe('application/vnd.amazon.eventstream')
  const messages = scanMessages(bytes)
  expect(new Set(messages.map(({ name }) => name))).toEqual(new Set(['chunk']))
  expect(messages.at(-1)?.end).toBe(bytes.length)
  expect(messages.map(({ data }) => (JSON.parse(data) as JsonObject)['type'])).not.toContain('ping')
  expect(messages.at(-1)?.data).toMatch(/"message_stop".*invocationMetrics/)
})

test('Claude on Bedrock streams: an exception as a message of its own behind what was said', () => {
  const turn = { type: 'failure', failure: 'rate-limited', place: 'body', after: hello.parts } as const
  const names = scanMessages(ask('Claude on Bedrock', { path: streamedPath }, turn).bytes)
  expect(names.at(-1)).toMatchObject({ name: 'throttlingException' })
  expect(names.at(-2)).toMatchObject({ name: 'chunk' })
})

test('errors are in the words of whoever finds them: of the cloud, or of the model', () => {
  const say = (failure: 'unknown-model' | 'bad-request'): string =>
    ask('Claude on Vertex', {}, { type: 'failure', failure }).text
  expect(JSON.parse(say('unknown-model'))).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
  expect(JSON.parse(say('bad-request'))).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
})
