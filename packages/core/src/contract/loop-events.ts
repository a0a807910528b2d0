import type { AdapterError, LoopError } from './errors.ts'
import type { TurnEvent, Warning } from './adapter.ts'
import type { ToolOutput, ToolOwner } from './messages.ts'
import type { RunResult } from './run-result.ts'
import type { PendingCall } from './transcript.ts'
import type { ToolProgress } from './progress.ts'
import type { Step } from './step.ts'

/**
 * What `stream()` yields. Order: `run-start`, then per step `step-start`, the turn's events as they arrive, `tool-state`,
 * `tool-progress` and `tool-result` per call, `step-end`; then exactly one of `run-end` and `run-error`, after which the iteration ends.
 */
export type LoopEvent =
  /** `pendingCalls`: those that waited, where a suspended run goes on. */
  | { readonly type: 'run-start'; readonly pendingCalls?: readonly PendingCall[] | undefined }
  | { readonly type: 'step-start'; readonly step: number }
  | Exclude<TurnEvent, { type: 'turn-start' | 'turn-end' | 'tool-result' }>
  /** `queued -> running -> completed | failed`; a call that never runs goes from `queued` to `failed`. */
  | {
      readonly type: 'tool-state'
      readonly toolCallId: string
      readonly toolName: string
      readonly state: 'queued' | 'running' | 'completed' | 'failed'
    }
  /** What a tool tells while it is `running`. */
  | ({ readonly type: 'tool-progress'; readonly toolCallId: string; readonly toolName: string } & ToolProgress)
  | {
      readonly type: 'tool-result'
      readonly toolCallId: string
      readonly toolName: string
      readonly output: ToolOutput
      readonly owner: ToolOwner
    }
  /**
   * With `output: { partial: true }`: the object of this attempt as far as it came, after the events that made it grow. Not checked against
   * the schema; texts may be cut, and a repair begins anew.
   */
  | { readonly type: 'partial-output'; readonly output: Readonly<Record<string, unknown>> }
  | { readonly type: 'warning'; readonly warning: Warning }
  /** Forget what this step delivered: it is asked for again after `delayMs`. */
  | {
      readonly type: 'step-retry'
      readonly step: number
      readonly attempt: number
      readonly delayMs: number
      readonly error: AdapterError
    }
  | { readonly type: 'step-end'; readonly step: Step }
  | { readonly type: 'run-end'; readonly result: RunResult }
  | { readonly type: 'run-error'; readonly error: LoopError }
