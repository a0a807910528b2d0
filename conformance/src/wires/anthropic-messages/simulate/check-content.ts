import { objectsAt, textAt } from '../../simulate/fields.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { invalidRequest } from './failures.ts'
import type { InputMessage } from './input-message.ts'

/** Nothing may be empty, and nothing may end in white space that the model would have to continue. */
export function checkContent(request: JsonObject, messages: readonly InputMessage[]): Rejection | undefined {
  if (messages.length === 0) return invalidRequest('messages: at least one message is required')
  if (objectsAt(request, 'system').some(isEmptyText)) {
    return invalidRequest('system: text content blocks must be non-empty')
  }
  if (messages[0]?.role === 'assistant') {
    return invalidRequest('messages: first message must use the "user" role')
  }
  for (const [index, message] of messages.entries()) {
    const refused = checkMessage(message, index, index === messages.length - 1)
    if (refused !== undefined) return refused
  }
  return undefined
}

function checkMessage(message: InputMessage, index: number, last: boolean): Rejection | undefined {
  const { blocks, role } = message
  const optional = last && role === 'assistant'
  if (blocks.length === 0 && !optional) {
    return invalidRequest(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    )
  }
  if (blocks.some(isEmptyText)) return invalidRequest('messages: text content blocks must be non-empty')
  if (!optional && blocks.some(isBlankText)) {
    return invalidRequest('messages: text content blocks must contain non-whitespace text')
  }
  const text = blocks.at(-1)?.['text']
  if (optional && typeof text === 'string' && /\s$/.test(text)) {
    return invalidRequest('messages: final assistant content cannot end with trailing whitespace')
  }
  return checkNested(blocks, index)
}

/** Text inside a result may not be empty either. */
function checkNested(blocks: readonly JsonObject[], index: number): Rejection | undefined {
  for (const [position, block] of blocks.entries()) {
    if (block['type'] === 'tool_result' && objectsAt(block, 'content').some(isEmptyText)) {
      return invalidRequest(`messages.${index}.content.${position}.tool_result: text content blocks must be non-empty`)
    }
  }
  return undefined
}

function isEmptyText(block: JsonObject): boolean {
  return block['type'] === 'text' && block['text'] === ''
}

function isBlankText(block: JsonObject): boolean {
  return block['type'] === 'text' && textAt(block, 'text').trim() === ''
}
