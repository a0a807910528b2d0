import { addToHash, emptyHash, spellHash } from '../wire/legal-name.ts'
import type { ToolCallPart } from '../contract/messages.ts'

/**
 * Gives for each call of a turn a key that is the same for every attempt at this call, also after a resume; different for any other call of the conversation, however
 * short its history is kept, and for a call with other arguments, should two branches of a conversation have made the same id.
 *
 * @param turn number of the assistant message that holds the call, from 1; it never goes back in a conversation
 */
export function idempotencyKeys(
  { transcriptId }: { readonly transcriptId: string },
  turn: number,
): (call: ToolCallPart) => string {
  const before = `${transcriptId}:${turn}:`
  // Most calls of a step are of one tool.
  let toolName: string | undefined
  let named = emptyHash
  return (call) => {
    if (call.toolName !== toolName) {
      toolName = call.toolName
      named = addToHash(emptyHash, `${toolName} `)
    }
    // A transcript that was edited by hand may have lost the text.
    const inputText: unknown = call.inputText
    const text = typeof inputText === 'string' ? inputText : String(inputText)
    return `${before}${call.toolCallId}:${spellHash(addToHash(named, text))}`
  }
}
