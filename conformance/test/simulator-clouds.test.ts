import { simulatedWire, type JsonObject } from '@steploop/conformance/simulator'
import { expect, test } from 'vitest'
import { reply } from '../src/simulator/play.ts'
import { apply, corruptionOf, type Draft } from './simulator-refusals.ts'
import { sectionsOf } from './simulator-tables.ts'

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

function ask(cloud: Cloud, { path, headers, body }: Asked) {
  const { wire, baseURL } = clouds[cloud]
  const simulation = simulatedWire(wire, baseURL)
  const memory = { responses: new Map(), items: new Map() }
  const answer = reply(
    { simulation, script: [], apiKey: 'good', memory, position: 0, requests: 0 },
    { method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, text: JSON.stringify(body) },
  )
  return { status: answer.status, text: String(answer.body) }
}

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
