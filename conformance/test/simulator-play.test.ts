import { expect, test } from 'vitest'

import { startSimulator, type Simulator, type SimulatorOptions } from '@steploop/conformance/simulator'
import * as simulators from './started.ts'

interface Played {
  readonly path: string
  /** Of a stream, where it is another one. */
  readonly streamPath?: string
  /** After an event. */
  readonly gap?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  /** Status of a wrong key and of none. Default: 401. */
  readonly wrongKey?: number
  readonly noKey?: number
  /** Status where the credit is used up. Default: 429. */
  readonly noCredit?: number
  /** Whether errors have a type. */
  readonly hasTypes?: boolean
}

const weather = 'Weather in Zürich and 東京? 🌦️'
const messages = [{ role: 'user', content: weather }]

const wires: Readonly<Record<string, Played>> = {
  'openai-responses': {
    path: '/responses',
    headers: { authorization: 'Bearer good' },
    body: { model: 'gpt-sim', input: weather },
  },
  'openai-chat': {
    path: '/chat/completions',
    headers: { authorization: 'Bearer good' },
    body: { model: 'chat-sim', messages },
  },
  'anthropic-messages': {
    path: '/messages',
    headers: { 'x-api-key': 'good', 'anthropic-version': '2023-06-01' },
    body: { model: 'claude-sim', max_tokens: 100, messages },
    noCredit: 402,
  },
  'gemini-generate': {
    path: '/models/gemini-3-flash-preview:generateContent',
    streamPath: '/models/gemini-3-flash-preview:streamGenerateContent?alt=sse',
    gap: '\r\n\r\n',
    headers: { 'x-goog-api-key': 'good' },
    body: { contents: [{ role: 'user', parts: [{ text: weather }] }] },
    wrongKey: 400,
    noKey: 403,
    hasTypes: false,
  },
  'ollama-chat': {
    path: '/api/chat',
    gap: '\n',
    headers: { authorization: 'Bearer good' },
    body: { model: 'qwen3', messages },
    noCredit: 402,
    hasTypes: false,
  },
}

const names = Object.keys(wires)
const text = { type: 'text', text: 'In 東京 ist es schön, in Zürich auch: 🌦️!' } as const

function started(wire: string, options: Omit<SimulatorOptions, 'wire'>): Promise<Simulator> {
  return simulators.started({ wire, ...options })
}

interface Asked {
  readonly stream?: boolean
  readonly body?: object
  readonly headers?: object
  readonly path?: string
}

function ask(
  simulator: Simulator,
  wire: string,
  { stream = false, body: more, headers: other, path: elsewhere }: Asked = {},
) {
  const { path, streamPath, headers, body } = wires[wire]!
  const asked = { ...body, ...(streamPath === undefined && { stream }), ...more }
  return simulators.post(simulator, elsewhere ?? (stream ? (streamPath ?? path) : path), asked, {
    ...headers,
    ...other,
  })
}

const keysOf = (key: string) => ({ authorization: key && `Bearer ${key}`, 'x-api-key': key, 'x-goog-api-key': key })

/** The message of an error body. */
function messageOf(body: unknown): string {
  const { error } = body as { readonly error: string | { readonly message: string } }
  return typeof error === 'string' ? error : error.message
}

test.each(names)(
  '%s: a stream says that it is simulated, and comes in chunks that cut characters and hold several events',
  async (wire) => {
    const simulator = await started(wire, { script: [{ type: 'answer', parts: [text] }] })
    const response = await ask(simulator, wire, { stream: true })
    expect(response.headers.get('x-steploop-simulator')).toMatch(/^\d+\.\d+\.\d+/)
    const { gap = '\n\n' } = wires[wire]!
    const chunks: Uint8Array[] = []
    for await (const chunk of response.body!) chunks.push(chunk)
    const startsInside = chunks.filter((chunk) => (chunk[0]! & 0xc0) === 0x80)
    const severalEvents = chunks.filter((chunk) => Buffer.from(chunk).toString().split(gap).length > 2)
    expect(startsInside.length).toBeGreaterThan(0)
    expect(severalEvents.length).toBeGreaterThan(0)
  },
)

test.each(names)('%s: a request after the last turn is a 500 that says so', async (wire) => {
  const simulator = await started(wire, { script: [] })
  const response = await ask(simulator, wire)
  expect(response.status).toBe(500)
  expect(messageOf(await response.json())).toContain('script is over')
  expect(simulator.requests).toHaveLength(1)
})

test.each(names)(
  '%s: a wrong path and a missing or wrong key use up no turn, and a wrong key is not shown',
  async (wire) => {
    const simulator = await started(wire, { script: [{ type: 'answer', parts: [text] }], apiKey: 'good' })
    const elsewhere = await ask(simulator, wire, { path: '/embeddings' })
    const wrong = await ask(simulator, wire, { headers: keysOf('canary-key-1234567890') })
    const missing = await ask(simulator, wire, { headers: keysOf('') })
    const { wrongKey = 401, noKey = 401 } = wires[wire]!
    expect([elsewhere.status, wrong.status, missing.status]).toEqual([404, wrongKey, noKey])
    expect(await wrong.text()).not.toContain('canary')
    expect(simulator.remaining).toBe(1)
    const good = await ask(simulator, wire)
    expect(good.status).toBe(200)
    expect(simulator.remaining).toBe(0)
  },
)

test.each(names)(
  '%s: cutAfter ends the stream before its terminal evidence, and a body before its end',
  async (wire) => {
    const terminal = /"finish_reason":"|\[DONE\]|response\.completed|message_stop|finishReason|"done":true/
    const script = [0, 0.5, 1, 1].map((cutAfter) => ({ type: 'answer', parts: [text], cutAfter }) as const)
    const simulator = await started(wire, { script })
    const bodies: string[] = []
    for (const _ of [0, 0.5, 1]) bodies.push(await (await ask(simulator, wire, { stream: true })).text())
    expect(bodies[0]).toBe('')
    expect(bodies[1]!.length).toBeLessThan(bodies[2]!.length)
    for (const body of bodies) expect(body).not.toMatch(terminal)
    const cutJson = await (await ask(simulator, wire)).text()
    expect(() => JSON.parse(cutJson) as unknown).toThrow(SyntaxError)
  },
)

test.each(names)('%s: credit that is used up has a status of its own, and a message', async (wire) => {
  const simulator = await started(wire, { script: [{ type: 'failure', failure: 'insufficient-credit' }] })
  const answer = await ask(simulator, wire)
  expect(answer.status).toBe(wires[wire]!.noCredit ?? 429)
  expect(messageOf(await answer.json())).toEqual(expect.any(String))
})

test.each(names)('%s: a body that is no JSON, or is not sent as JSON, is a 400 in the error shape', async (wire) => {
  const simulator = await started(wire, { script: [] })
  const { path, headers, body, hasTypes = true } = wires[wire]!
  const sent = [
    { type: 'application/json', text: '{"model":' },
    { type: 'application/json', text: '[]' },
    { type: 'text/plain', text: JSON.stringify(body) },
  ]
  for (const { type, text: content } of sent) {
    const response = await fetch(`${simulator.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': type },
      body: content,
    })
    expect(response.status).toBe(400)
    const answer: unknown = await response.json()
    expect(messageOf(answer)).toMatch(/json/i)
    expect(answer).toMatchObject(hasTypes ? { error: { type: 'invalid_request_error' } } : {})
  }
})

test.each(names)('%s: reading the endpoint instead of posting to it is a 404', async (wire) => {
  const simulator = await started(wire, { script: [] })
  const response = await fetch(`${simulator.url}${wires[wire]!.path}`, { headers: wires[wire]!.headers })
  expect(response.status).toBe(404)
  expect(messageOf(await response.json())).not.toBe('')
})

test('anthropic-messages: the version header is required', async () => {
  const simulator = await started('anthropic-messages', { script: [] })
  const missing = await ask(simulator, 'anthropic-messages', { headers: { 'anthropic-version': '' } })
  expect(missing.status).toBe(400)
  expect(await missing.text()).toContain('anthropic-version')
})

test('a refused request keeps its reason, and what it sent', async () => {
  const simulator = await started('openai-chat', { script: [{ type: 'answer', parts: [text] }] })
  await (await ask(simulator, 'openai-chat', { body: { top_k: 1 } })).text()
  await (await ask(simulator, 'openai-chat')).text()
  expect(simulator.requests.map(({ status }) => status)).toEqual([400, 200])
  expect(simulator.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    body: { top_k: 1 },
    rejection: { param: 'top_k' },
  })
  expect(simulator.requests[1]).not.toHaveProperty('refusal.message')
})

test('an unknown wire format is refused at the start, with the known ones', async () => {
  await expect(startSimulator({ wire: 'telepathy', script: [] })).rejects.toThrow(/anthropic-messages/)
})

test('a host that is not known is played as the provider after which the wire format is named', async () => {
  const options = { script: [{ type: 'answer', parts: [text] }], baseURL: 'https://chat.example.com/v1' } as const
  const response = await ask(await started('openai-chat', options), 'openai-chat')
  expect(await response.json()).toMatchObject({ service_tier: 'default', system_fingerprint: 'fp_sim' })
})

test('OpenRouter tells of a fault of its own inside a 200, with a number as the code, streamed or not', async () => {
  const fault = { type: 'failure', failure: 'rate-limited', location: 'body' } as const
  const simulator = await started('openai-chat', { script: [fault, fault], baseURL: 'https://openrouter.ai/api/v1' })
  const whole = await (await ask(simulator, 'openai-chat')).json()
  expect(whole).toMatchObject({ error: { code: 429 } })
  const streamed = await (await ask(simulator, 'openai-chat', { stream: true })).text()
  expect(streamed).toContain('"error":{"code":429')
})
