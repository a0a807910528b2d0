import { StepLoopError, type Message, type PendingCall } from '@steploop/core'

/** Plain JSON data of an object. */
export type JsonObject = Readonly<Record<string, unknown>>

export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

/** What an API shows of messages. `data.id` is `id`. */
export interface StoredItem {
  readonly id: string
  readonly direction: 'input' | 'output'
  readonly data: JsonObject
  /** `[message, part]` for each part that the item shows, counted within the messages of its response; a text content is part 0. */
  readonly covers: readonly (readonly [message: number, part: number])[]
}

/** Who carries a response out. After `until` (milliseconds since 1970) another owner may take it over. */
export interface Lease {
  readonly owner: string
  readonly until: number
}

/** One run, or (`insert`) messages that were put into a conversation without one. */
export interface StoredResponse {
  readonly id: string
  readonly kind: 'response' | 'insert'
  readonly previousId: string | undefined
  readonly conversationId: string | undefined
  readonly status: ResponseStatus
  readonly background: boolean
  /** What recovery needs to carry it on, and what the API shows of it; only who wrote them knows their members. */
  readonly request: JsonObject
  readonly result: JsonObject
  /** The id of the run's transcript: with it idempotency keys of calls stay the same after a crash. */
  readonly transcriptId: string
  readonly pending: readonly PendingCall[]
  readonly lease: Lease | undefined
  /** How often it was taken over, from 0. */
  readonly attempt: number
  readonly cancelRequested: boolean
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** A response that begins. Its messages are its input. */
export interface NewResponse {
  readonly id: string
  readonly kind?: 'response' | 'insert' | undefined
  readonly previousId?: string | undefined
  readonly conversationId?: string | undefined
  /** That of the history which it goes on from. Default: whatever the conversation has by now. */
  readonly revision?: number | undefined
  readonly status: ResponseStatus
  readonly background?: boolean | undefined
  readonly request: JsonObject
  readonly result: JsonObject
  readonly transcriptId: string
  readonly messages: readonly Message[]
  readonly items: readonly StoredItem[]
  /** Calls of `messages` that wait. Default: none. */
  readonly pending?: readonly PendingCall[] | undefined
  readonly lease?: Lease | undefined
  /** Ids of items that one response alone may answer, such as approvals of calls that it then runs. Default: none. */
  readonly answers?: readonly string[] | undefined
  /** `body` tells requests apart that come with the same key, for example a hash. */
  readonly idempotency?: { readonly key: string; readonly body: string } | undefined
  readonly createdAt: number
}

export type Accepted =
  | { readonly type: 'accepted' }
  /** The key was used before, with this body. */
  | { readonly type: 'repeated'; readonly response: StoredResponse }
  /** The key was used before, with another body. */
  | { readonly type: 'key-reused' }
  /** Another response of the conversation is not over, or was accepted since that `revision`. */
  | { readonly type: 'locked' }
  /** Another response was the first to answer this item. */
  | { readonly type: 'answered'; readonly itemId: string; readonly responseId: string }
  /** There is no such conversation, no such previous response, or no such item to answer. */
  | { readonly type: 'not-found' }

/** What a response reached. All of it is written, or nothing. */
export interface ResponseProgress {
  /** Who has the lease; another owner, or one whose response was taken over, is `StoreError` `lease-lost`. */
  readonly owner: string
  /** Replaces the messages from number `from` on. */
  readonly messages?: { readonly from: number; readonly list: readonly Message[] } | undefined
  /** Replaces the items from number `from` on. */
  readonly items?: { readonly from: number; readonly list: readonly StoredItem[] } | undefined
  readonly pending?: readonly PendingCall[] | undefined
  /** One that is over ends the lease, and frees the conversation. */
  readonly status?: ResponseStatus | undefined
  readonly result?: JsonObject | undefined
}

/** What came before a response: `undefined` where the location to go on from is not there. */
export interface History {
  readonly messages: readonly Message[]
  /** Calls that wait behind the last response. */
  readonly pending: readonly PendingCall[]
  /** Id of the last response's transcript. */
  readonly transcriptId: string | undefined
  /** Items of all responses, in order; deleted ones are left out. */
  readonly items: readonly StoredItem[]
  /** How far a conversation has come, for a response that may not be accepted once it has gone on. */
  readonly revision?: number | undefined
}

export interface FoundItem {
  readonly item: StoredItem
  readonly responseId: string
}

/** Where a history ends: with a response, or with what a conversation has so far. */
export type HistoryKey = { readonly responseId: string } | { readonly conversationId: string }

export interface StoredConversation {
  readonly id: string
  readonly metadata: JsonObject
  readonly createdAt: number
}

/** A part of a list. */
export interface PageOptions {
  /** Most entries of the page, from 1. */
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** Id of the item that the page comes after. One that is not in the list is `StoreError` `item-not-found`. */
  readonly after?: string | undefined
}

export interface Page {
  readonly items: readonly StoredItem[]
  readonly hasMore: boolean
}

export interface StoredEvent {
  readonly sequence: number
  readonly data: JsonObject
}

/**
 * Conversations, as runs made them. Core's messages are kept verbatim; items are what an API shows of them.
 *
 * Every method takes the tenant first, and sees nothing of another one: a foreign id answers like one that never was. A method that
 * writes is one transaction: when it rejects, nothing of it is stored. `undefined` and `false` say that there is no such thing.
 */
export interface Store {
  /** Writes a response that begins, and locks its conversation. */
  accept(tenant: string, response: NewResponse): Promise<Accepted>
  /** What `accept` does with `answers`, for a response that is not stored. */
  answer(tenant: string, responseId: string, itemIds: readonly string[]): Promise<Accepted>
  /** Throws `StoreError` `lease-lost`. */
  save(tenant: string, responseId: string, progress: ResponseProgress): Promise<void>
  /** Takes back a response of which nothing was sent, with its lock and its idempotency key. Throws `StoreError` `lease-lost`. */
  discard(tenant: string, responseId: string, owner: string): Promise<void>
  response(tenant: string, responseId: string): Promise<StoredResponse | undefined>
  /** What the response itself added, input included; also of one that was deleted, as long as others go on from it. */
  messages(tenant: string, responseId: string): Promise<readonly Message[]>
  /** Gone at once for who asks for it; what others go on from stays in their histories. */
  deleteResponse(tenant: string, responseId: string): Promise<boolean>
  /** Asks who carries the response out to stop. Gives it as it is, over or not. */
  requestCancel(tenant: string, responseId: string): Promise<StoredResponse | undefined>
  /** Takes over a response whose lease has ended before `now`; `undefined` when another owner was first. */
  claim(tenant: string, responseId: string, lease: Lease, now: number): Promise<StoredResponse | undefined>
  history(tenant: string, key: HistoryKey): Promise<History | undefined>
  /** An item, and the response whose messages it covers. */
  item(tenant: string, itemId: string): Promise<FoundItem | undefined>
  responseItems(
    tenant: string,
    responseId: string,
    direction: StoredItem['direction'],
    page: PageOptions,
  ): Promise<Page | undefined>

  createConversation(tenant: string, conversation: StoredConversation): Promise<void>
  conversation(tenant: string, conversationId: string): Promise<StoredConversation | undefined>
  updateConversation(
    tenant: string,
    conversationId: string,
    metadata: JsonObject,
  ): Promise<StoredConversation | undefined>
  deleteConversation(tenant: string, conversationId: string): Promise<boolean>
  conversationItems(tenant: string, conversationId: string, page: PageOptions): Promise<Page | undefined>
  conversationItem(tenant: string, conversationId: string, itemId: string): Promise<StoredItem | undefined>
  /** The parts that the item covers leave the history too. */
  deleteConversationItem(tenant: string, conversationId: string, itemId: string): Promise<boolean>

  /** Events of a response, to be read while it goes on and for some time after. */
  addEvents(tenant: string, responseId: string, events: readonly StoredEvent[]): Promise<void>
  /** Events with a higher sequence number than `after`, in order. */
  events(tenant: string, responseId: string, after: number): Promise<readonly StoredEvent[]>
}

/** A response of some tenant. */
export interface ResponseKey {
  readonly tenant: string
  readonly responseId: string
}

/** What the operator does, for all tenants at once. */
export interface StoreMaintenance {
  /**
   * Prolongs every lease of the owner to `until`, and gives those of its responses that are to be cancelled. Leases that end at most
   * `slack` milliseconds (default 0) before `until` may stay as they are, which spares writing them each time.
   */
  renew(owner: string, until: number, slack?: number): Promise<readonly ResponseKey[]>
  /** Responses that are not over, and whose lease ended before `now`. */
  expired(now: number): Promise<readonly ResponseKey[]>
  /**
   * Removes for good what was deleted, what began before `before`, and events of responses that began before `eventsBefore`; what a response
   * that stays goes on from is kept. Times in milliseconds since 1970. Gives the number of responses that were removed.
   */
  purge(before: number, eventsBefore: number): Promise<number>
  /** Nothing may be asked of the store any more. */
  close(): Promise<void>
}

/** A store as it is made. */
export interface OpenStore extends Store {
  readonly maintenance: StoreMaintenance
}

export type StoreErrorCode = 'lease-lost' | 'item-not-found' | 'write-failed' | 'schema-too-new'

/** Something cannot be stored or read. `cause` is what the database said. */
export class StoreError extends StepLoopError<StoreErrorCode> {
  constructor(code: StoreErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(code, message, options)
    this.name = 'StoreError'
  }

  static override isInstance(value: unknown): value is StoreError {
    return StepLoopError.isInstance(value) && value.name === 'StoreError'
  }
}

export function isOver(status: ResponseStatus): boolean {
  return status !== 'queued' && status !== 'in_progress'
}

export function leaseLost(responseId: string): StoreError {
  const message = `Response '${responseId}' is not this owner's any more: it was taken over, deleted, or is over. Nothing was written.`
  return new StoreError('lease-lost', message)
}

export function itemNotFound(itemId: string): StoreError {
  return new StoreError('item-not-found', `There is no item '${itemId}' in this list. Give the id of one of its items.`)
}

/** The part of a store that holds conversations. */
export type ConversationMethods = Pick<
  Store,
  | 'createConversation'
  | 'conversation'
  | 'updateConversation'
  | 'deleteConversation'
  | 'conversationItems'
  | 'conversationItem'
  | 'deleteConversationItem'
>

/** The part of a store that holds responses. */
export type ResponseMethods = Pick<
  Store,
  | 'accept'
  | 'answer'
  | 'save'
  | 'discard'
  | 'response'
  | 'messages'
  | 'deleteResponse'
  | 'requestCancel'
  | 'claim'
  | 'history'
  | 'item'
  | 'responseItems'
>
