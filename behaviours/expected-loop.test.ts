import {
  AdapterError,
  LoopError,
  StepLoop,
  StepLoopError,
  tool,
  type Message,
  type StepLoopOptions,
  type Transcript,
} from '@steploop/core'
import { parseDelay } from '@steploop/core/adapter'
import { limitToolCalls, limitToolOutput } from '@steploop/core/policies'
import { fakeClock, scriptedAdapter } from '@steploop/core/testing'
import { createGemini } from '@steploop/gemini'
import { createGroq } from '@steploop/groq'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  call,
  chatAnswer,
  chatModel,
  chatStream,
  endless,
  eventsOf,
  idle,
  outcomes,
  play,
  serverOf,
  time,
  weather,
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

describe('a failing provider', () => {
  test('says when to ask again in headers and bodies of many forms', { tags: ['E02'] }, async () => {
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

  test(
    'is asked again after that time, tools do not run again, and what was delivered is taken back',
    { tags: ['E02'] },
    async () => {
      let runs = 0
      const count = tool({ inputSchema: z.object({}), execute: () => ++runs })
      const clock = fakeClock()
      const cut =
        chatStream([{ content: 'Zür' }]).split('data: {"id":"chat_1","choices":[{"index":0,"delta":{}')[0] ?? ''
      const calls = chatStream([{ tool_calls: [{ index: 0, id: 'c1', function: { name: 'count', arguments: '{}' } }] }])
      const { model, bodies } = chatModel([
        calls,
        refusal(429, {}, { 'retry-after': '3' }),
        cut,
        chatStream([{ content: 'Done.' }], 'stop'),
      ])
      const running = eventsOf(new StepLoop({ model, tools: { count }, clock, random: () => 0 }).stream('x'))
      for (let rounds = 0; rounds < 100; rounds++) await idle()
      clock.advance(2999)
      await idle()
      expect(bodies).toHaveLength(2)
      clock.advance(1)
      for (let rounds = 0; rounds < 100; rounds++) await idle()
      clock.advance(10_000)
      const events = await running
      const retries = events.flatMap((event, at) => (event.type === 'step-retry' ? [at] : []))
      expect([retries.length, runs, events.at(-1)?.type]).toEqual([2, 1, 'run-end'])
      const texts = events.map((event) => (event.type === 'text-delta' ? event.text : ''))
      expect([texts.slice(0, retries[1]).join(''), texts.slice(retries[1]).join('')]).toEqual(['Zür', 'Done.'])
    },
  )

  test('fails with one type of error per kind of failure', { tags: ['E03'] }, async () => {
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
})

test(
  'arguments that do not fit the schema are not run; the model gets the path and the reason, and mends them',
  { tags: ['E04'] },
  async () => {
    const script = [[call('weather', { city: 7 })], [call('weather', { city: 'Rome' })], 'Done.']
    const result = await play(script).loop.generate('x')
    expect(outcomes(result.toolResults)).toEqual(['invalid-input', { city: 'Rome', degrees: 21 }])
    const [refused] = result.toolResults
    expect(refused?.output).toMatchObject({
      value: { message: expect.stringContaining("'city'"), issues: [{ path: 'city' }] },
    })
    const even: Parsed = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value: Parsed) => (value.n % 2 === 0 ? { value } : { issues: [{ message: 'odd', path: ['n'] }] }),
        jsonSchema: { input: () => ({ type: 'object' }) },
      },
    }
    const own = tool({ inputSchema: even, execute: () => 'ran' })
    const mixed = await play([[call('own', { n: 1 }), call('own', { n: 2 })], 'Done.'], {
      tools: { own },
    }).loop.generate('x')
    expect(outcomes(mixed.toolResults)).toEqual(['invalid-input', 'ran'])
  },
)

test(
  'another provider may take over amid a run: ids stay paired, signatures of the first stay behind',
  { tags: ['E05'] },
  async () => {
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
  },
)

test(
  'a run that waits is data: stored as JSON, it goes on with later outputs and edited arguments; newer data is refused',
  { tags: ['E06'] },
  async () => {
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
  },
)

test(
  'images and files go in, also as results; citations and refusals come out as themselves',
  { tags: ['E07'] },
  async () => {
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
  },
)

describe('a budget', () => {
  const usage = { inputTokens: 10, outputTokens: 10 }
  const costly = endless.map((parts) => ({ parts: parts as ReturnType<typeof call>[], usage }))

  test(
    'of tokens, of cost, of calls, of calls per tool, and of repetitions ends a run in time',
    { tags: ['E08'] },
    async () => {
      const reason = async (options: Partial<StepLoopOptions>, script = costly) =>
        (await play(script, { maxSteps: 100, onLimit: 'incomplete', ...options }).loop.generate('x')).stopReason
      expect(await reason({ maxTokens: 100 })).toBe('token-budget')
      expect(await reason({ maxCost: 3, costOf: () => 1 })).toBe('cost-budget')
      expect(await reason({ maxToolCalls: 3 })).toBe('max-tool-calls')
      const same = costly.map(() => ({ parts: [call('weather', { city: 'A' })], usage }))
      expect(await reason({ maxRepeatedCalls: 3 }, same)).toBe('repeated-call')
      const twice = await play([...endless.slice(0, 3), 'Done.'], {
        policies: [limitToolCalls({ weather: 2 })],
      }).loop.generate('x')
      expect(outcomes(twice.toolResults).at(-1)).toBe('tool-failed')
      expect(outcomes(twice.toolResults)).toHaveLength(3)
    },
  )
})

test(
  'long outputs may be cut, the conversation shortened before a step, and an overflow is an error of its own',
  { tags: ['E09'] },
  async () => {
    const long = tool({ inputSchema: z.object({}), execute: () => 'x'.repeat(500) })
    const { loop, requests } = play([[call('long')], [call('long')], 'Done.'], {
      tools: { long },
      policies: [limitToolOutput({ maxCharacters: 50 })],
      prepareStep: ({ step, messages }) =>
        step === 2 ? { messages: [messages[0]!, ...messages.slice(-2)] } : undefined,
    })
    const result = await loop.generate('x')
    expect(String(outcomes(result.toolResults)[0])).toMatch(/^x{50}\n\[cut: 450 of 500 characters left out\]$/)
    expect(requests.map(({ request }) => request.messages.length)).toEqual([1, 3, 3])
    const larger = scriptedAdapter(['Done.'], { model: 'larger' })
    const full = new AdapterError({ provider: 'scripted', model: 'scripted-1', code: 'context-overflow' })
    expect((await play([full], { fallbacks: [larger] }).loop.generate('x')).steps[0]?.model).toBe('larger')
  },
)

test(
  'a paused turn goes on, a forced choice holds once, and the last turn is without tools',
  { tags: ['E10'] },
  async () => {
    const paused = play([{ parts: [{ type: 'text', text: 'Half' }], finishReason: 'pause' }, ' done.'])
    expect((await paused.loop.generate('x')).text).toBe(' done.')
    expect(paused.requests[1]?.request.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: [{ text: 'Half' }],
    })
    const forced = play([...endless.slice(0, 2), 'Done.'], { toolChoice: 'required', maxSteps: 2 })
    await forced.loop.generate('x')
    expect(forced.requests.map(({ request }) => request.toolChoice)).toEqual(['required', undefined, 'none'])
  },
)

test(
  'a step may be asked of another model, with other tools and messages, and then continues no stored response',
  { tags: ['E11'] },
  async () => {
    const capabilities = { tools: true, continuation: true }
    const other = scriptedAdapter(['Noon.'], { capabilities, model: 'other' })
    const model = scriptedAdapter([{ parts: [call('time', { tz: 'CET' })], responseId: 'r1' }], { capabilities })
    const loop = new StepLoop({
      model,
      tools: { time, weather },
      prepareStep: ({ step }) =>
        step === 1 ? { model: other, activeTools: ['weather'], temperature: 0.1 } : undefined,
    })
    await loop.generate('x')
    const request = other.requests[0]?.request
    expect(request).toMatchObject({ tools: [{ name: 'weather' }], settings: { temperature: 0.1 } })
    expect([request?.continuation, request?.messages.length]).toEqual([undefined, 3])
  },
)
