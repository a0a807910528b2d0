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
  const ids: UsedIds = { used: new Set(taken), suffixes: new Map() }
  const warnings: Warning[] = []
  let span: Span = new Map()
  const result = messages.map((message, index): Message => {
    if (message.role === 'assistant') {
      span = new Map()
      const renamed = renameCalls(message, ids, span)
      if (renamed !== message) warnings.push(repair(index, 'call ids were made unique'))
      return renamed
    }
    if (message.role !== 'tool') return message
    return withContent(message, (part: ToolResultPart) => renameResult(part, span))
  })
  return { messages: result, warnings }
}

/** The ids of the calls of one message by those that they had, and how many of them have their results. */
type Span = Map<string, { readonly ids: string[]; answered: number }>

/** The ids of all calls. */
export function callIdsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
      : [],
  )
}

function renameCalls(message: AssistantMessage, ids: UsedIds, span: Span): AssistantMessage {
  return withContent(message, (part: AssistantPart): AssistantPart => {
    if (part.type === 'tool-result') return renameResult(part, span)
    if (part.type !== 'tool-call') return part
    const id = uniqueId(ids, part.toolCallId)
    const known = span.get(part.toolCallId)
    if (known === undefined) span.set(part.toolCallId, { ids: [id], answered: 0 })
    else known.ids.push(id)
    return id === part.toolCallId ? part : { ...part, toolCallId: id }
  })
}

export interface UsedIds {
  readonly used: Set<string>
  /** Where to look for the next free suffix: one id may be given to every call. */
  readonly suffixes: Map<string, number>
}

/** The id, or one with a suffix where it is used. Used from now on. */
export function uniqueId({ used, suffixes }: UsedIds, own: string): string {
  const before = used.size
  // One look for both: a call in a hundred has an id that is taken.
  if (used.add(own).size > before) return own
  let suffix = suffixes.get(own) ?? 2
  while (used.has(`${own}_${suffix}`)) suffix++
  suffixes.set(own, suffix + 1)
  const id = `${own}_${suffix}`
  used.add(id)
  return id
}

/** The message, or a copy where a part changes. */
function withContent<Kind extends { readonly content: readonly Part[] }, Part>(
  message: Kind,
  change: (part: Part) => Part,
): Kind {
  const content = message.content.map(change)
  return content.every((part, at) => part === message.content[at]) ? message : { ...message, content }
}

/** Results that are too many are the last call's. */
function renameResult(part: ToolResultPart, span: Span): ToolResultPart {
  const calls = span.get(part.toolCallId)
  const next = calls && (calls.ids[calls.answered++] ?? calls.ids.at(-1))
  return next === undefined || next === part.toolCallId ? part : { ...part, toolCallId: next }
}

export function repair(index: number, message: string): Warning {
  return { type: 'repaired', path: `messages[${index}]`, message }
}
