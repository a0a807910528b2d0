import { AdapterError, LoopError, StepLoop, StepLoopError, tool, type Message, type Transcript } from '@steploop/core'
import { parseDelay } from '@steploop/core/adapter'
import { limitToolOutput } from '@steploop/core/policies'
import { scriptedAdapter } from '@steploop/core/testing'
import { createGemini } from '@steploop/gemini'
import { createGroq } from '@steploop/groq'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  call,
  chatAnswer,
  chatModel,
  chatStream,
  outcomes,
  play,
  serverOf,
  time,
  type Parsed,
} from './testing.ts'

function refusal(status: number, error: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ error }), { status, headers })
}

/** The typed error that a chat server's refusal becomes. */
async function errorOf(answer: Response | string | object, mode: 'generate' | 'stream' = 'generate') {
  const { model } = chatModel([answer])
  const loop = new StepLoop({ model, maxRetries: 0 })
  const run = mode === 'generate' ? loop.generate('x') : loop.stream('x').result
  const error = await run.catch((reason: unknown) => reason)
  return LoopError.isInstance(error) && AdapterError.isInstance(error.cause) ? error.cause : undefined
}

test('a failing provider says when to ask again in headers and bodies of many forms', { tags: ['E02'] }, async () => {
  const delayOf = async (headers: Record<string, string>) => (await errorOf(refusal(429, {}, headers)))?.retryAfterMs
  expect(await delayOf({ 'retry-after-ms': '250' })).toBe(250)
  expect(await delayOf({ 'retry-after': '2' })).toBe(2000)
  const reset = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }
  expect(await delayOf(reset)).toBe(360_000)
  const now = Date.parse('2026-11-22T10:00:00Z')
  const forms = ['20ms', '7.66s', '1h2m', 'Sun, 22 Nov 2026 10:00:05 GMT', '2026-11-22T10:00:01Z', 'soon']
  expect(forms.map((form) => parseDelay(form, now))).toEqual([20, 7660, 3_720_000, 5000, 1000, undefined])
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }]
  const { fetch } = serverOf([refusal(429, { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow', details })])
  const gemini = new StepLoop({
    model: createGemini({ apiKey: 'k-1234', fetch })('gemini-3-flash-preview'),
    maxRetries: 0,
  })
  await expect(gemini.generate('x')).rejects.toMatchObject({ cause: { code: 'rate-limit', retryAfterMs: 7000 } })
})

test('a failing provider fails with one type of error per kind of failure', { tags: ['E03'] }, async () => {
  const codes: [string, Response | string | object, ('generate' | 'stream')?][] = [
    ['authentication', refusal(401, { message: 'bad key' })],
    ['permission', refusal(403, { message: 'no' })],
    ['bad-request', refusal(400, { message: 'no such field', type: 'invalid_request_error' })],
    ['context-overflow', refusal(400, { message: 'too long', code: 'context_length_exceeded' })],
    ['rate-limit', refusal(429, { message: 'slow down' }, { 'retry-after': '1' })],
    ['insufficient-credit', refusal(429, { message: 'pay', code: 'insufficient_quota' })],
    ['content-filter', refusal(400, { message: 'no', code: 'content_filter' })],
    ['overloaded', refusal(503, { message: 'busy' })],
    ['server-error', refusal(500, { message: 'oops' })],
    ['malformed-response', new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['empty-response', new Response('', { headers: { 'content-type': 'application/json' } })],
    ['incomplete-stream', chatStream([{ content: 'Zür' }]).slice(0, 60), 'stream'],
  ]
  const found: unknown[] = []
  for (const [, answer, mode] of codes) found.push((await errorOf(answer, mode))?.code)
  expect(found).toEqual(codes.map(([code]) => code))
  expect(await errorOf(refusal(429, {}, { 'retry-after': '1' }))).toMatchObject({
    retryable: true,
    retryAfterMs: 1000,
    status: 429,
  })
  const nobody = new StepLoop({ model: chatModel([]).model, maxRetries: 0 }).generate('x')
  await expect(nobody).rejects.toMatchObject({ cause: { code: 'connection', retryable: true } })
  expect(StepLoopError.isInstance(await errorOf(refusal(401, {})))).toBe(true)
  const { fetch } = serverOf([refusal(400, { message: 'Failed to call a function', code: 'tool_use_failed' })])
  const groq = createGroq({ apiKey: 'k-1234', fetch })('qwen/qwen3-32b')
  const turn = groq.turn({ messages: [{ role: 'user', content: 'x' }], turn: 0 }, { mode: 'generate' })
  await expect(turn[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'tool-use-failed' })
})

test('another provider may take over: ids stay paired, signatures stay behind', { tags: ['E05'] }, async () => {
  const thought = { type: 'thinking', thinking: 'Zürich …', signature: 'c2ln' }
  const first = anthropicModel([
    anthropicAnswer([thought, anthropicCall('toolu_01.x', 'time', { tz: 'CET' })], 'tool_use'),
    new Response('{"type":"error","error":{"type":"overloaded_error","message":"busy"}}', { status: 529 }),
  ])
  const second = chatModel([chatAnswer('Noon.')])
  const loop = new StepLoop({ model: first.model, fallbacks: [second.model], tools: { time }, maxRetries: 0 })
  const result = await loop.generate('x')
  expect([result.text, result.steps.map(({ provider }) => provider)]).toEqual([
    'Noon.',
    ['anthropic', second.model.provider],
  ])
  const [, assistant, answer] = second.bodies[0].messages
  expect(JSON.stringify(second.bodies[0])).not.toContain('c2ln')
  expect(assistant.tool_calls[0].id).toBe(answer.tool_call_id)
  expect(answer.tool_call_id).toMatch(/^[\w-]{1,40}$/)
})

test('a run that waits is JSON, goes on with edited arguments, and has a version', { tags: ['E06'] }, async () => {
  const ran: unknown[] = []
  const pay = tool({
    inputSchema: z.object({ sum: z.number() }),
    needsApproval: true,
    execute: (input) => ran.push(input),
  })
  const turn = [call('ask', { question: '?' }, 'q'), call('pay', { sum: 9 }, 'p')]
  const { loop, requests } = play([turn, 'Done.'], { tools: { pay, ask: tool({ inputSchema: z.object({}) }) } })
  const stored: Transcript = JSON.parse(JSON.stringify((await loop.generate('x')).transcript))
  expect(stored).toMatchObject({ version: 1, pendingCalls: [{ reason: 'client-tool' }, { reason: 'approval' }] })
  const toolOutputs = { q: { output: 'yes' }, p: { approved: true, input: { sum: 5 } } } as const
  const result = await loop.generate({ transcript: stored, toolOutputs })
  expect([result.text, ran, requests.length]).toEqual(['Done.', [{ sum: 5 }], 2])
  const newer = loop.generate({ transcript: { ...stored, version: 9 as 1 } })
  await expect(newer).rejects.toMatchObject({
    code: 'transcript-version',
    message: expect.stringContaining('version 9'),
  })
})

test('images and files go in, also as results; refusals come out', { tags: ['E07'] }, async () => {
  const image = { type: 'file', mediaType: 'image/png', data: 'aGk=' } as const
  const file = { type: 'file', mediaType: 'application/pdf', data: 'aGk=' } as const
  const shoot = tool({
    inputSchema: z.object({}),
    execute: () => 0,
    toModelOutput: () => ({ type: 'content', value: [image] }),
  })
  const { model, bodies } = anthropicModel([
    anthropicAnswer([anthropicCall('c1', 'shoot', {})], 'tool_use'),
    anthropicAnswer([{ type: 'text', text: 'Seen.' }]),
  ])
  const messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, image, file] }]
  await new StepLoop({ model, tools: { shoot } }).generate({ messages })
  expect(bodies[0].messages[0].content.map(({ type }: Parsed) => type)).toEqual(['text', 'image', 'document'])
  expect(bodies[1].messages[2].content[0].content).toMatchObject([{ type: 'image', source: { data: 'aGk=' } }])
  const declined = chatModel([
    { choices: [{ index: 0, message: { role: 'assistant', content: null, refusal: 'No.' }, finish_reason: 'stop' }] },
  ])
  const { steps, text } = await new StepLoop({ model: declined.model }).generate('x')
  expect([text, steps[0]?.message.content]).toMatchObject(['', [{ type: 'refusal', text: 'No.' }]])
})

test('long outputs may be cut, conversations shortened, and an overflow is told', { tags: ['E09'] }, async () => {
  const long = tool({ inputSchema: z.object({}), execute: () => 'x'.repeat(500) })
  const { loop, requests } = play([[call('long')], [call('long')], 'Done.'], {
    tools: { long },
    policies: [limitToolOutput({ maxCharacters: 50 })],
    prepareStep: ({ step, messages }) => (step === 2 ? { messages: [messages[0]!, ...messages.slice(-2)] } : undefined),
  })
  const result = await loop.generate('x')
  expect(String(outcomes(result.toolResults)[0])).toMatch(/^x{50}\n\[cut: 450 of 500 characters left out\]$/)
  expect(requests.map(({ request }) => request.messages.length)).toEqual([1, 3, 3])
  const larger = scriptedAdapter(['Done.'], { model: 'larger' })
  const full = new AdapterError({ provider: 'scripted', model: 'scripted-1', code: 'context-overflow' })
  expect((await play([full], { fallbacks: [larger] }).loop.generate('x')).steps[0]?.model).toBe('larger')
})
