import type { FinishReason, TurnRequest, Warning } from './adapter.ts'
import type { Message, ToolCallPart, ToolResultPart } from './messages.ts'
import type { Transcript } from './transcript.ts'
import type { Usage } from './usage.ts'
import type { Step } from './step.ts'

/** A limit that ends a run; the stop reason of the same name. */
export type LimitReason = 'max-steps' | 'max-tool-calls' | 'timeout' | 'token-budget' | 'cost-budget' | 'repeated-call'

export type RunStatus = 'completed' | 'requires-action' | 'incomplete'

export type StopReason =
  | 'answer'
  | 'stop-when'
  | 'hook'
  | 'length'
  | 'content-filter'
  | LimitReason
  | 'client-tool'
  | 'approval'

export interface RunResult<Output = unknown, Call = ToolCallPart, Result = ToolResultPart> {
  /** Text of the last turn. */
  readonly text: string
  readonly steps: readonly Step<Call, Result>[]
  /** The new messages only: what this run added to the caller's input. */
  readonly messages: readonly Message[]
  /** Calls of all steps; `toolName` tells the inputs apart. */
  readonly toolCalls: readonly Call[]
  readonly toolResults: readonly Result[]
  /** Sum over all turns; `undefined` when no turn had usage. */
  readonly usage: Usage | undefined
  readonly warnings: readonly Warning[]
  readonly status: RunStatus
  readonly stopReason: StopReason
  /** The reason that a hook gave, or how far the limit that ended the run was used: `max-steps reached (10/10)`. */
  readonly stopDetail: string | undefined
  /** Finish reason of the last turn. */
  readonly finishReason: FinishReason
  /** The provider's id of the last response. */
  readonly responseId: string | undefined
  /**
   * What the caller named in `providerOptions` of what a provider keeps (`store`, `previous_response_id`, `conversation`), as it was given:
   * whoever stores the result under it finds it here, whatever the requests named.
   */
  readonly providerState: TurnRequest['providerOptions']
  /** The object of a run with `output`; `undefined` when the run ended before it. */
  readonly output: Output | undefined
  /** All messages and pending calls; resumes with `{ transcript, ... }`. */
  readonly transcript: Transcript
}

/** How a run ends. */
export interface Ending {
  readonly status: RunStatus
  readonly stopReason: StopReason
}
