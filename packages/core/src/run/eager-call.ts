import type { ToolCallPart } from '../contract/messages.ts'
import type { ToolOutcome } from '../tools/run-tool.ts'

/** A call that runs before its turn has ended. */
export interface EagerCall {
  readonly toolName: string
  outcome: Promise<ToolOutcome>
  /** The call with the input that its tool got; for hooks. */
  shown: ToolCallPart | undefined
  /** Nobody waits for it any more: its signal is aborted and its timer gone. */
  cancel(): void
}
