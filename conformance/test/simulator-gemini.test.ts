import { expect, test } from 'vitest'

import { simulatedWire, type Simulator, type SimulatorOptions } from '@steploop/conformance/simulator'
import * as simulators from './started.ts'

function started(options: Omit<SimulatorOptions, 'wire'>): Promise<Simulator> {
  return simulators.started({ wire: 'gemini-generate', ...options })
}

interface Asked {
  readonly model?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

const whole = 'generateContent'
const streamed = 'streamGenerateContent?alt=sse'
const question = { contents: [{ role: 'user', parts: [{ text: 'Wetter in Zürich?' }] }] }

function ask(simulator: Simulator, asked: Asked = {}): Promise<Response> {
  const { model = 'gemini-3-flash-preview', method = whole, headers = { 'x-goog-api-key': 'good' } } = asked
  return simulators.post(simulator, `/models/${model}:${method}`, asked.body ?? question, headers)
}

interface Chunk {
  readonly candidates: readonly [{ readonly content: { readonly parts?: readonly Part[] } }]
  readonly modelVersion: string
}

interface Part {
  readonly text?: string
  readonly thought?: boolean
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: object }
}

const calls = {
  type: 'answer',
  parts: [
    { type: 'reasoning', text: 'Zwei Fragen.' },
    { type: 'text', text: 'Moment.' },
    { type: 'call', toolName: 'get_weather', input: { city: 'Zürich' } },
    { type: 'call', toolName: 'list_alerts', input: {} },
  ],
} as const

test('the path names the model and the mode; without alt=sse, and elsewhere, nothing answers', async () => {
  const simulator = await started({ script: [calls, calls] })
  const bare = await ask(simulator, { method: 'streamGenerateContent' })
  const other = await ask(simulator, { method: 'countTokens' })
  expect([bare.status, other.status]).toEqual([404, 404])
  expect(await bare.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
  const answer = (await (await ask(simulator, { model: 'gemini-3.5-pro' })).json()) as Chunk
  expect(answer.modelVersion).toBe('gemini-3.5-pro')
  const stream = await ask(simulator, { method: streamed })
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
})

test('older models number no calls and want no signature back', async () => {
  const simulator = await started({ script: [calls, { type: 'answer', parts: [{ type: 'text', text: '21 °C' }] }] })
  const model = 'gemini-2.0-flash'
  const answer = (await (await ask(simulator, { model })).json()) as Chunk
  const { parts = [] } = answer.candidates[0].content
  expect(parts.slice(1)).toEqual([
    { functionCall: { name: 'get_weather', args: { city: 'Zürich' } } },
    { functionCall: { name: 'list_alerts', args: {} } },
  ])
  const responses = parts.slice(1).map(({ functionCall }) => ({
    functionResponse: { name: functionCall?.name, response: {} },
  }))
  const contents = [...question.contents, { role: 'model', parts }, { role: 'user', parts: responses }]
  expect((await ask(simulator, { model, body: { contents } })).status).toBe(200)
})

test('a call of another model passes with the documented stand-in, in both spellings, and only in a turn that is over without', async () => {
  const answer = { type: 'answer', parts: [{ type: 'text', text: 'Ja.' }] } as const
  const simulator = await started({ script: [answer, answer, answer] })
  const history = (extra: object): object[] => [
    ...question.contents,
    { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'f', args: {} }, ...extra }] },
    { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'f', response: {} } }] },
  ]
  const standIn = 'skip_thought_signature_validator'
  for (const thoughtSignature of [standIn, Buffer.from(standIn).toString('base64')]) {
    const contents = history({ thoughtSignature })
    expect((await ask(simulator, { body: { contents } })).status).toBe(200)
  }
  expect((await ask(simulator, { body: { contents: history({}) } })).status).toBe(400)
  const over = [
    ...history({}),
    { role: 'model', parts: [{ text: 'Ja.' }] },
    { role: 'user', parts: [{ text: 'Und?' }] },
  ]
  expect((await ask(simulator, { body: { contents: over } })).status).toBe(200)
})

test('thoughts show only where the request asks for them', async () => {
  const simulator = await started({ script: [calls, calls] })
  const generationConfig = { thinkingConfig: { includeThoughts: true } }
  const hidden = (await (await ask(simulator)).json()) as Chunk
  const shown = (await (await ask(simulator, { body: { ...question, generationConfig } })).json()) as Chunk
  const thoughts = ({ candidates }: Chunk): unknown => candidates[0].content.parts?.filter(({ thought }) => thought)
  expect(thoughts(hidden)).toEqual([])
  expect(thoughts(shown)).toEqual([{ text: 'Zwei Fragen.', thought: true }])
})

test('arguments that are no JSON object never leave the provider', () => {
  const broken = { type: 'call', toolName: 'f', input: {}, inputText: '{"a":' } as const
  const context = { turn: 1, request: { model: 'gemini-3-flash-preview' } }
  const answer = { type: 'answer', parts: [broken] } as const
  expect(simulatedWire('gemini-generate').answerJson(answer, context)['candidates']).toMatchObject([
    { content: { role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL' },
  ])
})

test('a missing key is forbidden, a wrong one an invalid argument, and a bearer token is as good', async () => {
  const simulator = await started({ script: [calls], apiKey: 'good' })
  const missing = await ask(simulator, { headers: {} })
  const wrong = await ask(simulator, { headers: { 'x-goog-api-key': 'canary-key' } })
  expect([missing.status, wrong.status]).toEqual([403, 400])
  const body = await wrong.text()
  expect(body).toContain('API_KEY_INVALID')
  expect(body).not.toContain('canary')
  expect((await ask(simulator, { headers: { authorization: 'Bearer good' } })).status).toBe(200)
})
