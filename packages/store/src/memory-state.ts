import type { Message } from '@steploop/core'
import type { NewResponse, StoredConversation, StoredEvent, StoredItem, StoredResponse } from './store.ts'

/** One response with all that belongs to it. */
export interface MemoryResponse {
  response: StoredResponse
  messages: Message[]
  items: (StoredItem & { deleted?: boolean })[]
  events: StoredEvent[]
  /** Who answered its items, by their ids. */
  readonly answered: Map<string, string>
  position: number
  idempotency: NewResponse['idempotency']
  deleted: boolean
}

export interface MemoryTenant {
  /** In the order in which they were accepted. */
  readonly responses: Map<string, MemoryResponse>
  readonly conversations: Map<string, MemoryConversation>
}

export interface MemoryConversation {
  conversation: StoredConversation
  nextPosition: number
  /** The response that is not over. */
  lockedBy: string | undefined
}

/** Data of the store's own: it cannot be changed from outside. */
export function copy<T>(data: T): T {
  return data === undefined ? data : (JSON.parse(JSON.stringify(data)) as T)
}

export function shownItem(item: MemoryResponse['items'][number] | undefined): StoredItem | undefined {
  if (item === undefined) return undefined
  const { deleted: _mark, ...shown } = item
  return copy(shown)
}
