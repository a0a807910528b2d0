import { AdapterError, LoopError, StepLoop, tool, type LoopEvent } from '@steploop/core'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { uiMessageChunkSchema } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createUiEncoder, toUiMessageStream, type UiEncoderOptions, type UiMessageChunk } from './index.ts'
import { call, overloaded } from '../test/testing.ts'

const look = tool({ inputSchema: z.object({}), execute: () => ({ seen: 1 }) })
const fail = tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error('postgres://app:s3cr3t@db')) })
const pay = tool({
  inputSchema: z.object({ amount: z.number().default(7) }),
  needsApproval: true,
  execute: () => 'paid',
})

function loopOf(script: readonly ScriptedTurn[], maxRetries = 0) {
  const clock = { now: Date.now, after: (_ms: number, callback: () => void) => (queueMicrotask(callback), () => {}) }
  return new StepLoop({ model: scriptedAdapter(script), tools: { look, fail, pay }, maxRetries, clock, toolTimeout: 0 })
}

async function eventsOf(script: readonly ScriptedTurn[], maxRetries?: number): Promise<LoopEvent[]> {
  const events: LoopEvent[] = []
  for await (const event of loopOf(script, maxRetries).stream('x')) events.push(event)
  return events
}

function encode(events: readonly LoopEvent[], options?: UiEncoderOptions): UiMessageChunk[] {
  return events.flatMap(createUiEncoder(options))
}

const types = (chunks: readonly UiMessageChunk[]): string[] => chunks.map(({ type }) => type)

/** Events that no script makes. */
async function everyEvent(): Promise<LoopEvent[]> {
  const [start, ...run] = await eventsOf([
    [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'ok' },
      call('look'),
      call('fail'),
      call('nowhere'),
      call('look', '{"broken'),
      { type: 'call', toolName: 'search', input: {}, owner: 'provider' },
    ],
    [{ type: 'refusal', text: 'No.' }, call('pay')],
  ])
  return [
    start!,
    { type: 'step-start', step: 0 },
    { type: 'warning', warning: { type: 'dropped', path: 'settings.topK', message: 'dropped' } },
    { type: 'citation', part: 0, citation: { url: 'https://example.com', title: 'A' } },
    { type: 'citation', part: 0, citation: { url: 'https://example.com', title: 'A' } },
    { type: 'citation', part: 0, citation: { url: 'javascript:alert(1)', title: 'B' } },
    { type: 'citation', part: 0, citation: { kind: 'file', citedText: 'C' } },
    { type: 'file', part: 1, mediaType: 'image/png', data: 'AAAA' },
    { type: 'file', part: 2, mediaType: 'text/html', url: 'javascript:alert(1)' },
    { type: 'opaque', part: 3, providerMetadata: { provider: 'acme', model: 'm', data: {} } },
    { type: 'partial-output', output: { day: 'Mon' } },
    { type: 'text-delta', part: 4, text: 'without a beginning' },
    { type: 'step-retry', step: 0, attempt: 1, delayMs: 10, error: overloaded },
    ...run,
  ]
}

test('chunks of every event are those that `ai` knows', async () => {
  const chunks = encode(await everyEvent(), { messageId: 'm1', isDynamic: (name) => name === 'nowhere' })
  const { validate } = uiMessageChunkSchema()
  const refused: unknown[] = []
  for (const chunk of chunks) {
    const result = await validate?.(JSON.parse(JSON.stringify(chunk)))
    if (result?.success !== true) refused.push(chunk, result)
  }
  expect(refused).toEqual([])
  expect(new Set(types(chunks)).size).toBeGreaterThan(20)
  expect(chunks[0]).toEqual({ type: 'start', messageId: 'm1' })
  expect(chunks.filter((chunk) => 'dynamic' in chunk)).toHaveLength(2)
})

test('chunks of a link that runs code are none: such a source is a title, and such a file is not shown', async () => {
  const shown = ['citation', 'file']
  const end = (await eventsOf(['ok'])).find(({ type }) => type === 'step-end')!
  const chunks = encode([...(await everyEvent()).filter(({ type }) => shown.includes(type)), end])
  expect(JSON.stringify(chunks)).not.toContain('javascript:')
  expect(
    chunks.filter(({ type }) => type.startsWith('source')).map((chunk) => 'title' in chunk && chunk.title),
  ).toEqual(['A', 'B', 'C'])
  expect(types(chunks).filter((type) => type === 'file')).toHaveLength(1)
})

test('chunks tell a page to forget the parts of a step that is asked for again', { tags: ['Q01'] }, async () => {
  const events = await eventsOf([{ parts: [{ type: 'text', text: 'wro' }], error: overloaded }, 'right'], 1)
  const chunks = encode(events)
  expect(types(chunks)).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'text-delta',
    'text-end',
    'reset-step',
    'data-retry',
    'text-start',
    'text-delta',
    'text-delta',
    'text-end',
    'finish-step',
    'message-metadata',
    'finish',
  ])
  expect(chunks.find(({ type }) => type === 'data-retry')).toMatchObject({
    transient: true,
    data: { code: 'overloaded', message: 'Something went wrong. Please try again. (overloaded)' },
  })
})

test('chunks of a step that fails before there is anything do not reset the step before it', async () => {
  const events = await eventsOf([[call('look')], overloaded, 'ok'], 1)
  expect(types(encode(events))).not.toContain('reset-step')
  expect(types(encode(events)).filter((type) => type === 'start-step')).toHaveLength(2)
})

test.for([
  ['finish', ['ok']],
  ['finish', [[call('pay')]]],
  ['error', [{ parts: [{ type: 'text', text: 'a' }], error: overloaded }]],
] as const)('chunks end with one `%s`, and nothing comes after it', { tags: ['Q02'] }, async ([end, script]) => {
  const events = await eventsOf(script)
  const chunks = encode([...events, ...events])
  expect(types(chunks).filter((type) => ['finish', 'error'].includes(type))).toEqual([end])
  expect(chunks.at(-1)!.type).toBe(end)
})

test('chunks of a run that is stopped close what was begun, and end as interrupted', async () => {
  const controller = new AbortController()
  const parts = [{ type: 'text', text: 'ab' }, call('look')] as const
  const chunks: UiMessageChunk[] = []
  const encodeOne = createUiEncoder()
  for await (const event of loopOf([{ parts, hang: true }]).stream('x', { abortSignal: controller.signal })) {
    // The call is left open: its arguments never end.
    if (event.type === 'tool-call') controller.abort()
    else chunks.push(...encodeOne(event))
  }
  expect(types(chunks).slice(-3)).toEqual(['tool-output-error', 'message-metadata', 'finish'])
  expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'interrupted' })
})

test('chunks: name an approval by its call and its hash, and show the input that would run', async () => {
  const events = await eventsOf([[call('pay')]])
  const end = events.at(-1) as Extract<LoopEvent, { type: 'run-end' }>
  const [pending] = end.result.transcript.pendingCalls
  const chunks = encode(events)
  expect(chunks.slice(-4)).toMatchObject([
    { type: 'tool-input-available', toolCallId: 'call_0_0', input: { amount: 7 } },
    { type: 'tool-approval-request', toolCallId: 'call_0_0', approvalId: `call_0_0.${pending!.hash!}` },
    { type: 'message-metadata', messageMetadata: { status: 'requires-action', stopReason: 'approval' } },
    { type: 'finish', finishReason: 'tool-calls' },
  ])
})

test('chunks say nothing of what is inside errors, unless the application wants it', async () => {
  const events = await eventsOf([[call('fail')], new AdapterError({ provider: 'a', model: 'm', code: 'bad-request' })])
  expect(JSON.stringify(encode(events))).not.toMatch(/s3cr3t|postgres/)
  const chunks = encode(events, { errorText: ({ message }) => message })
  expect(JSON.stringify(chunks)).toContain('s3cr3t')
  const broken = encode(events, { errorText: () => 5 as never })
  expect(JSON.stringify(broken)).toContain('The tool could not do this. (tool-failed)')
})

test('chunks of a limit, a hook or a failure say it in the metadata of the message', async () => {
  const failed = encode([{ type: 'run-error', error: new LoopError('timeout', 'x', { usage: { inputTokens: 3 } }) }])
  expect(failed[0]).toEqual({
    type: 'message-metadata',
    messageMetadata: { status: 'failed', stopReason: 'timeout', usage: { inputTokens: 3 } },
  })
})

async function* inTicks(ticks: readonly (readonly LoopEvent[])[]): AsyncGenerator<LoopEvent> {
  for (const events of ticks) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    yield* events
  }
}
const deltas = (count: number): LoopEvent[] =>
  Array.from({ length: count }, () => ({ type: 'text-delta', part: 0, text: 'word ' }) as const)
const writesOf = async (events: AsyncIterable<LoopEvent>): Promise<string[]> => {
  const writes: string[] = []
  for await (const bytes of toUiMessageStream(events)) writes.push(new TextDecoder().decode(bytes))
  return writes
}

test('the stream puts what comes in one tick into one write, and ends with [DONE]', async () => {
  const writes = await writesOf(
    inTicks([deltas(100), deltas(50), [{ type: 'run-error', error: new LoopError('timeout', 'x') }]]),
  )
  expect(writes.map((text) => text.split('"text-delta"').length - 1)).toEqual([100, 50, 0, 0])
  expect(writes.at(-1)).toBe('data: [DONE]\n\n')
})

test('the stream makes a write of what is much, and loses nothing', async () => {
  const writes = await writesOf(inTicks([deltas(5000)]))
  expect(writes.length).toBeGreaterThan(3)
  expect(Math.max(...writes.map(({ length }) => length))).toBeLessThan(70_000)
  expect(writes.join('').split('"text-delta"')).toHaveLength(5001)
})

test('the stream writes a comment every 15 s while nothing comes, and leaves no timer when the page has gone', async () => {
  const clock = fakeClock()
  const idle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))
  const stream = loopOf([{ parts: [], hang: true }]).stream('x')
  const reader = toUiMessageStream(stream, { clock }).getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('"type":"start"')
  const next = reader.read()
  await idle()
  clock.advance(14_999)
  expect(await Promise.race([next, idle().then(() => 'nothing')])).toBe('nothing')
  clock.advance(1)
  expect(new TextDecoder().decode((await next).value)).toBe(': still here\n\n')
  await reader.cancel()
  expect(clock.open).toBe(0)
})

test('the stream asks for nothing while nobody reads, and aborts the run of a reader that leaves', async () => {
  const stream = loopOf([{ parts: [{ type: 'text', text: 'ab' }], hang: true }]).stream('x')
  const reader = toUiMessageStream(stream).getReader()
  await reader.read()
  await reader.cancel()
  await expect(stream.result).rejects.toMatchObject({ code: 'aborted' })
})

test('the stream keeps what pages refuse a stream for out of it: members that stand for prototypes', async () => {
  const input = '{"__proto__":{"admin":true},"constructor":{"prototype":{}},"kept":"__proto__"}'
  const writes = (await writesOf(inTicks([await eventsOf([[call('look', input)], 'ok'])]))).join('')
  const lines = writes.split('\n\n').filter((line) => line.includes('tool-input-available'))
  expect(lines).toEqual([
    'data: {"type":"tool-input-available","toolCallId":"call_0_0","toolName":"look","input":{"kept":"__proto__"}}',
  ])
})

test('the stream of texts with every control character is one line of JSON each', async () => {
  const odd = Array.from({ length: 0x2030 }, (_, code) => String.fromCharCode(code)).join('') + '</script>\ndata: x\n\n'
  const writes = await writesOf(inTicks([[{ type: 'text-delta', part: 0, text: odd }]]))
  const lines = writes[0]!.trimEnd().split('\n\n')
  expect(lines.every((line) => /^data: \{[^\r\n]*\}$/.test(line))).toBe(true)
  expect(JSON.parse(lines.at(-1)!.slice(6))).toMatchObject({ delta: odd })
})
