import type { ToolCallPart, ToolOutput } from '../contract/messages.ts'
import type { FunctionTool } from '../tools/tool.ts'
import type { PendingCall } from '../contract/transcript.ts'

/** What is to become of one call of a step. */
export type CallPlan =
  | RunPlan
  | {
      readonly type: 'answer'
      readonly call: ToolCallPart
      readonly output: ToolOutput
      /** What a hook or a schema threw. */
      readonly cause?: unknown
      /** Core's own call, which is not shown. */
      readonly hidden?: boolean | undefined
    }
  | PendPlan

export interface PendPlan {
  readonly type: 'pend'
  readonly call: ToolCallPart
  readonly pending: PendingCall
  /** Why an approval that was given does not hold, and is asked for again. */
  readonly again?: string | undefined
}

export interface RunPlan {
  readonly type: 'run'
  readonly call: ToolCallPart
  readonly tool: FunctionTool<never>
  /** What `execute` gets: validated, and not shared with other code. `undefined` for a call that runs already. */
  readonly input: unknown
  /** Milliseconds of the tool's time that are used up. */
  readonly spentMs?: number | undefined
  /** Set where a person said yes to it. */
  readonly granted?: Granted | undefined
}

interface Granted {
  /** What the call is again should it never begin. */
  readonly pending: PendingCall
  /** Arguments as JSON data, where the person gave others than the model. */
  readonly executedInput: { readonly input: unknown } | undefined
}
