import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { vi } from 'vitest'
import type { AdapterErrorCode, FinishReason, ToolChoice } from '../../src/contract/adapter.ts'
import type {
  CallDraw,
  ConsumerDraw,
  EditDraw,
  HookDraw,
  LoopDraw,
  NextDraw,
  OptionsDraw,
  OutcomeDraw,
  PartDraw,
  ToolName,
  TurnDraw,
  TurnEnding,
} from './draw.ts'
import type { Surroundings } from './play.ts'

/** Drawn now and then; else `fallback`. */
function rarely<T, U>(arbitrary: fc.Arbitrary<T>, fallback: U, one = 5): fc.Arbitrary<T | U> {
  return fc.tuple(fc.nat(one - 1), arbitrary).map(([roll, drawn]) => (roll === 0 ? drawn : fallback))
}

const toolNames: readonly ToolName[] = ['echo', 'slow', 'plain', 'risky', 'maybe', 'ask', 'ghost']

function calls(names: readonly ToolName[]): fc.Arbitrary<CallDraw> {
  return fc.record({
    type: fc.constant('call' as const),
    tool: fc.constantFrom(...names),
    key: fc.nat(2),
    shape: rarely(fc.constantFrom('unparsable', 'truncated', 'open', 'misfit'), 'whole'),
    sameId: rarely(fc.constant(true), false),
  })
}

function parts(names: readonly ToolName[]): fc.Arbitrary<PartDraw> {
  const texts = fc.record({
    type: fc.constantFrom('text' as const, 'reasoning' as const),
    text: fc.constantFrom('', 'Paris', '{"ok":true}', '{"ok":1}', '東京 🗼'),
    signed: fc.boolean(),
  })
  const blocks = fc.record({ type: fc.constantFrom('opaque' as const, 'search' as const) })
  return fc.oneof(
    { weight: 3, arbitrary: texts },
    { weight: 5, arbitrary: calls(names) },
    { weight: 1, arbitrary: blocks },
  )
}

const finishes: readonly FinishReason[] = [
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'pause',
  'error',
  'unknown',
]

const errorCodes: readonly AdapterErrorCode[] = [
  ...(['missing-api-key', 'authentication', 'permission', 'not-found', 'bad-request', 'context-overflow'] as const),
  ...(['content-filter', 'rate-limit', 'insufficient-credit', 'overloaded', 'server-error', 'connection'] as const),
  ...(['timeout', 'aborted', 'incomplete-stream', 'malformed-response', 'empty-response', 'unknown'] as const),
  ...(['response-too-large', 'tool-use-failed', 'continuation-not-found', 'unsupported'] as const),
]

/** Failures that the loop gets over, oftener than the rest. */
const passingCodes = [
  'overloaded',
  'rate-limit',
  'incomplete-stream',
  'tool-use-failed',
  'continuation-not-found',
] as const

function endings(failing: number): fc.Arbitrary<TurnEnding> {
  const errors = fc.record({
    type: fc.constant('error' as const),
    code: fc.oneof(fc.constantFrom(...errorCodes), fc.constantFrom(...passingCodes)),
    retryAfterMs: rarely(fc.constantFrom(0, 250, 90_000), undefined, 3),
  })
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant({ type: 'complete' as const }) },
    { weight: failing, arbitrary: errors },
    { weight: 1, arbitrary: fc.constantFrom({ type: 'cut' as const }, { type: 'hang' as const }) },
  )
}

const counts = fc.option(fc.nat(40), { nil: undefined })

function turnDraws(names: readonly ToolName[], failing: number): fc.Arbitrary<TurnDraw> {
  return fc.record({
    parts: fc.array(parts(names), { maxLength: 5 }),
    finish: rarely(fc.constantFrom(...finishes, 'length' as const), 'honest' as const, 4),
    usage: fc.option(
      fc.record({ inputTokens: counts, outputTokens: counts, cachedInputTokens: counts, reasoningTokens: counts }),
      { nil: undefined },
    ),
    responseId: fc.boolean(),
    end: endings(failing),
    delay: rarely(fc.constantFrom(5, 500), 0),
    batches: fc.constantFrom('whole', 'parts', 'events'),
    interleaved: rarely(fc.constant(true), false),
  })
}

const outcomeDraws: fc.Arbitrary<OutcomeDraw> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('value' as const), index: fc.nat(12) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('throw', 'reject'), index: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.constant({ type: 'gate' as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('late' as const), ms: fc.constantFrom(1, 700, 40_000) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('hang', 'hang-aware', 'late-aware') }) },
)

const consumers: fc.Arbitrary<ConsumerDraw> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('generate' as const) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('events', 'slow') }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('result', 'text', 'readable', 'steps') }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('leave', 'leave-steps'), after: fc.nat(12), pending: fc.boolean() }),
  },
)

interface Flavour {
  readonly names: readonly ToolName[]
  readonly failing: number
  readonly turns: number
  readonly limits: boolean
  readonly hooks: boolean
  readonly edits: boolean
  readonly abort: boolean
  readonly next: number
  readonly structured: boolean
}

const calm: Flavour = {
  names: ['echo', 'plain', 'slow', 'ghost'],
  failing: 1,
  turns: 4,
  limits: false,
  hooks: false,
  edits: false,
  abort: false,
  next: 1,
  structured: false,
}

/** Each kind of run gets its share of the draws, so that every class of outcome is met often. */
const flavours: readonly Flavour[] = [
  calm,
  { ...calm, names: toolNames, next: 3 },
  { ...calm, names: ['risky', 'ask', 'maybe', 'echo'], failing: 0, next: 4 },
  { ...calm, names: ['echo', 'plain'], failing: 0, turns: 6, limits: true },
  { ...calm, names: ['echo'], failing: 0, turns: 8, limits: true, next: 0 },
  { ...calm, names: toolNames, limits: true, hooks: true, edits: true, abort: true, next: 3, failing: 3 },
  { ...calm, names: toolNames, abort: true, next: 2 },
  { ...calm, failing: 14, turns: 8, next: 2 },
  { ...calm, failing: 6, edits: true, turns: 6 },
  { ...calm, names: ['echo', 'ask'], edits: true },
  { ...calm, hooks: true, names: ['echo', 'ask', 'risky'], failing: 0 },
  { ...calm, structured: true, names: ['echo', 'output_structured_data'], limits: true },
]

const toolChoices: fc.Arbitrary<ToolChoice> = fc.constantFrom<ToolChoice[]>('auto', 'required', {
  type: 'tool',
  toolName: 'echo',
})

function options(flavour: Flavour): fc.Arbitrary<OptionsDraw> {
  const limit = <T>(arbitrary: fc.Arbitrary<T>, one = 4): fc.Arbitrary<T | undefined> =>
    flavour.limits ? rarely(arbitrary, undefined, one) : fc.constant(undefined)
  return fc.record({
    tools: rarely(fc.constant(false), true, 8),
    activeTools: fc.constant(undefined),
    toolChoice: rarely(toolChoices, undefined, 3),
    instructions: fc.constantFrom(undefined, 'Be brief.'),
    temperature: fc.constantFrom(undefined, 0.3),
    providerOptions: fc.constantFrom(undefined, { main: { x: 1 } }),
    headers: fc.constantFrom(undefined, { 'x-a': 'b' }),
    maxSteps: limit(fc.nat(2), 3),
    onLimit: fc.constantFrom(undefined, 'finalize', 'incomplete', 'throw'),
    maxToolCalls: limit(fc.nat(3)),
    maxTokens: limit(fc.constantFrom(30, 120)),
    maxCost: limit(fc.constantFrom(1, 5)),
    maxRepeatedCalls: flavour.limits ? fc.constantFrom(2, 4, 0) : fc.constant(0),
    maxToolCallsPerStep: limit(fc.integer({ min: 1, max: 3 }), 2),
    maxToolConcurrency: rarely(fc.integer({ min: 1, max: 2 }), undefined, 3),
    toolTimeout: rarely(fc.constantFrom(0, 500), undefined, 3),
    timeout: limit(fc.constantFrom(3, 600, 20_000)),
    onToolError: rarely(fc.constant('throw' as const), undefined, 4),
    unknownTools: rarely(fc.constant('client' as const), undefined, 4),
    maxRetries: rarely(fc.nat(3), undefined, 2),
    continuation: rarely(fc.constant('off' as const), undefined, 6),
    eager: rarely(fc.constant(true), false),
    fallbacks: rarely(fc.integer({ min: 1, max: 2 }), 0, 3),
    continues: fc.boolean(),
    stopAfter: rarely(fc.integer({ min: 1, max: 2 }), undefined, 10),
    structured: flavour.structured ? fc.constantFrom('native', 'last', 'tool') : fc.constant(undefined),
    middleware: fc.constant(false),
  })
}

const hooks: fc.Arbitrary<HookDraw> = fc.record({
  name: fc.constantFrom('onStepStart', 'onResponse', 'onToolExecuted', 'onStepEnd'),
  at: fc.nat(2),
  act: fc.constantFrom('stop', 'override', 'throw', 'hang', 'wait', 'wait'),
})

const edits: fc.Arbitrary<EditDraw> = fc.record({
  step: fc.nat(2),
  edit: fc.constantFrom('model', 'model', 'messages', 'broken-messages', 'instructions', 'choice', 'tools', 'throw'),
})

const next: fc.Arbitrary<NextDraw> = fc.record({
  roundTrip: fc.boolean(),
  prompt: rarely(fc.constant(true), false, 3),
  answers: fc.array(fc.constantFrom('output', 'error', 'approve', 'approve', 'edit', 'deny', 'skip'), { maxLength: 4 }),
  misuse: rarely(
    fc.constantFrom('stranger', 'approve-client', 'version', 'pending-gone', 'results-gone', 'no-object'),
    'none' as const,
    5,
  ),
})

function drawOf(flavour: Flavour): fc.Arbitrary<LoopDraw> {
  const { names, failing, abort } = flavour
  const aborts = fc.record({
    run: fc.constantFrom(0, 0, 0, 1),
    at: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 8, arbitrary: fc.nat(30) }),
    sharp: fc.boolean(),
    of: fc.constant(undefined),
  })
  return fc.record({
    turns: fc.array(turnDraws(names, failing), { minLength: 1, maxLength: flavour.turns }),
    outcomes: fc.array(outcomeDraws, { minLength: 1, maxLength: 4 }),
    consumer: consumers,
    options: options(flavour),
    hooks: flavour.hooks ? fc.array(hooks, { minLength: 1, maxLength: 2 }) : rarely(fc.constant([]), []),
    edits: flavour.edits ? fc.array(edits, { minLength: 1, maxLength: 2 }) : fc.constant([]),
    abort: abort ? aborts : rarely(aborts, undefined, 12),
    next: fc.array(next, { maxLength: flavour.next }),
    release: fc.constantFrom('first', 'last'),
  })
}

/** A turn that does nothing but call. */
function callingTurn(...drawn: readonly PartDraw[]): TurnDraw {
  const usage = { inputTokens: 20, outputTokens: 10 }
  const rest = { finish: 'honest', responseId: true, delay: 0, batches: 'parts', interleaved: false } as const
  return { parts: drawn, usage, end: { type: 'complete' }, ...rest }
}

function callOf(tool: ToolName, key: number): CallDraw {
  return { type: 'call', tool, key, shape: 'whole', sameId: false }
}

const noLimits = {
  maxSteps: undefined,
  maxToolCalls: undefined,
  maxTokens: undefined,
  maxCost: undefined,
  maxRepeatedCalls: 0,
  timeout: undefined,
  stopAfter: undefined,
  onToolError: undefined,
  tools: true,
}

/** A model that calls on and on, against one limit. */
const oneLimit: fc.Arbitrary<LoopDraw> = fc
  .record({
    base: drawOf({ ...calm, next: 1 }),
    limit: fc.constantFrom<Partial<OptionsDraw>[]>(
      { maxSteps: 1 },
      { maxToolCalls: 2 },
      { maxToolCalls: 1 },
      { maxTokens: 95 },
      { maxTokens: 95 },
      { maxTokens: 45 },
      { maxCost: 3 },
      { maxCost: 3 },
      { maxRepeatedCalls: 2 },
      { maxCost: 1.5 },
      { maxRepeatedCalls: 2 },
      { maxRepeatedCalls: 2 },
      { timeout: 300 },
      { timeout: 300 },
    ),
    onLimit: fc.constantFrom('finalize' as const, 'incomplete' as const, 'throw' as const),
    same: fc.boolean(),
    last: fc.boolean(),
  })
  .map(({ base, limit, onLimit, same, last }) => {
    const fixed = same || limit.maxRepeatedCalls !== undefined
    const turns = [0, 1, 2, 3].map((step) => callingTurn(callOf('echo', fixed ? 1 : step % 3)))
    const outcome: OutcomeDraw = limit.timeout === undefined ? { type: 'value', index: 1 } : { type: 'late', ms: 200 }
    const outcomes = [outcome]
    const script = last ? turns.slice(0, limit.maxRepeatedCalls === undefined ? 2 : 3) : turns
    return { ...base, turns: script, outcomes, options: { ...base.options, ...noLimits, ...limit, onLimit } }
  })

/** Aborts while a tool, a check of an input or a hook is under way. */
const sharpAborts: fc.Arbitrary<LoopDraw> = fc
  .record({
    base: drawOf({ ...calm, names: toolNames, hooks: true }),
    abort: fc.record({
      run: fc.constant(0),
      at: fc.integer({ min: 1, max: 2 }),
      sharp: fc.constant(true),
      of: fc.constantFrom('tool' as const, 'check' as const, 'hook' as const),
    }),
    tool: fc.constantFrom<ToolName[]>('echo', 'slow', 'maybe'),
  })
  .map(({ base, abort, tool }) => {
    const turns = [callingTurn(callOf(tool, 0), callOf('slow', 1), callOf('echo', 2)), ...base.turns]
    return { ...base, abort, turns, options: { ...base.options, tools: true, maxToolCallsPerStep: undefined } }
  })

/** Calls that wait for the caller, and every way to answer them or not. */
const waitingCalls: fc.Arbitrary<LoopDraw> = fc
  .record({
    base: drawOf({ ...calm, failing: 0, next: 0 }),
    parts: fc.array(calls(['risky', 'ask', 'maybe', 'echo']), { minLength: 2, maxLength: 4 }),
    next: fc.array(next, { minLength: 1, maxLength: 3 }),
  })
  .map(({ base, parts: drawn, next: following }) => {
    const turns = [callingTurn(...drawn), ...base.turns]
    return { ...base, turns, next: following, options: { ...base.options, ...noLimits } }
  })

/** Providers that forget what they answered. */
const forgetfulProviders: fc.Arbitrary<LoopDraw> = drawOf({ ...calm, failing: 0 }).map((base) => {
  const end: TurnEnding = { type: 'error', code: 'continuation-not-found', retryAfterMs: undefined }
  const turns = [callingTurn(callOf('echo', 1)), { ...callingTurn(), end }, ...base.turns]
  return { ...base, turns, options: { ...base.options, ...noLimits, continues: true, continuation: undefined } }
})

/** Answers that have to be objects, and sometimes are. */
const objects: fc.Arbitrary<LoopDraw> = fc
  .record({
    base: drawOf({ ...calm, structured: true, failing: 0 }),
    texts: fc.array(fc.constantFrom('{"ok":true}', '{"ok":true}', '{"ok":1}', 'no'), { minLength: 1, maxLength: 3 }),
    first: fc.boolean(),
  })
  .map(({ base, texts, first }) => {
    const way = base.options.structured
    const answers = texts.map((text) => {
      const shape = text.includes('true') ? ('whole' as const) : ('unparsable' as const)
      const call: CallDraw = { ...callOf('output_structured_data', 1), shape }
      return callingTurn(way === 'tool' ? call : { type: 'text', text, signed: false })
    })
    const turns = [...(first ? [callingTurn(callOf('echo', 1))] : []), ...answers]
    return { ...base, turns, options: { ...base.options, ...noLimits } }
  })

export const plainDraws: fc.Arbitrary<LoopDraw> = fc.oneof(
  { weight: 10, arbitrary: fc.oneof(...flavours.map(drawOf)) },
  { weight: 8, arbitrary: oneLimit },
  { weight: 2, arbitrary: sharpAborts },
  { weight: 4, arbitrary: waitingCalls },
  { weight: 1, arbitrary: forgetfulProviders },
  { weight: 2, arbitrary: objects },
)

/** All microtasks run before an immediate. */
export function createSurroundings(): Surroundings & { readonly close: () => void } {
  const others = process.listeners('unhandledRejection')
  let unhandled: unknown[] = []
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (reason) => void unhandled.push(reason))
  // In a thread of its own a hash would take time that no clock of these tests knows.
  const digest = vi.spyOn(crypto.subtle, 'digest').mockImplementation((_algorithm, data) => {
    const bytes = createHash('sha256')
      .update(new Uint8Array(data as ArrayBuffer))
      .digest()
    return Promise.resolve(new Uint8Array(bytes).buffer)
  })
  return {
    idle: () =>
      new Promise((resolve) => {
        setImmediate(resolve)
      }),
    takeUnhandled() {
      const taken = unhandled
      unhandled = []
      return taken
    },
    close() {
      digest.mockRestore()
      process.removeAllListeners('unhandledRejection')
      for (const listener of others) process.on('unhandledRejection', listener)
    },
  }
}
