import { objectAt, objectsAt, textAt } from '../../simulate/fields.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { silentlyIgnored } from './failures.ts'

/**
 * Results follow their calls at once, one each and in the order of the calls, and name the tool: the format has nothing else to tell
 * whose they are. Where the server gave an id to a call, its result says it too. The server renders whatever it gets into its prompt.
 */
export function checkMessages(messages: readonly JsonObject[]): Rejection | undefined {
  let open: readonly JsonObject[] = []
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    if (message['role'] === 'tool') {
      const [call, ...rest] = open
      const rejection = checkResult(message, call, path)
      if (rejection !== undefined) return rejection
      open = rest
      continue
    }
    const rejection = unanswered(open) ?? checkEmpty(message, path)
    if (rejection !== undefined) return rejection
    open = objectsAt(message, 'tool_calls')
  }
  return unanswered(open)
}

function checkResult(result: JsonObject, call: JsonObject | undefined, path: string): Rejection | undefined {
  if (call === undefined) return silentlyIgnored(`${path} answers no call`)
  const called = textAt(objectAt(call, 'function'), 'name')
  if (textAt(result, 'tool_name') !== called) {
    return silentlyIgnored(`${path} is a result of '${textAt(result, 'tool_name')}', but '${called}' was called here`)
  }
  const [id, answered] = [textAt(call, 'id'), textAt(result, 'tool_call_id')]
  if (id === answered) return undefined
  return silentlyIgnored(`${path}.tool_call_id is '${answered}', but the call has the id '${id}'`)
}

function unanswered(open: readonly JsonObject[]): Rejection | undefined {
  if (open.length === 0) return undefined
  const names = open.map((call) => textAt(objectAt(call, 'function'), 'name')).join(', ')
  return silentlyIgnored(`calls without a result: ${names}`)
}

function checkEmpty(message: JsonObject, path: string): Rejection | undefined {
  if (message['role'] !== 'assistant' || textAt(message, 'content') !== '') return undefined
  return message['tool_calls'] === undefined && message['thinking'] === undefined
    ? silentlyIgnored(`${path} says nothing`)
    : undefined
}
