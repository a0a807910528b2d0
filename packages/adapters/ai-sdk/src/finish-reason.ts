import type { FinishReason } from '@steploop/core/adapter'

/**
 * Content decides: complete calls for the caller are `tool-calls` whatever the model's word, unless the answer was cut by length or by a
 * filter. The AI SDK has no word for a turn that wants to be sent back; Anthropic's raw one is let through.
 */
export function finishReasonOf(
  unified: string | undefined,
  raw: string | undefined,
  clientCalls: number,
): FinishReason {
  if (unified === 'length' || unified === 'content-filter' || unified === 'error') return unified
  if (raw === 'pause_turn') return 'pause'
  if (clientCalls > 0) return 'tool-calls'
  // A reason that speaks of calls, of which none is for the caller: the provider ran them, and the answer is whole.
  return unified === 'stop' || unified === 'tool-calls' ? 'stop' : 'unknown'
}
