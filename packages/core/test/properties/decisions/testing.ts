import * as fc from 'fast-check'
import {
  inputTexts,
  type AnswerDraw,
  type AppDraw,
  type ApprovalKind,
  type CallDraw,
  type DecisionDraw,
  type HookDraw,
  type NextDraw,
  type OutcomeDraw,
  type PartDraw,
  type PolicyDraw,
  type SchemaKind,
  type TamperKind,
  type ToolDraw,
  type TurnDraw,
  type Writer,
} from './draw.ts'

/** Drawn one time of `one`; else `fallback`, which comes first when a counter-example is made smaller. */
function rarely<T, U>(arbitrary: fc.Arbitrary<T>, fallback: U, one = 5): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: one - 1, arbitrary: fc.constant(fallback) }, { weight: 1, arbitrary })
}

function sometimes<T, U>(on: Often, arbitrary: fc.Arbitrary<T>, fallback: U, one = 3): fc.Arbitrary<T | U> {
  if (on === 'always') return arbitrary
  return on ? rarely(arbitrary, fallback, one) : fc.constant(fallback)
}

type Often = boolean | 'always'

/** Each kind of world gets its share of the draws. */
interface Flavour {
  readonly called: readonly string[]
  /** Indices of `inputTexts`. */
  readonly inputs: readonly number[]
  /** Fewest and most parts of a turn. */
  readonly parts: readonly [number, number]
  /** Fewest turns of the script. */
  readonly turns: number
  /** Of ten parts that many are text. */
  readonly talk: number
  readonly schemas: readonly SchemaKind[]
  readonly approvals: readonly ApprovalKind[]
  readonly effects: readonly ToolDraw['effect'][]
  readonly outcomes: readonly OutcomeDraw[]
  readonly ends: readonly TurnDraw['end'][]
  readonly answers: readonly AnswerDraw[]
  readonly tampers: readonly TamperKind[]
  readonly policies: readonly fc.Arbitrary<PolicyDraw>[]
  readonly input: boolean
  readonly limits: boolean
  readonly hooks: boolean
  readonly writers: Often
  readonly trim: Often
  readonly structured: Often
  readonly eager: Often
  readonly slow: boolean
  readonly prompts: 'rarely' | 'often' | 'always'
  readonly changes: Often
  readonly continues: Often
  /** Fewest and most runs that follow. */
  readonly next: readonly [number, number]
}

const schemaKinds: readonly SchemaKind[] = ['plain', 'any', 'default', 'tidy', 'set', 'big', 'fresh', 'late']
const approvalKinds: readonly ApprovalKind[] = ['none', 'always', 'asks', 'later', 'truthy', 'falsy', 'throws', 'odd']
const own: readonly string[] = ['t0', 't1']
const everybody: readonly string[] = ['t0', 't1', 'ask', 'shell', 'ghost']
const honest: readonly AnswerDraw[] = ['approve', 'edit', 'deny', 'skip']

const restrictions: fc.Arbitrary<PolicyDraw> = fc.record({
  type: fc.constantFrom('allow', 'deny'),
  tools: fc.subarray(['t0', 'ask', 'shell']),
})
const limitOfTool: fc.Arbitrary<PolicyDraw> = fc.record({
  type: fc.constant('limit'),
  tool: fc.constantFrom('t0'),
  most: fc.integer({ min: 1, max: 2 }),
})
const shared: fc.Arbitrary<PolicyDraw> = fc.record({ type: fc.constant('share'), most: fc.integer({ min: 1, max: 2 }) })
const forced: fc.Arbitrary<PolicyDraw> = fc.record({ type: fc.constant('force'), tool: fc.constantFrom('t0', 'ask') })
const named = (type: 'cache' | 'retry-empty' | 'turn-time' | 'finalize' | 'cut-output'): fc.Arbitrary<PolicyDraw> =>
  fc.record({ type: fc.constant(type) })
const allPolicies: readonly fc.Arbitrary<PolicyDraw>[] = [
  restrictions,
  limitOfTool,
  shared,
  forced,
  ...(['cache', 'retry-empty', 'turn-time', 'finalize', 'cut-output'] as const).map(named),
]

const calm: Flavour = {
  called: own,
  inputs: inputTexts.map((_text, index) => index),
  parts: [0, 3],
  turns: 1,
  talk: 2,
  schemas: schemaKinds,
  approvals: ['none', 'always', 'asks'],
  effects: ['write'],
  outcomes: ['value'],
  ends: ['complete'],
  answers: honest,
  tampers: [],
  policies: [],
  input: false,
  limits: false,
  hooks: false,
  writers: false,
  trim: false,
  structured: false,
  eager: false,
  slow: false,
  prompts: 'rarely',
  changes: false,
  continues: false,
  next: [0, 2],
}

const approvalTampers: readonly TamperKind[] = [
  ...(['call-twice', 'reason-flipped', 'input-changed', 'pending-input-changed', 'both-inputs-changed'] as const),
  ...(['pending-twice', 'pending-gone'] as const),
]

const messageTampers: readonly TamperKind[] = [
  ...(['exchange-twice', 'message-twice', 'orphan-result', 'orphan-message', 'approval-for-none', 'redacted'] as const),
  ...(['nested-redacted', 'first-gone', 'reordered'] as const),
]

const failing: readonly OutcomeDraw[] = ['value', 'throw', 'reject', 'hang', 'abort', 'expire']

const caching: Partial<Flavour> = {
  policies: [named('cache'), named('cache'), shared],
  effects: ['read', 'write'],
  outcomes: ['value', 'value', 'throw', 'thenable', 'hang'],
  schemas: ['plain', 'set', 'big', 'default'],
}

const trimming: Partial<Flavour> = {
  trim: 'always',
  prompts: 'always',
  approvals: ['none'],
  called: ['t0'],
  inputs: [1],
  parts: [1, 1],
  talk: 5,
  turns: 5,
  next: [2, 5],
}

const eager: Partial<Flavour> = {
  eager: 'always',
  effects: ['read'],
  ends: ['complete', 'connection'],
  approvals: ['none', 'none', 'asks'],
  policies: [shared, named('cut-output')],
  inputs: [1, 5],
  talk: 0,
}

const structured: Partial<Flavour> = {
  structured: 'always',
  limits: true,
  policies: [named('retry-empty'), named('finalize'), limitOfTool],
  ends: ['complete', 'complete', 'unreadable'],
  called: [...own, 'output_structured_data', 'output_structured_data'],
  approvals: ['none'],
  inputs: [1, 9, 9],
  parts: [0, 2],
}

const everything: Partial<Flavour> = {
  called: everybody,
  approvals: approvalKinds,
  effects: ['read', 'write'],
  outcomes: [...failing, 'thenable'],
  ends: ['complete', 'complete', 'complete', 'connection', 'fatal', 'unreadable'],
  answers: [...honest, 'forge'],
  tampers: [...approvalTampers, ...messageTampers],
  policies: allPolicies,
  input: true,
  limits: true,
  hooks: true,
  writers: true,
  trim: true,
  structured: true,
  eager: true,
  slow: true,
  prompts: 'often',
  changes: true,
  continues: true,
  next: [0, 4],
}

const writers: readonly Writer[] = [
  ...(['everybody', 'input', 'messages', 'predicate', 'denyCall', 'refineInput', 'hook', 'prepareStep'] as const),
]

/** An approval, or a client's answer, is waited for nearly always. */
const waiting: Flavour = { ...calm, approvals: ['always', 'always', 'asks', 'none'], called: [...own, ...own, 'ask'] }

const approving: readonly AnswerDraw[] = ['approve', 'approve', 'edit', 'skip']

const flavours: readonly (readonly [number, Flavour])[] = [
  [3, { ...calm, input: true, approvals: approvalKinds }],
  [2, { ...calm, called: everybody, policies: [restrictions], input: true }],
  [
    4,
    { ...calm, writers: 'always', input: true, called: [...own, ...own, 'ask'], approvals: ['none', 'asks', 'always'] },
  ],
  [
    5,
    {
      ...waiting,
      tampers: approvalTampers,
      approvals: ['always', 'always', 'asks'],
      called: own,
      parts: [0, 2],
      talk: 1,
      answers: approving,
      next: [1, 1],
    },
  ],
  [
    3,
    {
      ...calm,
      tampers: messageTampers,
      continues: 'always',
      prompts: 'often',
      approvals: ['none', 'none', 'always'],
      next: [1, 2],
    },
  ],
  [2, { ...waiting, answers: [...honest, 'forge', 'forge-both', 'truthy'], next: [1, 2] }],
  [2, { ...waiting, changes: 'always', answers: ['approve', 'approve', 'skip'], next: [1, 3] }],
  [
    3,
    {
      ...waiting,
      outcomes: failing,
      hooks: true,
      answers: ['approve', 'skip'],
      next: [1, 3],
      ends: ['complete', 'fatal'],
    },
  ],
  [
    2,
    { ...waiting, limits: true, policies: [forced, limitOfTool], answers: ['approve'], inputs: [1, 6], next: [1, 4] },
  ],
  [2, { ...calm, ...trimming }],
  [
    2,
    {
      ...waiting,
      limits: true,
      called: ['t0'],
      answers: ['approve'],
      inputs: [1],
      parts: [0, 1],
      talk: 1,
      next: [1, 4],
    },
  ],
  [2, { ...calm, ...caching, approvals: ['none'], inputs: [0, 6, 7] }],
  [3, { ...calm, ...eager }],
  [3, { ...calm, ...structured }],
  [1, { ...calm, slow: true, policies: [named('turn-time')] }],
  [3, { ...calm, ...everything }],
]

function calls({ called, inputs }: Flavour): fc.Arbitrary<CallDraw> {
  return fc.record({
    type: fc.constant('call' as const),
    tool: fc.constantFrom(...called),
    input: fc.constantFrom(...inputs),
  })
}

function turns(flavour: Flavour): fc.Arbitrary<TurnDraw> {
  const texts = fc.record({
    type: fc.constant('text' as const),
    text: fc.constantFrom('Paris', '', '{"ok":true}', '{"ok":1}'),
  })
  const part: fc.Arbitrary<PartDraw> = fc.oneof(
    { weight: flavour.talk, arbitrary: texts },
    { weight: 10 - flavour.talk, arbitrary: calls(flavour) },
  )
  return fc.record({
    parts: fc.array(part, { minLength: flavour.parts[0], maxLength: flavour.parts[1] }),
    end: fc.constantFrom(...flavour.ends),
    usage: flavour.limits ? fc.constantFrom('ten', 'none', 'negative', 'nan') : fc.constant('none'),
  })
}

function toolDraws({ schemas, approvals, effects, outcomes }: Flavour): fc.Arbitrary<ToolDraw> {
  return fc.record({
    schema: fc.constantFrom(...schemas),
    approval: fc.constantFrom(...approvals),
    effect: fc.constantFrom(...effects),
    outcomes: fc.array(fc.constantFrom(...outcomes), { minLength: 1, maxLength: 3 }),
  })
}

function hookDraws({ hooks }: Flavour): fc.Arbitrary<readonly HookDraw[]> {
  const drawn: fc.Arbitrary<HookDraw> = fc.record({
    name: fc.constantFrom('onStepStart', 'onResponse', 'onToolStart', 'onToolExecuted', 'onStepEnd'),
    at: fc.nat(2),
    act: fc.constantFrom('throw', 'stop', 'override', 'extend', 'answer'),
  })
  return fc.array(drawn, { maxLength: hooks ? 2 : 0 })
}

function apps(flavour: Flavour): fc.Arbitrary<AppDraw> {
  const { limits, policies } = flavour
  const drawn = fc.record({
    writer: sometimes(flavour.writers, fc.constantFrom(...writers), undefined, 2),
    ids: fc.constantFrom('own' as const, 'turn' as const, 'same' as const),
    consumer: flavour.slow
      ? fc.constantFrom('slow' as const, 'stream' as const)
      : rarely(fc.constant('stream' as const), 'generate' as const, 3),
    refine: sometimes(flavour.input, fc.constantFrom('keep', 'fill', 'replace', 'policy'), 'none' as const, 2),
    fix: sometimes(flavour.input, fc.constantFrom('fix', 'empty'), 'none' as const, 2),
    deny: sometimes(flavour.input, fc.constant(true), false),
    policies:
      policies.length === 0
        ? fc.constant([])
        : fc.uniqueArray(fc.oneof(...policies), { maxLength: 3, selector: ({ type }) => type }),
    toolChoice: sometimes(limits, fc.constantFrom('required', 'none', 'tool'), undefined, 2),
    maxSteps: sometimes(limits, fc.nat(2), undefined),
    maxToolCalls: sometimes(limits, fc.nat(2), undefined),
    maxTokens: sometimes(limits, fc.constantFrom(15, 35), undefined),
    maxRepeatedCalls: limits ? fc.constantFrom(0, 2) : fc.constant(0),
    onLimit: rarely(fc.constant('incomplete' as const), undefined),
    onToolError: sometimes(flavour.outcomes.length > 1, fc.constant('throw' as const), undefined, 2),
    unknownTools: rarely(fc.constant('client' as const), undefined),
    eager: sometimes(flavour.eager, fc.constant(true), false, 2),
    continues: sometimes(flavour.continues, fc.constant(true), false, 2),
    structured: sometimes(flavour.structured, fc.constantFrom('native', 'tool'), 'none' as const, 2),
    trim: sometimes(
      flavour.trim,
      fc.record({ when: fc.constantFrom('first' as const, 'every' as const), keep: fc.integer({ min: 1, max: 4 }) }),
      undefined,
      2,
    ),
    hooks: hookDraws(flavour),
    timeout: sometimes(flavour.outcomes.includes('expire') && !flavour.slow, fc.constant(1000), undefined, 2),
  })
  return drawn
}

const promptDraws = {
  rarely: rarely(fc.constant(true), false),
  often: fc.boolean(),
  always: fc.constant(true),
} as const

function nextDraws(flavour: Flavour): fc.Arbitrary<NextDraw> {
  const { answers, tampers, changes, prompts } = flavour
  return fc.record({
    from: rarely(fc.constant('before' as const), 'last' as const),
    json: fc.boolean(),
    prompt: promptDraws[prompts],
    answers: fc.array(fc.constantFrom(...answers), { minLength: 1, maxLength: 3 }),
    everyApproval: rarely(fc.constantFrom('approve' as const, 'deny' as const, 'edit' as const), undefined),
    tamper:
      tampers.length === 0
        ? fc.constant(undefined)
        : fc.option(fc.constantFrom(...tampers), { nil: undefined, freq: 3 }),
    change: sometimes(
      changes,
      fc.constantFrom('deny', 'inactive', 'one-call', 'definition', 'always'),
      'none' as const,
      2,
    ),
  })
}

function drawOf(flavour: Flavour): fc.Arbitrary<DecisionDraw> {
  return fc.record({
    tools: fc.array(toolDraws(flavour), { minLength: 1, maxLength: 2 }),
    turns: fc.array(turns(flavour), { minLength: flavour.turns, maxLength: 6 }),
    app: apps(flavour),
    next: fc.array(nextDraws(flavour), { minLength: flavour.next[0], maxLength: flavour.next[1] }),
  })
}

export const decisionDraws: fc.Arbitrary<DecisionDraw> = fc.oneof(
  ...flavours.map(([weight, flavour]) => ({ weight, arbitrary: drawOf(flavour) })),
)
