import { LoopError } from '../contract/errors.ts'
import { ownHistory } from './history.ts'
import { isObject } from '../wire/json.ts'
import type { InputMessage, Message } from '../contract/messages.ts'

const roles: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool'])

/** Messages from code without types, or from a file: what is wrong with the first that cannot be one. */
export function messagesProblem(messages: readonly unknown[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const problem = messageProblem(message)
    if (problem !== undefined) return `messages[${index}] ${problem}`
  }
  return undefined
}

/**
 * What no run leaves behind: two calls with one id, results that no call asked for. A missing result is answered instead. `behind`: results
 * before any assistant message answer calls that a provider keeps.
 */
export function callsProblem(messages: readonly Message[], behind: boolean): string | undefined {
  const called = new Set<string>()
  let open = new Set<string>()
  let begun = !behind
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') open = new Set()
    begun ||= message.role === 'assistant'
    for (const part of message.role === 'assistant' ? message.content : []) {
      if (part.type !== 'tool-call') continue
      const { toolCallId } = part
      if (called.has(toolCallId)) return `messages[${index}] has the call id '${toolCallId}', which an earlier call has`
      called.add(toolCallId)
      open.add(toolCallId)
    }
    for (const { toolCallId } of message.role === 'tool' ? message.content : []) {
      if (begun && !open.delete(toolCallId))
        return `messages[${index}] has a result for '${toolCallId}', which no call before it waits for`
    }
  }
  return undefined
}

/** Makes the messages that the application's code gave legal. Throws `LoopError` `invalid-history` for what are no messages. */
export function readMessages(
  name: string,
  given: readonly InputMessage[],
  behind = false,
  taken: Iterable<string> = [],
): ReturnType<typeof ownHistory> {
  const problem = Array.isArray(given) ? messagesProblem(given) : 'messages is not an array'
  if (problem === undefined) return ownHistory(given, behind, taken)
  throw new LoopError('invalid-history', `\`${name}\` gave a history that cannot be sent: ${problem}.`)
}

function messageProblem(message: unknown): string | undefined {
  if (!isObject(message)) return 'is not an object'
  const { role, content } = message
  if (!roles.has(role)) return `has the role ${JSON.stringify(role)}`
  if (Array.isArray(content)) {
    const problem = content.map(partProblem)
    const index = problem.findIndex((found) => found !== undefined)
    return index < 0 ? undefined : `has a part (${index}) without ${problem[index]}`
  }
  return typeof content === 'string' && role !== 'tool' ? undefined : 'has no readable content'
}

/** What the part lacks. */
function partProblem(part: unknown): string | undefined {
  if (!isObject(part) || typeof part['type'] !== 'string') return 'a type'
  if (part['type'] !== 'tool-call' && part['type'] !== 'tool-result') return undefined
  if (typeof part['toolCallId'] !== 'string') return 'a `toolCallId`'
  if (typeof part['toolName'] !== 'string') return 'a `toolName`'
  return part['type'] === 'tool-call' || isObject(part['output']) ? undefined : 'an `output`'
}
