import type { FinishReason, Warning } from '@steploop/core/adapter'

const filtered: ReadonlySet<string> = new Set([
  'SAFETY',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'RECITATION',
  'IMAGE_RECITATION',
  // Google Cloud's filter; the same word blocks prompts.
  'MODEL_ARMOR',
])

/**
 * There is no word for calls: `STOP` ends those turns too (docs/wire.md#gemini-finish-reasons), so complete calls decide unless the turn
 * was cut.
 */
export function finishReasonOf(raw: string | undefined, clientCalls: number): FinishReason {
  if (raw === 'MAX_TOKENS' || raw === 'CONTINUATION') return 'length'
  if (raw !== undefined && filtered.has(raw)) return 'content-filter'
  if (clientCalls > 0) return 'tool-calls'
  return raw === 'STOP' ? 'stop' : 'unknown'
}

/**
 * The provider threw away what the model wrote: no call arrives that could be answered (docs/wire.md#gemini-undeclared-calls), so the
 * reason has to be said.
 */
const discarded: ReadonlySet<string> = new Set([
  'UNEXPECTED_TOOL_CALL',
  'MALFORMED_FUNCTION_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
])

export function discardWarning(raw: string | undefined, finishMessage: string | undefined): readonly Warning[] {
  if (raw === undefined || !discarded.has(raw)) return []
  const message = `The provider discarded output of the model (${raw})${finishMessage === undefined ? '' : `: ${finishMessage}`}`
  return [{ type: 'dropped', path: 'response.candidates[0]', message }]
}
