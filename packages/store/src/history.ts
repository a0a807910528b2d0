import type { Message, PendingCall } from '@steploop/core'
import type { History, Page, PageOptions, StoredItem } from './store.ts'
import { itemNotFound } from './store.ts'

/** One response, as its history needs it. */
export interface Link {
  readonly messages: readonly Message[]
  readonly items: readonly (StoredItem & { readonly deleted?: boolean | undefined })[]
  readonly pending: readonly PendingCall[]
  readonly transcriptId: string
}

/** Responses in order, as one history. */
export function historyOf(links: readonly Link[]): History {
  const messages: Message[] = []
  for (const link of links) {
    for (const message of withoutDeleted(link)) {
      if (supersedes(message, messages.at(-1))) messages.pop()
      messages.push(message)
    }
  }
  const last = links.at(-1)
  return {
    messages,
    pending: waitingIn(messages, last?.pending ?? []),
    transcriptId: last?.transcriptId,
    items: links.flatMap(({ items }) => items.flatMap(({ deleted, ...item }) => (deleted === true ? [] : item))),
  }
}

/** A call whose item was deleted waits for nobody. */
function waitingIn(messages: readonly Message[], pending: readonly PendingCall[]): readonly PendingCall[] {
  const caller = messages.findLast(({ role }) => role === 'assistant')
  const parts = caller?.role === 'assistant' ? caller.content : []
  const ids = new Set(parts.map((part) => part.type === 'tool-call' && part.toolCallId))
  return pending.filter(({ toolCallId }) => ids.has(toolCallId))
}

/** A response that is not over will have gone on from what is here: none is accepted behind it. */
export function revisionOf(nextPosition: number, lockedBy: string | null | undefined): number {
  return lockedBy == null ? nextPosition : -1
}

/** The results of a step that waited for some of them are in the message of the response that brought the rest. */
function supersedes(message: Message, last: Message | undefined): boolean {
  if (message.role !== 'tool' || last?.role !== 'tool') return false
  const ids = new Set(message.content.map(({ toolCallId }) => toolCallId))
  return last.content.every(({ toolCallId }) => ids.has(toolCallId))
}

function withoutDeleted({ messages, items }: Link): readonly Message[] {
  const gone = new Map<number, Set<number>>()
  for (const { deleted, covers } of items) {
    if (deleted !== true) continue
    for (const [message, part] of covers) {
      const parts = gone.get(message) ?? new Set()
      gone.set(message, parts.add(part))
    }
  }
  if (gone.size === 0) return messages
  return messages.flatMap((message, index) => {
    const parts = gone.get(index)
    return parts === undefined ? [message] : withoutParts(message, parts)
  })
}

function withoutParts(message: Message, parts: ReadonlySet<number>): readonly Message[] {
  if (typeof message.content === 'string') return []
  const content = message.content.filter((_part, index) => !parts.has(index))
  return content.length === 0 ? [] : [{ ...message, content } as Message]
}

/** A page of a list that is in order. */
export function pageOf(list: readonly StoredItem[], { limit, order, after }: PageOptions): Page {
  const ordered = order === 'asc' ? list : list.toReversed()
  const index = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after)
  if (after !== undefined && index < 0) throw itemNotFound(after)
  const items = ordered.slice(index + 1, index + 1 + limit)
  return { items, hasMore: index + 1 + limit < ordered.length }
}
