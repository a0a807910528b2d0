/** Everything that one example of the property decides beforehand. Plain data, so that a counter-example can be written down. */
export interface DecisionDraw {
  /** Named `t0`, `t1`, ... */
  readonly tools: readonly ToolDraw[]
  /** Requests are answered in this order, whatever run asks; then with plain text. */
  readonly turns: readonly TurnDraw[]
  readonly app: AppDraw
  /** Runs that follow on the transcript of an earlier one. */
  readonly next: readonly NextDraw[]
}

export interface ToolDraw {
  readonly schema: SchemaKind
  readonly approval: ApprovalKind
  readonly effect: 'read' | 'write'
  /** What its executions do, in turn. */
  readonly outcomes: readonly OutcomeDraw[]
}

/**
 * `plain`: a JSON Schema, whose input is the model's own object; `any`: zod that hands nested values on as they are; `default`: fills in a
 * number that is dangerous; `tidy`: trims and coerces; `set`, `big`: give what JSON cannot say; `fresh`: gives another number each time it
 * is asked; `late`: answers with a promise.
 */
export type SchemaKind = 'plain' | 'any' | 'default' | 'tidy' | 'set' | 'big' | 'fresh' | 'late'

/**
 * `asks`: a predicate that asks about dangerous inputs; `later`: with a promise; `truthy`, `falsy`: without booleans; `throws`; `odd`: an
 * option that is neither a boolean nor a function.
 */
export type ApprovalKind = 'none' | 'always' | 'asks' | 'later' | 'truthy' | 'falsy' | 'throws' | 'odd'

/** `abort`, `expire`: the run is aborted, or its time is over, while the tool works; `thenable`: rejects, and is no Promise. */
export type OutcomeDraw = 'value' | 'throw' | 'reject' | 'thenable' | 'hang' | 'abort' | 'expire'

export interface TurnDraw {
  readonly parts: readonly PartDraw[]
  /** `connection` is retried, `fatal` is not; `unreadable`: the provider could not read the model's call. */
  readonly end: 'complete' | 'connection' | 'fatal' | 'unreadable'
  readonly usage: 'none' | 'ten' | 'negative' | 'nan'
}

export type PartDraw = { readonly type: 'text'; readonly text: string } | CallDraw

export interface CallDraw {
  readonly type: 'call'
  /** `ask` is client-owned; `shell` is declared by the provider and carried out by the caller; `ghost` is not there. */
  readonly tool: string
  /** An index of `inputTexts`. */
  readonly input: number
}

/** `messages`: a tool writes to the conversation that it is shown; `input`: to its input. */
export type Writer =
  | 'everybody'
  | 'input'
  | 'messages'
  | 'predicate'
  | 'denyCall'
  | 'refineInput'
  | 'hook'
  | 'prepareStep'

export interface AppDraw {
  /** Code of the application that writes to what it is given. */
  readonly writer: Writer | undefined
  /** Where call ids come from: the number of the turn, the provider, or a provider that repeats itself. */
  readonly ids: 'turn' | 'own' | 'same'
  readonly consumer: 'generate' | 'stream' | 'slow'
  readonly refine: 'none' | 'keep' | 'fill' | 'replace' | 'policy'
  readonly fix: 'none' | 'fix' | 'empty'
  /** `denyCall` keeps dangerous inputs away. */
  readonly deny: boolean
  readonly policies: readonly PolicyDraw[]
  readonly toolChoice: 'required' | 'none' | 'tool' | undefined
  readonly maxSteps: number | undefined
  readonly maxToolCalls: number | undefined
  readonly maxTokens: number | undefined
  readonly maxRepeatedCalls: number
  readonly onLimit: 'finalize' | 'incomplete' | undefined
  readonly onToolError: 'throw' | undefined
  readonly unknownTools: 'client' | undefined
  readonly eager: boolean
  /** The model keeps its responses and can go on from them. */
  readonly continues: boolean
  readonly structured: 'none' | 'native' | 'tool'
  /** The history is cut to its last messages before the first request of each run, or before every one. */
  readonly trim: { readonly when: 'first' | 'every'; readonly keep: number } | undefined
  readonly hooks: readonly HookDraw[]
  /** Milliseconds of a run. */
  readonly timeout: number | undefined
}

export type PolicyDraw =
  | { readonly type: 'allow' | 'deny'; readonly tools: readonly string[] }
  | { readonly type: 'limit'; readonly tool: string; readonly most: number }
  | { readonly type: 'share'; readonly most: number }
  | { readonly type: 'force'; readonly tool: string }
  | { readonly type: 'cache' | 'retry-empty' | 'turn-time' | 'finalize' | 'cut-output' }

export interface HookDraw {
  readonly name: 'onStepStart' | 'onResponse' | 'onToolStart' | 'onToolExecuted' | 'onStepEnd'
  /** The call of this hook in a run, from 0, that acts. */
  readonly at: number
  /** `answer`: in `onToolStart`, in place of the tool. */
  readonly act: 'throw' | 'stop' | 'override' | 'extend' | 'answer'
}

export interface NextDraw {
  /** The transcript of the run before, or of the one before that. */
  readonly from: 'last' | 'before'
  readonly json: boolean
  readonly prompt: boolean
  /** For the pending calls, in turn. */
  readonly answers: readonly AnswerDraw[]
  /** The decision on all approvals that have no answer of their own. */
  readonly everyApproval: 'approve' | 'deny' | 'edit' | undefined
  readonly tamper: TamperKind | undefined
  readonly change: ChangeKind
}

/** `forge`: a result for a call that waits for an approval; `forge-both`: with an approval beside it; `truthy`: `approved` is no boolean. */
export type AnswerDraw = 'approve' | 'edit' | 'deny' | 'skip' | 'forge' | 'forge-both' | 'truthy'

/** A change to a stored transcript. */
export type TamperKind =
  | 'call-twice'
  | 'exchange-twice'
  | 'message-twice'
  | 'orphan-result'
  | 'orphan-message'
  | 'approval-for-none'
  | 'reason-flipped'
  | 'input-changed'
  | 'pending-input-changed'
  | 'both-inputs-changed'
  | 'pending-twice'
  | 'pending-gone'
  | 'redacted'
  | 'nested-redacted'
  | 'first-gone'
  | 'reordered'

/** Other options than the loop's, for one run. */
export type ChangeKind = 'none' | 'deny' | 'inactive' | 'one-call' | 'definition' | 'always'

/** What the model calls with. */
export const inputTexts = [
  '{}',
  '{"n":1}',
  '{"n":5000}',
  '{"n":"5,000"}',
  '{"n":"7"}',
  '{"text":" /ETC/passwd"}',
  '{"n":1,"text":"alice"}',
  '{"n":1,"text":"bob"}',
  '{"n":1,"nested":{"deep":[1]}}',
  '{"ok":true}',
  '{"n":',
] as const

export const toolNames = ['t0', 't1', 't2'] as const
