import type { AdapterErrorCode, FinishReason } from '../../src/contract/adapter.ts'
import type { StepLoopOptions } from '../../src/options/loop-options.ts'
import type { Usage } from '../../src/contract/usage.ts'

/** Everything that one example of the property decides beforehand. Plain data, so that a counter-example can be written down. */
export interface LoopDraw {
  /** Requests are answered in this order, whatever model asks and whatever run; then with plain text. */
  readonly turns: readonly TurnDraw[]
  /** What the executions of tools do, in turn. */
  readonly outcomes: readonly OutcomeDraw[]
  readonly consumer: ConsumerDraw
  readonly options: OptionsDraw
  /** What the application calls back into: at most one event each. */
  readonly hooks: readonly HookDraw[]
  readonly edits: readonly EditDraw[]
  readonly abort: AbortDraw | undefined
  /** Runs that follow on the transcript of the one before. */
  readonly next: readonly NextDraw[]
  /** Waiting things are released in this order. */
  readonly release: 'first' | 'last'
}

export interface TurnDraw {
  readonly parts: readonly PartDraw[]
  readonly finish: 'honest' | FinishReason
  readonly usage: Usage | undefined
  readonly responseId: boolean
  readonly end: TurnEnding
  /** Milliseconds before the first batch. */
  readonly delay: number
  readonly batches: 'whole' | 'parts' | 'events'
  /** Events of the parts are dealt out in turn. */
  readonly interleaved: boolean
}

export type TurnEnding =
  | { readonly type: 'complete' }
  | { readonly type: 'error'; readonly code: AdapterErrorCode; readonly retryAfterMs: number | undefined }
  /** The iteration ends without `turn-end`. */
  | { readonly type: 'cut' }
  /** Never settles, whatever its signal says. */
  | { readonly type: 'hang' }

export type PartDraw =
  | { readonly type: 'text' | 'reasoning'; readonly text: string; readonly signed: boolean }
  | { readonly type: 'opaque' | 'search' }
  | CallDraw

export interface CallDraw {
  readonly type: 'call'
  readonly tool: ToolName
  /** The whole input: `{ key }`. */
  readonly key: number
  /** `open`: begun, never completed. `misfit`: JSON that the schema refuses. */
  readonly shape: 'whole' | 'unparsable' | 'truncated' | 'open' | 'misfit'
  /** The provider gives the same id to every call. */
  readonly sameId: boolean
}

/**
 * `echo`: checked at once; `slow`: checked asynchronously; `plain`: a JSON Schema and `toModelOutput`; `risky`: needs approval; `maybe`:
 * needs it for odd keys; `ask`: client-owned; `ghost`: not there; `search` is the provider's.
 */
export type ToolName = 'echo' | 'slow' | 'plain' | 'risky' | 'maybe' | 'ask' | 'ghost' | 'output_structured_data'

export type OutcomeDraw =
  | { readonly type: 'value' | 'throw' | 'reject'; readonly index: number }
  | { readonly type: 'hang' | 'hang-aware' | 'gate' | 'late-aware' }
  | { readonly type: 'late'; readonly ms: number }

export type ConsumerDraw =
  | { readonly type: 'generate' | 'result' | 'events' | 'slow' | 'text' | 'readable' | 'steps' }
  /** `pending`: while a `next()` is under way. */
  | { readonly type: 'leave'; readonly after: number; readonly pending: boolean }
  | { readonly type: 'leave-steps'; readonly after: number; readonly pending: boolean }

export type OptionsDraw = Pick<
  StepLoopOptions,
  | 'instructions'
  | 'activeTools'
  | 'toolChoice'
  | 'temperature'
  | 'providerOptions'
  | 'headers'
  | 'onLimit'
  | 'maxToolCalls'
  | 'maxTokens'
  | 'maxCost'
  | 'maxRepeatedCalls'
  | 'maxToolCallsPerStep'
  | 'maxToolConcurrency'
  | 'toolTimeout'
  | 'timeout'
  | 'onToolError'
  | 'unknownTools'
  | 'maxRetries'
  | 'continuation'
> & {
  readonly tools: boolean
  readonly maxSteps: number | undefined
  /** `echo` and `plain` only read, and may start early. */
  readonly eager: boolean
  /** How many models may take over. */
  readonly fallbacks: number
  /** The models can continue a response. */
  readonly continues: boolean
  readonly stopAfter: number | undefined
  readonly structured: 'native' | 'last' | 'tool' | undefined
  /** What the application has around the run, its requests and its calls does nothing but look. */
  readonly middleware: boolean
}

export interface HookDraw {
  readonly name: 'onStepStart' | 'onResponse' | 'onToolExecuted' | 'onStepEnd'
  /** The call of this hook, from 0, that acts. */
  readonly at: number
  readonly act: 'stop' | 'override' | 'throw' | 'hang' | 'wait'
}

export interface EditDraw {
  /** Requests of the run, from 0. */
  readonly step: number
  readonly edit: 'model' | 'messages' | 'broken-messages' | 'instructions' | 'choice' | 'tools' | 'throw'
}

export interface AbortDraw {
  /** The run, from 0. */
  readonly run: number
  /** Events of the run until then; 0: before it begins. */
  readonly at: number
  /** In the middle of what happens, or when everything waits. */
  readonly sharp: boolean
  /** Only such events count. */
  readonly of: 'tool' | 'check' | 'hook' | undefined
}

export interface NextDraw {
  readonly roundTrip: boolean
  readonly prompt: boolean
  readonly answers: readonly ('output' | 'error' | 'approve' | 'edit' | 'deny' | 'skip')[]
  readonly misuse: 'none' | 'stranger' | 'approve-client' | 'version' | 'pending-gone' | 'results-gone' | 'no-object'
}
