import type { Warning } from '../contract/adapter.ts'
import type { AssistantMessage, AssistantPart, Message, ToolResultPart } from '../contract/messages.ts'

/**
 * Gives each call an id of its own, as stored histories do not always have it (`call_0` in every turn, say), and the results after it
 * likewise: the first result of an id belongs to the first call. Messages in which nothing changes stay the same objects.
 *
 * @param taken ids of calls before these messages
 */
export function uniqueIds(
  messages: readonly Message[],
  taken: Iterable<string> = [],
): { readonly messages: readonly Message[]; readonly warnings: readonly Warning[] } {
  const used = new Set(taken)
  const warnings: Warning[] = []
  let span = new Map<string, string[]>()
  const result = messages.map((message, index): Message => {
    if (message.role === 'assistant') {
      span = new Map()
      const renamed = renameCalls(message, used, span)
      if (renamed !== message) warnings.push(repair(index, 'call ids that earlier calls have were made unique'))
      return renamed
    }
    if (message.role !== 'tool') return message
    const content = message.content.map((part) => renameResult(part, span))
    return content.every((part, at) => part === message.content[at]) ? message : { ...message, content }
  })
  return { messages: result, warnings }
}

/** The ids of all calls. */
export function callIdsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
      : [],
  )
}

function renameCalls(message: AssistantMessage, used: Set<string>, span: Map<string, string[]>): AssistantMessage {
  const content = message.content.map((part): AssistantPart => {
    if (part.type === 'tool-result') return renameResult(part, span)
    if (part.type !== 'tool-call') return part
    const id = freeId(part.toolCallId, used)
    used.add(id)
    span.set(part.toolCallId, [...(span.get(part.toolCallId) ?? []), id])
    return id === part.toolCallId ? part : { ...part, toolCallId: id }
  })
  return content.every((part, at) => part === message.content[at]) ? message : { ...message, content }
}

function freeId(id: string, used: ReadonlySet<string>): string {
  if (!used.has(id)) return id
  let suffix = 2
  while (used.has(`${id}_${suffix}`)) suffix++
  return `${id}_${suffix}`
}

function renameResult(part: ToolResultPart, span: Map<string, string[]>): ToolResultPart {
  const [next, ...others] = span.get(part.toolCallId) ?? []
  if (others.length > 0) span.set(part.toolCallId, others)
  return next === undefined || next === part.toolCallId ? part : { ...part, toolCallId: next }
}

function repair(index: number, message: string): Warning {
  return { type: 'repaired', path: `messages[${index}]`, message }
}
