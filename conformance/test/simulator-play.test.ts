import { expect, test } from 'vitest'

import {
  startSimulator,
  type FailureKind,
  type Simulator,
  type SimulatorOptions,
} from '@steploop/conformance/simulator'
import * as simulators from './started.ts'

interface Played {
  readonly path: string
  /** Of a stream, where it is another one. */
  readonly streamPath?: string
  readonly streamType?: string
  /** After an event. */
  readonly gap?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  /** Status of a wrong key and of none. Default: 401. */
  readonly wrongKey?: number
  readonly noKey?: number
  readonly requestId?: boolean
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
  },
  'gemini-generate': {
    path: '/models/gemini-3-flash-preview:generateContent',
    streamPath: '/models/gemini-3-flash-preview:streamGenerateContent?alt=sse',
    gap: '\r\n\r\n',
    headers: { 'x-goog-api-key': 'good' },
    body: { contents: [{ role: 'user', parts: [{ text: weather }] }] },
    wrongKey: 400,
    noKey: 403,
    requestId: false,
    hasTypes: false,
  },
  'ollama-chat': {
    path: '/api/chat',
    streamType: 'application/x-ndjson',
    gap: '\n',
    headers: { authorization: 'Bearer good' },
    body: { model: 'qwen3', messages },
    requestId: false,
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

test.each(names)('%s: the same script gives the same bytes, in both modes', async (wire) => {
  const script = [{ type: 'answer', parts: [text] } as const]
  for (const stream of [false, true]) {
    const first = await (await ask(await started(wire, { script }), wire, { stream })).text()
    const second = await (await ask(await started(wire, { script }), wire, { stream })).text()
    expect(first).toContain('Zürich')
    expect(second).toBe(first)
  }
})

test.each(names)('%s: every answer carries the marker header, a content type and a request id', async (wire) => {
  const script = [
    { type: 'answer', parts: [text] },
    { type: 'answer', parts: [text] },
  ] as const
  const simulator = await started(wire, { script })
  const whole = await ask(simulator, wire)
  const streamed = await ask(simulator, wire, { stream: true })
  await Promise.all([whole.text(), streamed.text()])
  expect(whole.headers.get('content-type')).toBe('application/json')
  const { streamType = 'text/event-stream; charset=utf-8', requestId = true } = wires[wire]!
  expect(streamed.headers.get('content-type')).toBe(streamType)
  for (const response of [whole, streamed]) {
    expect(response.headers.get('x-steploop-simulator')).toMatch(/^\d+\.\d+\.\d+/)
    const id = response.headers.get('x-request-id') ?? response.headers.get('request-id')
    expect(id?.startsWith('req_sim') ?? false).toBe(requestId)
  }
})

test.each(names)('%s: a stream comes in chunks that cut characters and hold several events', async (wire) => {
  const simulator = await started(wire, { script: [{ type: 'answer', parts: [text] }] })
  const response = await ask(simulator, wire, { stream: true })
  const { gap = '\n\n' } = wires[wire]!
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body!) chunks.push(chunk)
  const startsInside = chunks.filter((chunk) => (chunk[0]! & 0xc0) === 0x80)
  const severalEvents = chunks.filter((chunk) => Buffer.from(chunk).toString().split(gap).length > 2)
  expect(startsInside.length).toBeGreaterThan(0)
  expect(severalEvents.length).toBeGreaterThan(0)
})

test.each(names)('%s: a request after the last turn is a 500 that says so', async (wire) => {
  const simulator = await started(wire, { script: [] })
  const response = await ask(simulator, wire)
  expect(response.status).toBe(500)
  expect(messageOf(await response.json())).toContain('script is over')
  expect(simulator.requests).toHaveLength(1)
})

test.each(names)('%s: a wrong path and a missing or wrong key use up no turn', async (wire) => {
  const simulator = await started(wire, { script: [{ type: 'answer', parts: [text] }], apiKey: 'good' })
  const elsewhere = await ask(simulator, wire, { path: '/embeddings' })
  const wrong = await ask(simulator, wire, { headers: keysOf('bad') })
  const missing = await ask(simulator, wire, { headers: keysOf('') })
  const { wrongKey = 401, noKey = 401 } = wires[wire]!
  expect([elsewhere.status, wrong.status, missing.status]).toEqual([404, wrongKey, noKey])
  expect(simulator.remaining).toBe(1)
  const good = await ask(simulator, wire)
  expect(good.status).toBe(200)
  expect(simulator.remaining).toBe(0)
})

test.each(names)('%s: the message about a wrong key does not show the key', async (wire) => {
  const simulator = await started(wire, { script: [], apiKey: 'good' })
  const key = 'canary-key-1234567890'
  const response = await ask(simulator, wire, { headers: keysOf(key) })
  expect(response.status).toBe(wires[wire]!.wrongKey ?? 401)
  expect(await response.text()).not.toContain('canary')
})

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

/** By provider, in the order of `wires`: the status, and words of those who have their own. */
const statuses: Readonly<Record<string, readonly (number | readonly [number, string])[]>> = {
  'bad-key': [401, 401, 401, [400, 'INVALID_ARGUMENT'], [401, '"unauthorized"']],
  forbidden: [403, 403, 403, [403, 'PERMISSION_DENIED'], [403, 'requires a subscription']],
  'unknown-model': [400, 404, 404, [404, 'NOT_FOUND'], [404, '"model \'qwen3\' not found"']],
  'bad-request': [400, 400, 400, [400, 'INVALID_ARGUMENT'], [400, 'does not support tools']],
  'context-overflow': [400, 400, 400, [400, 'INVALID_ARGUMENT'], [400, 'exceeds the context length']],
  'rate-limited': [429, 429, 429, [429, 'RESOURCE_EXHAUSTED'], [429, 'too many requests']],
  'insufficient-credit': [429, 429, 402, [429, 'RESOURCE_EXHAUSTED'], [402, 'payment']],
  overloaded: [503, 503, 529, [503, 'UNAVAILABLE'], [503, 'server busy']],
  'server-error': [500, 500, 500, [500, 'INTERNAL'], [500, 'error was encountered']],
}
const failures = Object.keys(statuses) as FailureKind[]
const kinds = failures.flatMap((failure) =>
  names.map((wire, index) => ({ failure, wire, said: statuses[failure]?.[index] ?? 0 })),
)

test.each(kinds)(
  '$wire: $failure has its status and a message, or stands inside a 200',
  async ({ failure, wire, said }) => {
    const [status, words] = typeof said === 'number' ? [said, ''] : said
    const script = [
      { type: 'failure', failure },
      { type: 'failure', failure, place: 'body' },
      { type: 'failure', failure, place: 'body', after: [text] },
    ] as const
    const simulator = await started(wire, { script })
    const answers = [
      await ask(simulator, wire),
      await ask(simulator, wire),
      await ask(simulator, wire, { stream: true }),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([status, 200, 200])
    const [plain = '', inside = '', streamed = ''] = await Promise.all(answers.map((answer) => answer.text()))
    for (const body of [plain, inside]) expect(messageOf(JSON.parse(body))).toEqual(expect.any(String))
    for (const body of [plain, inside, streamed]) expect(body).toContain(words)
    expect(streamed).toMatch(/東[^]*"error":/)
  },
)

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
