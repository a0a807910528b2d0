import {
  context,
  createNoopMeter,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Meter,
} from '@opentelemetry/api'
import { AdapterError, tool, type StepLoop, type ToolOutput } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { below, call, look, loopOf, memorySdk, parentOf } from './testing.ts'

const overloaded = (): AdapterError =>
  new AdapterError({ provider: 'scripted', model: 'm', code: 'overloaded', retryAfterMs: 0 })

const tree = (sdk: ReturnType<typeof memorySdk>): readonly string[] =>
  sdk.spans.map((span) => `${span.name} < ${parentOf(span, sdk.spans) ?? 'none'}`)

test('the spans of a run hang below each other: the run, its requests, its calls', async () => {
  const usage = { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2 }
  const { sdk, loop } = loopOf(
    [
      { parts: [call], usage, responseId: 'r1' },
      { parts: [{ type: 'text', text: 'done' }], usage },
    ],
    {
      telemetry: { agent: { name: 'scout' } },
      temperature: 0.5,
    },
  )
  await loop.generate('x')
  expect(tree(sdk)).toEqual([
    'chat scripted-1 < invoke_agent scout',
    'execute_tool look < invoke_agent scout',
    'chat scripted-1 < invoke_agent scout',
    'invoke_agent scout < none',
  ])
  const [chat, executed, , run] = sdk.spans
  expect([chat?.kind, executed?.kind, run?.kind]).toEqual([SpanKind.CLIENT, SpanKind.INTERNAL, SpanKind.INTERNAL])
  expect(chat?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'scripted',
    'gen_ai.request.model': 'scripted-1',
    'gen_ai.conversation.id': 'chat',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.response.id': 'r1',
    'gen_ai.response.model': 'scripted-1',
    'gen_ai.response.finish_reasons': ['tool_call'],
    'gen_ai.usage.input_tokens': 7,
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.usage.cache_read.input_tokens': 2,
    'steploop.step': 0,
    'steploop.attempt': 1,
  })
  expect(executed?.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'look',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.description': 'Looks.',
    'gen_ai.tool.call.id': 'call_0_0',
    'gen_ai.agent.name': 'scout',
    'gen_ai.conversation.id': 'chat',
    'steploop.step': 0,
  })
  expect(run?.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'scout',
    'gen_ai.conversation.id': 'chat',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 14,
    'gen_ai.usage.output_tokens': 6,
    'steploop.status': 'completed',
    'steploop.stop_reason': 'answer',
    'steploop.steps': 2,
  })
  expect(sdk.open()).toBe(0)
})

test('the spans of a run are active while their work runs: what a tool, or a model, does hangs below them, other runs too', async () => {
  const sdk = memorySdk()
  const inner = loopOf(['inner done'], { sdk, telemetry: { agent: { name: 'inner' } } })
  const tracer = sdk.options.tracerProvider.getTracer('app')
  const ask = tool({
    inputSchema: z.object({}),
    execute: async () => {
      tracer.startSpan('query').end()
      return (await inner.loop.generate('y')).text
    },
  })
  const outer = scriptedAdapter([[{ ...call, toolName: 'ask' }], 'done'])
  const turn = outer.turn.bind(outer)
  const model = {
    ...outer,
    async *turn(...given: Parameters<typeof turn>) {
      tracer.startSpan('http').end()
      yield* turn(...given)
    },
  }
  const { loop } = loopOf([], { sdk, model, tools: { ask }, telemetry: { agent: { name: 'outer' } } })
  await loop.generate('x')
  expect(tree(sdk)).toEqual([
    'http < chat scripted-1',
    'chat scripted-1 < invoke_agent outer',
    'query < execute_tool ask',
    'chat scripted-1 < invoke_agent inner',
    'invoke_agent inner < execute_tool ask',
    'execute_tool ask < invoke_agent outer',
    'http < chat scripted-1',
    'chat scripted-1 < invoke_agent outer',
    'invoke_agent outer < none',
  ])
})

test('the spans of a run hang below what was active in the call, whoever reads the stream', async () => {
  const { sdk, loop } = loopOf([[call], 'done', 'again'])
  const [stream, steps] = below(sdk, 'handler', () => [loop.stream('x'), loop.steps('x')] as const)
  await below(sdk, 'reader', async () => {
    for await (const event of stream) expect(event).toBeDefined()
    for await (const step of steps) expect(step).toBeDefined()
  })
  const runs = sdk.named('invoke_agent')
  expect(runs.map((run) => parentOf(run, sdk.spans))).toEqual(['handler', 'handler'])
  expect(sdk.named('execute_tool').map((span) => parentOf(span, sdk.spans))).toEqual(['invoke_agent'])
  expect(trace.getSpan(context.active())).toBeUndefined()
})

test('the spans of a run: one for each attempt: the failed one has its error, the run has none', async () => {
  const { sdk, loop } = loopOf([overloaded(), 'done'])
  await loop.generate('x')
  const [first, second] = sdk.named('chat')
  expect(first).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'error.type': 'overloaded', 'steploop.attempt': 1 },
  })
  expect(second).toMatchObject({ status: { code: SpanStatusCode.UNSET }, attributes: { 'steploop.attempt': 2 } })
  expect(sdk.named('invoke_agent')[0]?.status.code).toBe(SpanStatusCode.UNSET)
})

test('the spans of a run: a failed run has the code of its error, and none of its words', async () => {
  const failing = new AdapterError({ provider: 's', model: 'm', code: 'authentication', providerMessage: 'secret' })
  const { sdk, loop } = loopOf([failing])
  await expect(loop.generate('x')).rejects.toThrow('secret')
  expect(sdk.named('invoke_agent')[0]).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'error.type': 'turn-failed' },
  })
  expect(JSON.stringify(sdk.spans.map(({ attributes, status, events }) => [attributes, status, events]))).not.toContain(
    'secret',
  )
})

test.each(['sk-secret', '', 'constructor', 42, null, undefined])(
  'the spans of a run: a tool that makes its output itself gives no code of its own: %j',
  async (code) => {
    const value = { type: 'error', value: { code, message: 'x' } } as unknown as ToolOutput
    const own = tool({ inputSchema: z.object({}), execute: () => 1, toModelOutput: () => value })
    const { sdk, loop } = loopOf([[call], 'done'], { tools: { look: own } })
    await loop.generate('x')
    const [span] = sdk.named('execute_tool')
    expect(span).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': '_OTHER' } })
  },
)

test('the spans of a run calls that nobody runs have none: what became of them is reported on the run', async () => {
  const names = ['look', 'forbidden', 'ghost', 'ask', 'bad']
  const turn = names.map((toolName) => ({ ...call, toolName, id: toolName }))
  const bad = tool({ inputSchema: z.object({ n: z.number() }), execute: () => 'never' })
  const { sdk, loop } = loopOf([[...turn, { ...call, toolName: 'search', id: 'search', owner: 'provider' }]], {
    tools: { look, forbidden: look, ask: tool({ inputSchema: z.object({}) }), bad },
    denyCall: ({ toolName }) => (toolName === 'forbidden' ? 'no' : undefined),
  })
  await loop.generate('x')
  expect(sdk.named('execute_tool').map(({ name }) => name)).toEqual(['execute_tool look'])
  expect(sdk.named('invoke_agent')[0]).toMatchObject({
    status: { code: SpanStatusCode.UNSET },
    attributes: {
      'steploop.status': 'requires-action',
      'steploop.tool_calls.denied': ['forbidden'],
      'steploop.tool_calls.unknown': ['ghost'],
      'steploop.tool_calls.pending': ['ask'],
      'steploop.tool_calls.not_executed': ['bad'],
      'steploop.tool_calls.provider': ['search'],
    },
  })
})

test('a run that goes on links to the one that waited, in the same conversation', async () => {
  const { sdk, loop } = loopOf([[{ ...call, toolName: 'ask', id: 'a' }], 'done'], {
    tools: { ask: tool({ inputSchema: z.object({}) }) },
  })
  const { transcript } = await loop.generate('x')
  await loop.generate({ transcript: structuredClone(transcript), toolOutputs: { a: { output: 1 } } })
  const [first, second] = sdk.named('invoke_agent')
  expect(second?.links.map((link) => link.context.spanId)).toEqual([first?.spanContext().spanId])
  expect(second?.spanContext().traceId).not.toBe(first?.spanContext().traceId)
  expect(second?.attributes['gen_ai.conversation.id']).toBe(first?.attributes['gen_ai.conversation.id'])
  expect(first?.attributes['steploop.status']).toBe('requires-action')
})

test('each run that goes on from where one waited links to it, also after one that failed', async () => {
  const tools = { ask: tool({ inputSchema: z.object({}) }) }
  const failing = new AdapterError({ provider: 's', model: 'm', code: 'authentication' })
  const { sdk, loop } = loopOf([[{ ...call, toolName: 'ask', id: 'a' }], failing, 'done', 'done'], { tools })
  const { transcript } = await loop.generate('x')
  const goOn = async () => loop.generate({ transcript, toolOutputs: { a: { output: 1 } } })
  await expect(goOn()).rejects.toMatchObject({ code: 'turn-failed' })
  await goOn()
  await goOn()
  const [first, ...others] = sdk.named('invoke_agent')
  expect(others.map(({ links }) => links.map((link) => link.context.spanId))).toEqual(
    others.map(() => [first?.spanContext().spanId]),
  )
})

test('a store that processes share carries the link; what is no `traceparent` is none', async () => {
  const kept = new Map<string, string>()
  const tools = { ask: tool({ inputSchema: z.object({}) }) }
  const { sdk, loop } = loopOf([[{ ...call, toolName: 'ask', id: 'a' }]], { tools, telemetry: { suspendedRuns: kept } })
  const { transcript } = await loop.generate('x')
  const span = sdk.named('invoke_agent')[0]?.spanContext()
  expect(kept.get('chat')).toBe(`00-${span?.traceId}-${span?.spanId}-01`)
  const broken = { get: () => 'no traceparent', set: () => undefined }
  const other = loopOf(['done'], { tools, telemetry: { suspendedRuns: broken } })
  await other.loop.generate({ transcript, toolOutputs: { a: { output: 1 } } })
  expect(other.sdk.named('invoke_agent')[0]?.links).toEqual([])
})

test('long settings are cut, an agent without a name has none', async () => {
  const stopSequences = ['x'.repeat(1000), '\uD800']
  const { sdk, loop } = loopOf(['done'], { stopSequences, telemetry: { agent: { name: '' } } })
  await loop.generate('x')
  expect(sdk.spans.map(({ name }) => name)).toEqual(['chat scripted-1', 'invoke_agent'])
  expect(sdk.named('chat')[0]?.attributes['gen_ai.request.stop_sequences']).toEqual([`${'x'.repeat(256)}…`, '\uFFFD'])
})

test('an exporter that writes to what it gets spoils no later measurement', async () => {
  const measured: Attributes[] = []
  const take = (_value: number, labels: Attributes = {}): void => {
    measured.push({ ...labels })
    Reflect.set(labels, 'spoiled', true)
  }
  const meter = Object.assign(Object.create(createNoopMeter()) as Meter, {
    createHistogram: () => ({ record: take }),
    createCounter: () => ({ add: take }),
  })
  const { loop } = loopOf([[call, call], 'done'], { telemetry: { meterProvider: { getMeter: () => meter } } })
  await loop.stream('x').result
  await loop.stream('x').result.catch(() => undefined)
  expect(measured.length).toBeGreaterThan(10)
  expect(measured.filter((labels) => 'spoiled' in labels)).toEqual([])
})

test.each([
  [
    'by its reader',
    async (loop: StepLoop) => {
      for await (const event of loop.stream('x')) if (event.type === 'text-delta') break
    },
  ],
  [
    'by its signal',
    async (loop: StepLoop) => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 5)
      await loop.generate('x', { abortSignal: controller.signal }).catch(() => undefined)
    },
  ],
])('a run that is left: %s ends all its spans', async (_how, leave) => {
  const { sdk, loop } = loopOf([{ parts: [{ type: 'text', text: 'some text' }], hang: true }])
  await leave(loop)
  await new Promise((resolve) => void setTimeout(resolve, 10))
  expect(sdk.open()).toBe(0)
  expect(sdk.spans.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['chat scripted-1', 'aborted'],
    ['invoke_agent', 'aborted'],
  ])
})

test('a run that is left in a tool that does not care ends the span of the tool, once', async () => {
  const slow = tool({
    inputSchema: z.object({}),
    execute: () => new Promise((resolve) => void setTimeout(resolve, 20)),
  })
  const { sdk, loop } = loopOf([[call]], { tools: { look: slow } })
  const abortSignal = AbortSignal.timeout(5)
  await loop.generate('x', { abortSignal }).catch(() => undefined)
  expect(sdk.named('execute_tool')[0]?.attributes['error.type']).toBe('aborted')
  await new Promise((resolve) => void setTimeout(resolve, 30))
  expect([sdk.open(), sdk.spans.length]).toEqual([0, 3])
})

test('a run that is left: a stream that nobody reads has no span', () => {
  const { sdk, loop } = loopOf(['never'])
  loop.stream('x')
  expect([sdk.open(), sdk.spans.length]).toEqual([0, 0])
})
