import type { Warning } from '../contract/adapter.ts'
import type {
  AssistantMessage,
  AssistantPart,
  InputMessage,
  Message,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
} from '../contract/messages.ts'
import { keepMessage, ownMessage } from '../tools/own-data.ts'
import { errorOutput, resultOf } from '../wire/tool-output.ts'
import { repair, uniqueIds } from './unique-ids.ts'

/**
 * Makes a history legal for every provider: each call of the caller's is answered exactly once, in call order, in the one tool message
 * that follows. Orphan and repeated results are dropped, missing ones are answered `not-executed`, misplaced ones moved; each repair is
 * reported. A history that is already right comes back with the same message objects. `behind`: a provider keeps what came before, so that
 * results at the beginning, before any assistant message, answer calls in there. `taken`: ids of calls before these messages; a call with an
 * id that another one has gets its own.
 */
export function repairHistory(
  given: readonly Message[],
  behind = false,
  taken: Iterable<string> = [],
): { messages: Message[]; warnings: Warning[] } {
  if (given.every(({ role }) => role === 'user')) return { messages: given.slice(), warnings: [] }
  const { messages, warnings: renamed } = uniqueIds(given, taken)
  const repaired: Message[] = []
  const warnings: Warning[] = [...renamed]
  let index = 0
  for (let message = messages[0]; message !== undefined; message = messages[index]) {
    // Before any message of the model's, since what comes behind one is its span.
    if (message.role !== 'assistant') {
      if (message.role === 'tool' && !behind) warnOrphans(message, index, new Set(), warnings)
      else repaired.push(message)
      index++
      continue
    }
    repaired.push(message)
    const end = spanEnd(messages, index + 1)
    const span = messages.slice(index + 1, end)
    appendSpan(message, span, index + 1, repaired, warnings)
    index = end
  }
  return { messages: repaired, warnings }
}

/** Repairs a history into one of the loop's own: copies where the application gave the messages, frozen. */
export function ownHistory(
  given: readonly InputMessage[],
  behind?: boolean,
  taken?: Iterable<string>,
): ReturnType<typeof repairHistory> {
  const { messages, warnings } = repairHistory(given.map(ownMessage), behind, taken)
  return { messages: messages.map(keepMessage), warnings }
}

/** Everything up to the next assistant message belongs to this one's calls. */
function spanEnd(messages: readonly Message[], start: number): number {
  let end = start
  while (end < messages.length && messages[end]?.role !== 'assistant') end++
  return end
}

/** Calls that no provider ran: the content itself where it is nothing else. */
export function callerCalls({ content }: AssistantMessage): readonly ToolCallPart[] {
  return areCallers(content) ? content : [...content].filter(isCallers)
}

/**
 * By hand and by numbers, as everywhere where a frozen list is gone through in each step: the methods of lists take ten times as long with
 * those, and `of` makes an object for each item.
 */
function areCallers(content: readonly AssistantPart[]): content is readonly ToolCallPart[] {
  for (let index = 0; index < content.length; index++) {
    const part = content[index]
    if (part !== undefined && !isCallers(part)) return false
  }
  return true
}

function isCallers(part: AssistantPart): part is ToolCallPart {
  return part.type === 'tool-call' && part.owner !== 'provider'
}

function appendSpan(
  assistant: AssistantMessage,
  span: readonly Message[],
  start: number,
  repaired: Message[],
  warnings: Warning[],
): void {
  const calls = callerCalls(assistant)
  const first = span[0]
  if (calls.length > 0 && first?.role === 'tool' && answersExactly(first, calls) && !hasTool(span, 1)) {
    repaired.push(...span)
    return
  }
  const reported = warnings.length
  const results = new Map<string, ToolResultPart>()
  const expected = new Set(calls.map((call) => call.toolCallId))
  for (const [offset, message] of span.entries()) {
    if (message.role === 'tool') collectResults(message, start + offset, expected, results, warnings)
  }
  if (calls.length > 0) repaired.push({ role: 'tool', content: resultsFor(calls, results, start, warnings) })
  repaired.push(...span.filter((message) => message.role !== 'tool'))
  if (calls.length > 0 && warnings.length === reported) {
    warnings.push(repair(start, 'results were put into one message, in call order'))
  }
}

function hasTool(span: readonly Message[], from: number): boolean {
  return span.some((message, index) => index >= from && message.role === 'tool')
}

function answersExactly(message: ToolMessage, calls: readonly ToolCallPart[]): boolean {
  return (
    message.content.length === calls.length &&
    calls.every((call, index) => message.content[index]?.toolCallId === call.toolCallId)
  )
}

function collectResults(
  message: ToolMessage,
  index: number,
  expected: ReadonlySet<string>,
  results: Map<string, ToolResultPart>,
  warnings: Warning[],
): void {
  warnOrphans(message, index, expected, warnings)
  for (const part of message.content) {
    if (!expected.has(part.toolCallId)) continue
    if (!results.has(part.toolCallId)) results.set(part.toolCallId, part)
    else warnings.push(repair(index, `a second result for call '${part.toolCallId}' was dropped`))
  }
}

function warnOrphans(message: ToolMessage, index: number, expected: ReadonlySet<string>, warnings: Warning[]): void {
  for (const part of message.content) {
    if (expected.has(part.toolCallId)) continue
    warnings.push(repair(index, `a result without a call ('${part.toolCallId}') was dropped`))
  }
}

/** What is missing of the results of these calls is said. */
export function resultsFor(
  calls: readonly ToolCallPart[],
  results: ReadonlyMap<string, ToolResultPart>,
  index: number,
  warnings: Warning[],
): readonly ToolResultPart[] {
  return calls.map((call) => {
    const result = results.get(call.toolCallId)
    if (result !== undefined) return result
    warnings.push(repair(index, `call '${call.toolCallId}' had no result and was answered 'not-executed'`))
    return resultOf(call, errorOutput('not-executed', 'This call was not run.'))
  })
}
