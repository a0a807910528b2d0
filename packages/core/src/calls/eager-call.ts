import type { LoopEvent } from '../contract/loop-events.ts'
import type { ToolCallPart } from '../contract/messages.ts'
import type { ToolOutcome } from './run-tool.ts'

/** What a call has reported and was not passed on yet. */
export interface EagerReports {
  readonly add: (event: LoopEvent) => void
  readonly take: () => readonly LoopEvent[]
  /** What there is, and all that follows, goes there. */
  readonly follow: (emit: (event: LoopEvent) => void) => void
}

/** A call that runs before its turn has ended. */
export interface EagerCall {
  readonly toolName: string
  readonly outcome: Promise<ToolOutcome>
  /** The call with the input that its tool got; for hooks. */
  shown?: ToolCallPart | undefined
  readonly reports: EagerReports
  /** Stops awaiting the call: its signal is aborted and its timer gone. */
  cancel(): void
}
