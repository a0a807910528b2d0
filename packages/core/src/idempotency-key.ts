import { textHash } from './legal-name.ts'
import type { ToolCallPart } from './messages.ts'

/**
 * The same for every attempt at this call, also after a resume; different for a call with other arguments, should two branches of a
 * conversation have made the same id.
 */
export function idempotencyKey(transcriptId: string, call: ToolCallPart): string {
  return `${transcriptId}:${call.toolCallId}:${textHash(`${call.toolName} ${call.inputText}`)}`
}
