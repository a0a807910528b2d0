import { historyOf, pageOf, revisionOf } from './history.ts'
import { memoryConversations } from './memory-conversations.ts'
import { copy, shownItem, type MemoryResponse, type MemoryTenant } from './memory-state.ts'
import { isOver, leaseLost } from './store.ts'
import type {
  Accepted,
  Lease,
  NewResponse,
  OpenStore,
  HistoryKey,
  ResponseProgress,
  ResponseKey,
  ResponseMethods,
  StoredResponse,
} from './store.ts'

/** Everything in the memory of one process, until it ends. */
export function memoryStore(): OpenStore {
  const tenants = new Map<string, MemoryTenant>()
  const of = (tenant: string): MemoryTenant => {
    const known = tenants.get(tenant) ?? { responses: new Map(), conversations: new Map() }
    tenants.set(tenant, known)
    return known
  }
  const visible = (tenant: string, id: string): MemoryResponse | undefined => {
    const found = of(tenant).responses.get(id)
    return found === undefined || found.deleted || found.response.kind === 'insert' ? undefined : found
  }
  return {
    ...memoryResponses(of, visible),
    ...memoryConversations(of),
    addEvents: async (tenant, id, events) => void visible(tenant, id)?.events.push(...copy(events)),
    events: async (tenant, id, after) => copy(visible(tenant, id)?.events.filter((e) => e.sequence > after)) ?? [],
    maintenance: {
      renew: async (owner, until) => renew(tenants, owner, until),
      expired: async (now) =>
        keysOf(tenants, ({ response: { status, lease } }) => !isOver(status) && (lease?.until ?? 0) < now),
      purge: async (before, eventsBefore) => purge(tenants, before, eventsBefore),
      close: async () => tenants.clear(),
    },
  }
}

function memoryResponses(
  of: (tenant: string) => MemoryTenant,
  visible: (tenant: string, id: string) => MemoryResponse | undefined,
): ResponseMethods {
  return {
    accept: async (tenant, response) => accept(of(tenant), response),
    answer: async (tenant, id, itemIds) => answer(of(tenant), id, itemIds),
    save: async (tenant, id, progress) => save(of(tenant), held(of(tenant), id, progress.owner), progress),
    discard: async (tenant, id, owner) => {
      const found = held(of(tenant), id, owner)
      unlock(of(tenant), found)
      of(tenant).responses.delete(id)
    },
    response: async (tenant, id) => copy(visible(tenant, id)?.response),
    messages: async (tenant, id) => copy(of(tenant).responses.get(id)?.messages) ?? [],
    deleteResponse: async (tenant, id) => {
      const found = visible(tenant, id)
      if (found === undefined) return false
      found.deleted = true
      found.idempotency = undefined
      unlock(of(tenant), found)
      return true
    },
    requestCancel: async (tenant, id) => {
      const found = visible(tenant, id)
      if (found === undefined) return undefined
      if (!isOver(found.response.status)) found.response = { ...found.response, cancelRequested: true }
      return copy(found.response)
    },
    claim: async (tenant, id, lease, now) => claim(of(tenant), id, lease, now),
    history: async (tenant, key) => {
      const links = linksOf(of(tenant), key)
      const found = 'conversationId' in key ? of(tenant).conversations.get(key.conversationId) : undefined
      return links && { ...copy(historyOf(links)), revision: found && revisionOf(found.nextPosition, found.lockedBy) }
    },
    item: async (tenant, id) => {
      for (const [responseId, { items }] of of(tenant).responses) {
        const item = shownItem(items.find((each) => each.id === id && each.deleted !== true))
        if (item !== undefined) return { item, responseId }
      }
      return undefined
    },
    responseItems: async (tenant, id, direction, page) => {
      const items = visible(tenant, id)?.items.filter((item) => item.direction === direction)
      return (
        items &&
        copy(
          pageOf(
            items.flatMap((item) => shownItem(item) ?? []),
            page,
          ),
        )
      )
    },
  }
}

function accept(tenant: MemoryTenant, given: NewResponse): Accepted {
  const { responses, conversations } = tenant
  const { idempotency, previousId, conversationId, messages, items, revision, answers = [], ...rest } = copy(given)
  const same = idempotency && [...responses.values()].find((other) => other.idempotency?.key === idempotency.key)
  if (same !== undefined) {
    const repeated = same.idempotency?.body === idempotency?.body
    return repeated ? { type: 'repeated', response: copy(same.response) } : { type: 'key-reused' }
  }
  if (previousId !== undefined && responses.get(previousId)?.deleted !== false) return { type: 'not-found' }
  const conversation = conversationId === undefined ? undefined : conversations.get(conversationId)
  if (conversationId !== undefined && conversation === undefined) return { type: 'not-found' }
  const isFree =
    conversation?.lockedBy === undefined && (revision ?? conversation?.nextPosition) === conversation?.nextPosition
  if (!isFree) return { type: 'locked' }
  const answered = answer(tenant, rest.id, answers)
  if (answered.type !== 'accepted') return answered
  const { kind = 'response', background = false, pending = [], lease, ...shown } = rest
  const state = { kind, background, lease, previousId, conversationId, pending, attempt: 0, cancelRequested: false }
  const position = conversation === undefined ? 0 : conversation.nextPosition++
  if (conversation !== undefined && !isOver(rest.status)) conversation.lockedBy = rest.id
  const own = { messages: [...messages], items: [...items], events: [], answered: new Map<string, string>() }
  responses.set(rest.id, { response: { ...shown, ...state }, ...own, position, idempotency, deleted: false })
  return { type: 'accepted' }
}

function answer({ responses }: MemoryTenant, responseId: string, itemIds: readonly string[]): Accepted {
  const rows = [...responses.values()]
  const asked = itemIds.map((itemId) => ({
    itemId,
    row: rows.find(({ items }) => items.some(({ id }) => id === itemId)),
  }))
  for (const { itemId, row } of asked) {
    if (row === undefined) return { type: 'not-found' }
    const other = row.answered.get(itemId)
    if (other !== undefined) return { type: 'answered', itemId, responseId: other }
  }
  for (const { itemId, row } of asked) row?.answered.set(itemId, responseId)
  return { type: 'accepted' }
}

function held({ responses }: MemoryTenant, id: string, owner: string): MemoryResponse {
  const found = responses.get(id)
  if (found === undefined || found.deleted || found.response.lease?.owner !== owner) throw leaseLost(id)
  return found
}

function save(tenant: MemoryTenant, found: MemoryResponse, given: ResponseProgress): void {
  const { messages, items, pending, status, result } = copy(given)
  if (messages !== undefined) found.messages.splice(messages.from, Infinity, ...messages.list)
  if (items !== undefined) found.items.splice(items.from, Infinity, ...items.list)
  found.response = {
    ...found.response,
    ...(pending && { pending }),
    ...(status && { status }),
    ...(result && { result }),
  }
  if (!isOver(found.response.status)) return
  found.response = { ...found.response, lease: undefined }
  unlock(tenant, found)
}

function unlock({ conversations }: MemoryTenant, { response }: MemoryResponse): void {
  const conversation = conversations.get(response.conversationId ?? '')
  if (conversation?.lockedBy === response.id) conversation.lockedBy = undefined
}

function claim({ responses }: MemoryTenant, id: string, lease: Lease, now: number): StoredResponse | undefined {
  const found = responses.get(id)
  if (found === undefined || found.deleted || isOver(found.response.status)) return undefined
  if ((found.response.lease?.until ?? 0) >= now) return undefined
  found.response = { ...found.response, lease, attempt: found.response.attempt + 1 }
  return copy(found.response)
}

function linksOf({ responses, conversations }: MemoryTenant, key: HistoryKey) {
  if ('conversationId' in key) {
    const { conversationId } = key
    if (!conversations.has(conversationId)) return undefined
    const rows = [...responses.values()].filter(({ response }) => response.conversationId === conversationId)
    return rows.filter(({ response }) => isOver(response.status)).map(linkOf)
  }
  const first = responses.get(key.responseId)
  if (first === undefined || first.deleted) return undefined
  const chain: MemoryResponse[] = []
  for (let row: MemoryResponse | undefined = first; row; row = responses.get(row.response.previousId ?? '')) {
    chain.push(row)
    const { conversationId } = row.response
    if (conversationId === undefined) continue
    const before = row.position
    const rows = [...responses.values()].filter(
      (other) => other.response.conversationId === conversationId && other.position < before,
    )
    return [...rows, ...chain.toReversed()].map(linkOf)
  }
  return chain.toReversed().map(linkOf)
}

function linkOf({ response, messages, items }: MemoryResponse) {
  return { messages, items, pending: response.pending, transcriptId: response.transcriptId }
}

type Tenants = ReadonlyMap<string, MemoryTenant>

function keysOf(tenants: Tenants, wanted: (row: MemoryResponse) => boolean): readonly ResponseKey[] {
  return [...tenants].flatMap(([tenant, { responses }]) =>
    [...responses].flatMap(([responseId, row]) => (!row.deleted && wanted(row) ? [{ tenant, responseId }] : [])),
  )
}

function renew(tenants: Tenants, owner: string, until: number): readonly ResponseKey[] {
  return keysOf(tenants, (row) => {
    if (row.response.lease?.owner !== owner) return false
    row.response = { ...row.response, lease: { owner, until } }
    return row.response.cancelRequested
  })
}

function purge(tenants: Tenants, before: number, eventsBefore: number): number {
  let removed = 0
  for (const { responses, conversations } of tenants.values()) {
    for (const row of responses.values())
      if (row.response.createdAt < eventsBefore && isOver(row.response.status)) row.events = []
    // The youngest first: what only they go on from can leave with them.
    for (const [id, { response, deleted }] of [...responses].toReversed()) {
      const isKept = conversations.has(response.conversationId ?? '') || !isOver(response.status)
      const isDue = deleted || response.createdAt < before
      if (isKept || !isDue || [...responses.values()].some((other) => other.response.previousId === id)) continue
      responses.delete(id)
      removed++
    }
  }
  return removed
}
