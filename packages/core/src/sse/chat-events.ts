import type { LoopErrorCode } from '../contract/errors.ts'
import type { Citation, ToolErrorCode } from '../contract/messages.ts'
import type { ToolProgress } from '../contract/progress.ts'
import type { RunStatus, StopReason } from '../contract/run-result.ts'
import type { PendingCall } from '../contract/transcript.ts'
import type { Usage } from '../contract/usage.ts'

/** A call as a chat page sees it. */
export interface ChatCall {
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
}

/** A call that waits for the page: for an approval, or for the output of a tool that runs there. */
export interface ChatPendingCall extends ChatCall {
  readonly reason: PendingCall['reason']
}

/** How a run ended: `aborted` where it was stopped, `failed` after an `error`. */
export type ChatStatus = RunStatus | 'failed' | 'aborted'

/** What `toServerSentEvents` writes, as JSON in the `data:` of a server-sent event. `done` comes last, always and once. */
export type ChatEvent = {
  /** Number of the step, from 0; absent before the first one, where calls of an earlier run are answered. */
  readonly step?: number | undefined
} & (
  | { readonly type: 'reasoning'; readonly content: string }
  /** Text of the answer, or of a refusal; to be appended. */
  | { readonly type: 'content'; readonly content: string }
  /** The calls of a turn, all at once: they are queued. A run that goes on after a suspension begins with those that waited. */
  | { readonly type: 'tool_calls'; readonly calls: readonly ChatCall[] }
  | { readonly type: 'tool_executing'; readonly id: string; readonly name: string }
  /** How far a call is; `progress` in units of `total`, each as far as the tool says it. */
  | ({ readonly type: 'tool_progress'; readonly id: string; readonly name: string } & ToolProgress)
  | { readonly type: 'tool_result'; readonly id: string; readonly name: string; readonly result: ChatToolResult }
  /** With `output: { partial: true }`: the structured answer as far as it came. */
  | { readonly type: 'partial_output'; readonly output: Readonly<Record<string, unknown>> }
  | { readonly type: 'citation'; readonly citation: Citation }
  /** A file of the answer: base64 `data` or a `url`. */
  | {
      readonly type: 'file'
      readonly mediaType: string
      readonly data?: string | undefined
      readonly url?: string | undefined
      readonly filename?: string | undefined
    }
  | { readonly type: 'warning'; readonly message: string }
  /** Forget the events of this step: it is asked for again. */
  | { readonly type: 'retry'; readonly code: string; readonly message: string }
  | { readonly type: 'error'; readonly code: LoopErrorCode; readonly message: string }
  | {
      readonly type: 'done'
      readonly done: true
      readonly status: ChatStatus
      readonly stopReason: StopReason | LoopErrorCode
      /** Calls to be answered with the next request; the transcript stays with the server. */
      readonly pendingCalls: readonly ChatPendingCall[]
      /** The object of a run with `output`, as JSON. */
      readonly output?: unknown
      readonly usage?: Usage | undefined
    }
)

export type ChatToolResult =
  | { readonly success: true; readonly result: unknown }
  | { readonly success: false; readonly error: string; readonly code: ToolErrorCode }
