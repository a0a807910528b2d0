/** Whatever telemetry stands on fails in every way, and whatever an adapter gives it to read is wrong: the run goes on as without it. */
import { context, diag } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AdapterError, StepLoop, tool, type Adapter, type StepLoopOptions } from '@steploop/core'
import type { TurnEvent } from '@steploop/core/adapter'
import { scriptedAdapter } from '@steploop/core/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { TelemetryOptions } from './options.ts'
import { telemetry } from './telemetry.ts'
import { call, look, memorySdk } from './testing.ts'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => {
  diag.disable()
  process.on('unhandledRejection', note)
})
afterAll(() => {
  process.off('unhandledRejection', note)
  context.disable()
})
beforeEach(() => void unhandled.splice(0))

/** After every rejection that nobody took was told of. */
const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))

interface Fault {
  /** Path of the function that fails: `tracerProvider.getTracer.startSpan.end`. */
  readonly at: string
  readonly way: () => unknown
}

const error = new Error('telemetry is broken')

const ways: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw error
  },
  rejects: () => Promise.reject(error),
  'gives nothing': () => undefined,
}

/** An SDK that calls itself, or the context manager, is not our business. */
const state = { ofSdk: false }
const isSdk = (at: string): boolean => !at.startsWith('options') && at !== 'contextManager.with'

/** The object, and all that its methods make, with its calls noted in `seen` and one of them failing. */
function spoiled<T extends object>(real: T, path: string, seen: Set<string>, fault: Fault | undefined): T {
  return new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function' || typeof name === 'symbol' || name === 'disable') return value
      return (...given: unknown[]): unknown => {
        const at = `${path}.${name}`
        const before = state.ofSdk
        if (!before) seen.add(at)
        if (!before && at === fault?.at) return fault.way()
        state.ofSdk ||= isSdk(at)
        try {
          const made: unknown = Reflect.apply(value, target, given)
          const isPart = /^(get[TML]|start|create|active$|setValue$)/.test(name) && typeof made === 'object'
          return isPart && made !== null ? spoiled(made, at, seen, fault) : made
        } finally {
          state.ofSdk = before
        }
      }
    },
  })
}

/** Everything that a run does, and the one that goes on from it, as JSON. */
async function play(policies: StepLoopOptions['policies']): Promise<string> {
  const overloaded = new AdapterError({ provider: 's', model: 'm', code: 'overloaded', retryAfterMs: 0 })
  const broken = tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error('no')) })
  const calls = ['look', 'broken', 'ask'].map((toolName) => ({ ...call, toolName, id: toolName }))
  const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 1, cacheWriteTokens: 0, reasoningTokens: 1 }
  const model = scriptedAdapter([overloaded, { parts: calls, usage, responseId: 'r' }, 'done', overloaded])
  const loop = new StepLoop({
    model,
    tools: { look, broken, ask: tool({ inputSchema: z.object({}) }) },
    instructions: 'Be brief.',
    stopSequences: ['end'],
    generateId: () => 'chat',
    policies,
  })
  const events: unknown[] = []
  const stream = loop.stream('x')
  for await (const event of stream) events.push(event)
  const { transcript } = await stream.result
  const result = await loop.generate({ transcript, toolOutputs: { ask: { output: 1 } } })
  const failed: unknown = await loop.generate('y', { maxRetries: 0 }).catch((cause: unknown) => cause)
  return JSON.stringify([model.requests, events, await stream.result, result, failed])
}

/** One play, watched; gives how many spans it left open, and what was called. */
async function watched(options: TelemetryOptions, fault?: Fault) {
  const sdk = memorySdk()
  const seen = new Set<string>()
  const part = <T extends object>(real: T, path: string): T => spoiled(real, path, seen, fault)
  context.disable()
  context.setGlobalContextManager(part(new AsyncLocalStorageContextManager().enable(), 'contextManager'))
  const runs = new Map<string, string>()
  const mine = part(
    { redact: (_kind: string, value: unknown) => value, get: (id: string) => runs.get(id), set: runs.set.bind(runs) },
    'options',
  )
  const policy = telemetry({
    ...options,
    agent: { name: 'scout' },
    redact: mine.redact,
    suspendedRuns: mine,
    tracerProvider: part(sdk.options.tracerProvider, 'tracerProvider'),
    meterProvider: part(sdk.options.meterProvider, 'meterProvider'),
    loggerProvider: part(sdk.options.loggerProvider, 'loggerProvider'),
  })
  const did = await play([policy]).catch(String)
  await settled()
  return { did, open: sdk.open(), sdk, seen }
}

test.each([
  {
    content: 'spans',
    paths: /./,
    called: ['startSpan.setAttributes', 'startSpan.isRecording', 'createHistogram.record'],
  },
  { content: 'events', paths: /^(logger|options)/, called: ['getLogger.enabled', 'getLogger.emit'] },
] as const)('every call of the API and of callbacks may fail, with content as $content', async (given) => {
  const { content, paths, called } = given
  const options = { content }
  const plain = await play([])
  const { seen, did, open, sdk } = await watched(options)
  expect([did, open]).toEqual([plain, 0])
  expect(sdk.named('invoke_agent')[0]?.links).toHaveLength(0)
  expect(sdk.named('invoke_agent')[1]?.links).toHaveLength(1)
  const common = ['Manager.active', 'Manager.with', 'options.redact', 'options.get', 'options.set']
  for (const name of [...common, ...called]) expect([...seen].filter((at) => at.endsWith(name))).toHaveLength(1)
  const problems: string[] = []
  for (const at of [...seen].filter((path) => paths.test(path)))
    for (const [how, way] of Object.entries(ways)) {
      const broken = await watched(options, { at, way })
      if (broken.did !== plain) problems.push(`${at} ${how}: the run is another`)
      if (broken.open > 0 && !at.endsWith('.end')) problems.push(`${at} ${how}: ${broken.open} spans are open`)
      if (unhandled.splice(0).length > 0) problems.push(`${at} ${how}: a rejection is not handled`)
    }
  expect(problems).toEqual([])
})

type Batch = readonly TurnEvent[]

const start = { type: 'turn-start' } as const
const text = [
  { type: 'text-start', part: 0 },
  { type: 'text-delta', part: 0, text: 'x' },
  { type: 'text-end', part: 0 },
] as unknown as Batch
const turnEnd = { type: 'turn-end', finishReason: 'stop' } as const
const failure = new AdapterError({ provider: 's', model: 'm', code: 'server-error' })
const strange: Readonly<Record<string, unknown>> = {
  nothing: null,
  'a number': 42,
  'an object': {},
  'a symbol': Symbol('x'),
  'a list': ['a'],
  'a bigint': 10n,
  'a long text': 'x'.repeat(5000),
  'half a letter': '\uD800',
  'a name of every object': 'constructor',
}

/** Adapters that break their contract, or only say strange things. */
const adapters: Readonly<Record<string, () => AsyncIterator<Batch>>> = {
  ...Object.fromEntries(
    Object.entries(strange).flatMap(([what, value]) => [
      [`${what} ids, then an error`, () => batches([[{ ...start, responseId: value, model: value }]], failure)],
      [
        `${what} at the end`,
        () => batches([[start, ...text, { ...turnEnd, responseId: value, model: value, finishReason: value }]]),
      ],
      [`${what} as usage`, () => batches([[start, ...text, { ...turnEnd, usage: value }]])],
      [
        `${what} tokens`,
        () => batches([[start, ...text, { ...turnEnd, usage: { inputTokens: value, outputTokens: -1 } }]]),
      ],
      [`${what} as batch`, () => batches([[start], value])],
      [`${what} as event`, () => batches([[start], [value]])],
    ]),
  ),
  'no end': () => batches([[start, ...text]]),
  'an error that is none': () => batches([[start]], strange as unknown as Error),
  'an error whose code is none': () => batches([[start]], Object.assign(failureOf(), { code: { secret: 1 } })),
  'a throw, not a rejection': () => ({
    next() {
      throw failure
    },
  }),
  'a promise that is asked once': () => {
    const all: IteratorResult<Batch>[] = [{ value: [start, ...text, turnEnd] }, { done: true, value: undefined }]
    const lazy = {}
    Reflect.set(lazy, 'then', (take: (result: unknown) => void) => take(all.shift()))
    return { next: () => lazy as never }
  },
}

function failureOf(): AdapterError {
  return new AdapterError({ provider: 's', model: 'm', code: 'server-error' })
}

async function* batches(given: readonly unknown[], thrown?: Error): AsyncGenerator<Batch> {
  yield* given as readonly Batch[]
  if (thrown !== undefined) throw thrown
}

test.each(Object.entries(adapters))('an adapter that gives %s', async (_what, iterate) => {
  const run = async (policies: StepLoopOptions['policies']): Promise<unknown> => {
    const model: Adapter = {
      ...scriptedAdapter([]),
      turn: () => ({ [Symbol.asyncIterator]: iterate }) as AsyncGenerator<Batch>,
    }
    const stream = new StepLoop({ model, generateId: () => 'chat', maxRetries: 0, policies }).stream('x')
    const events: unknown[] = []
    for await (const event of stream) events.push(event)
    return [events, await stream.result.catch((cause: unknown) => cause)]
  }
  const plain = await run([])
  const sdk = memorySdk()
  for (const content of ['spans', 'events'] as const)
    expect(await run([telemetry({ ...sdk.options, content })])).toEqual(plain)
  await settled()
  expect([unhandled, sdk.open(), sdk.spans.length]).toEqual([[], 0, 4])
  // What is a text or a number is told, and cut.
  const isPlain = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.every(isPlain)
      : typeof value === 'number' || (typeof value === 'string' && value.length < 300)
  for (const { attributes } of sdk.named('chat')) {
    const { 'gen_ai.input.messages': _in, 'gen_ai.output.messages': _out, ...facts } = attributes
    expect(Object.values(facts).filter((value) => typeof value !== 'boolean' && !isPlain(value))).toEqual([])
  }
})
