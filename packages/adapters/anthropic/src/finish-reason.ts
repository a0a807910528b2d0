import type { FinishReason } from '@steploop/core/adapter'

/**
 * Content decides: complete calls for the caller are `tool-calls` whatever `stop_reason` says
 * (docs/wire.md#anthropic-calls-at-the-end-of-a-turn), save for cuts and pauses.
 */
export function finishReasonOf(stopReason: string | undefined, clientCalls: number): FinishReason {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'refusal':
      return 'content-filter'
    case 'pause_turn':
    // After a compaction on request the turn waits to be sent back, as in a pause.
    case 'compaction':
      return 'pause'
    case undefined:
    default:
      if (clientCalls > 0) return 'tool-calls'
      return stopReason === 'end_turn' || stopReason === 'stop_sequence' ? 'stop' : 'unknown'
  }
}
