import { objectsAt, textAt } from '../../simulate/fields.ts'
import { invalidRequest } from '../../openai-common/openai-errors.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'

/**
 * Calls are answered right after the message that makes them, each exactly once, and nothing else stands between.
 * https://platform.openai.com/docs/guides/function-calling
 */
export function checkMessages(messages: readonly JsonObject[]): Rejection | undefined {
  let open: Set<string> | undefined
  let answered = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      const refused = checkAnswer({ message, index, open, answered })
      if (refused !== undefined) return refused
      continue
    }
    const refused = checkUnanswered(open, index) ?? checkEmpty(message, index) ?? checkRepeated(message, index)
    if (refused !== undefined) return refused
    const ids = objectsAt(message, 'tool_calls').map((call) => textAt(call, 'id'))
    open = ids.length > 0 ? new Set(ids) : undefined
    answered = new Set()
  }
  return checkUnanswered(open, messages.length)
}

interface Answer {
  readonly message: JsonObject
  readonly index: number
  /** Calls of the last assistant message that have no answer yet; `undefined` when it made none. */
  readonly open: Set<string> | undefined
  readonly answered: Set<string>
}

function checkAnswer({ message, index, open, answered }: Answer): Rejection | undefined {
  const id = textAt(message, 'tool_call_id')
  if (open?.delete(id) === true) {
    answered.add(id)
    return undefined
  }
  if (open === undefined) {
    return invalidRequest({
      message:
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
      param: `messages.[${index}].role`,
    })
  }
  const reason = answered.has(id)
    ? `Duplicate value for 'tool_call_id' of '${id}'`
    : `'tool_call_id' of '${id}' not found in 'tool_calls' of previous message`
  return invalidRequest({
    message: `Invalid parameter: ${reason}.`,
    param: `messages.[${index}].tool_call_id`,
  })
}

function checkUnanswered(open: ReadonlySet<string> | undefined, index: number): Rejection | undefined {
  if (open === undefined || open.size === 0) return undefined
  return invalidRequest({
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    param: `messages.[${index}].role`,
  })
}

function checkRepeated(message: JsonObject, index: number): Rejection | undefined {
  const ids = objectsAt(message, 'tool_calls').map((call) => textAt(call, 'id'))
  const repeated = ids.find((id, position) => ids.indexOf(id) !== position)
  if (repeated === undefined) return undefined
  return invalidRequest({
    message: `Invalid parameter: Duplicate value for 'id' of '${repeated}' in 'tool_calls'.`,
    param: `messages.[${index}].tool_calls`,
  })
}

/** An assistant message says something or calls something. */
function checkEmpty(message: JsonObject, index: number): Rejection | undefined {
  if (message['role'] !== 'assistant') return undefined
  const says = ['content', 'refusal', 'audio', 'function_call'].some((key) => message[key] != null)
  if (says || objectsAt(message, 'tool_calls').length > 0) return undefined
  return invalidRequest({
    message: "Invalid value for 'content': expected a string, got null.",
    param: `messages.[${index}].content`,
    code: 'invalid_type',
  })
}
