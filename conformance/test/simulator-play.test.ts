import { afterEach, expect, test } from 'vitest'

import { startSimulator, type Simulator, type SimulatorOptions } from '@steploop/conformance/simulator'

const open: Simulator[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((simulator) => simulator.close()))
})

const wires = {
  'openai-responses': {
    path: '/responses',
    headers: { authorization: 'Bearer good' },
    body: { model: 'gpt-sim', input: 'Weather in Zürich and 東京? 🌦️' },
  },
  'openai-chat': {
    path: '/chat/completions',
    headers: { authorization: 'Bearer good' },
    body: { model: 'chat-sim', messages: [{ role: 'user', content: 'Weather in Zürich and 東京? 🌦️' }] },
  },
  'anthropic-messages': {
    path: '/messages',
    headers: { 'x-api-key': 'good', 'anthropic-version': '2023-06-01' },
    body: {
      model: 'claude-sim',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Weather in Zürich and 東京? 🌦️' }],
    },
  },
} as const

type Wire = keyof typeof wires
const names = Object.keys(wires) as Wire[]
const text = { type: 'text', text: 'In 東京 ist es schön, in Zürich auch: 🌦️!' } as const

async function started(wire: Wire, options: Omit<SimulatorOptions, 'wire'>): Promise<Simulator> {
  const simulator = await startSimulator({ wire, ...options })
  open.push(simulator)
  return simulator
}

function ask(simulator: Simulator, wire: Wire, extra: { body?: object; headers?: object; path?: string } = {}) {
  const { path, headers, body } = wires[wire]
  return fetch(`${simulator.url}${extra.path ?? path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...extra.headers },
    body: JSON.stringify({ ...body, ...extra.body }),
  })
}

test.each(names)('%s: the same script gives the same bytes, in both modes', async (wire) => {
  const script = [{ type: 'answer', parts: [text] } as const]
  for (const body of [{}, { stream: true }]) {
    const first = await (await ask(await started(wire, { script }), wire, { body })).text()
    const second = await (await ask(await started(wire, { script }), wire, { body })).text()
    expect(first).toContain('sim1')
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
  const streamed = await ask(simulator, wire, { body: { stream: true } })
  await Promise.all([whole.text(), streamed.text()])
  expect(whole.headers.get('content-type')).toBe('application/json')
  expect(streamed.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  for (const response of [whole, streamed]) {
    expect(response.headers.get('x-steploop-simulator')).toMatch(/^\d+\.\d+\.\d+/)
    expect(response.headers.get('x-request-id') ?? response.headers.get('request-id')).toMatch(/^req_sim/)
  }
})

test.each(names)('%s: a stream comes in chunks that cut characters and hold several events', async (wire) => {
  const simulator = await started(wire, { script: [{ type: 'answer', parts: [text] }] })
  const response = await ask(simulator, wire, { body: { stream: true } })
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body!) chunks.push(chunk)
  const startsInside = chunks.filter((chunk) => (chunk[0]! & 0xc0) === 0x80)
  const severalEvents = chunks.filter((chunk) => Buffer.from(chunk).toString().split('\n\n').length > 2)
  expect(startsInside.length).toBeGreaterThan(0)
  expect(severalEvents.length).toBeGreaterThan(0)
})

test.each(names)('%s: a request after the last turn is a 500 that says so', async (wire) => {
  const simulator = await started(wire, { script: [] })
  const response = await ask(simulator, wire)
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining('script is over') as string },
  })
  expect(simulator.requests).toHaveLength(1)
})

test.each(names)('%s: a wrong path and a missing or wrong key use up no turn', async (wire) => {
  const simulator = await started(wire, { script: [{ type: 'answer', parts: [text] }], apiKey: 'good' })
  const elsewhere = await ask(simulator, wire, { path: '/embeddings' })
  const wrong = await ask(simulator, wire, { headers: { authorization: 'Bearer bad', 'x-api-key': 'bad' } })
  const missing = await ask(simulator, wire, { headers: { authorization: '', 'x-api-key': '' } })
  expect([elsewhere.status, wrong.status, missing.status]).toEqual([404, 401, 401])
  expect(simulator.remaining).toBe(1)
  const good = await ask(simulator, wire)
  expect(good.status).toBe(200)
  expect(simulator.remaining).toBe(0)
})

test.each(names)('%s: the message about a wrong key does not show the key', async (wire) => {
  const simulator = await started(wire, { script: [], apiKey: 'good' })
  const key = 'canary-key-1234567890'
  const response = await ask(simulator, wire, { headers: { authorization: `Bearer ${key}`, 'x-api-key': key } })
  expect(response.status).toBe(401)
  expect(await response.text()).not.toContain('canary')
})

test.each(names)(
  '%s: cutAfter ends the stream before its terminal evidence, and a body before its end',
  async (wire) => {
    const terminal = /"finish_reason":"|\[DONE\]|response\.completed|message_stop/
    const script = [0, 0.5, 1, 1].map((cutAfter) => ({ type: 'answer', parts: [text], cutAfter }) as const)
    const simulator = await started(wire, { script })
    const bodies: string[] = []
    for (const _ of [0, 0.5, 1]) bodies.push(await (await ask(simulator, wire, { body: { stream: true } })).text())
    expect(bodies[0]).toBe('')
    expect(bodies[1]!.length).toBeLessThan(bodies[2]!.length)
    for (const body of bodies) expect(body).not.toMatch(terminal)
    const cutJson = await (await ask(simulator, wire)).text()
    expect(() => JSON.parse(cutJson) as unknown).toThrow(SyntaxError)
  },
)

const statuses = {
  'bad-key': [401, 401, 401],
  forbidden: [403, 403, 403],
  'unknown-model': [400, 404, 404],
  'bad-request': [400, 400, 400],
  'context-overflow': [400, 400, 400],
  'rate-limited': [429, 429, 429],
  'insufficient-credit': [429, 429, 402],
  overloaded: [503, 503, 529],
  'server-error': [500, 500, 500],
} as const
const kinds = Object.keys(statuses) as (keyof typeof statuses)[]

test.each(kinds)('%s has the status of each provider and an error message, or stands inside a 200', async (failure) => {
  for (const [index, wire] of names.entries()) {
    const script = [
      { type: 'failure', failure },
      { type: 'failure', failure, place: 'body' },
      { type: 'failure', failure, place: 'body', after: [text] },
    ] as const
    const simulator = await started(wire, { script })
    const plain = await ask(simulator, wire)
    expect(plain.status).toBe(statuses[failure][index])
    expect(await plain.json()).toMatchObject({ error: { message: expect.any(String) as string } })
    const inside = await ask(simulator, wire)
    expect(inside.status).toBe(200)
    expect(await inside.json()).toMatchObject({ error: { message: expect.any(String) as string } })
    const streamed = await ask(simulator, wire, { body: { stream: true } })
    expect(streamed.status).toBe(200)
    const body = await streamed.text()
    expect(body).toMatch(/"error":\{/)
    expect(body).toContain('東')
  }
})

test.each(names)('%s: a body that is no JSON, or is not sent as JSON, is a 400 in the error shape', async (wire) => {
  const simulator = await started(wire, { script: [] })
  const { path, headers, body } = wires[wire]
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
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('JSON') as string },
    })
  }
})

test.each(names)('%s: reading the endpoint instead of posting to it is a 404', async (wire) => {
  const simulator = await started(wire, { script: [] })
  const response = await fetch(`${simulator.url}${wires[wire].path}`, { headers: wires[wire].headers })
  expect(response.status).toBe(404)
  expect(await response.json()).toHaveProperty('error.message')
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
