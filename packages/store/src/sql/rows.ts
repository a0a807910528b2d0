import type { Message, PendingCall } from '@steploop/core'
import type { JsonObject, NewResponse, ResponseStatus, StoredItem, StoredResponse } from '../store.ts'
import type { ItemRow, ResponseRow } from './schema.ts'

const readObject = (text: string): JsonObject => JSON.parse(text) as JsonObject

export function responseOf(row: ResponseRow): StoredResponse {
  const { lease_owner: owner, lease_until: until } = row
  return {
    id: row.id,
    kind: row.kind === 'insert' ? 'insert' : 'response',
    previousId: row.previous_id ?? undefined,
    conversationId: row.conversation_id ?? undefined,
    status: row.status as ResponseStatus,
    background: row.background === 1,
    request: readObject(row.request),
    result: readObject(row.result),
    transcriptId: row.transcript_id,
    pending: JSON.parse(row.pending) as readonly PendingCall[],
    lease: owner === null || until === null ? undefined : { owner, until },
    attempt: row.attempt,
    cancelRequested: row.cancel_requested === 1,
    createdAt: row.created_at,
  }
}

export function responseRow(tenant: string, given: NewResponse, position: number): ResponseRow {
  const { kind = 'response', background = false, lease, idempotency } = given
  return {
    tenant,
    id: given.id,
    kind,
    previous_id: given.previousId ?? null,
    conversation_id: given.conversationId ?? null,
    position,
    status: given.status,
    background: background ? 1 : 0,
    request: JSON.stringify(given.request),
    result: JSON.stringify(given.result),
    transcript_id: given.transcriptId,
    pending: JSON.stringify(given.pending ?? []),
    lease_owner: lease?.owner ?? null,
    lease_until: lease?.until ?? null,
    attempt: 0,
    cancel_requested: 0,
    deleted: 0,
    idempotency_key: idempotency?.key ?? null,
    body_hash: idempotency?.body ?? null,
    created_at: given.createdAt,
  }
}

export function itemOf(row: ItemRow): StoredItem {
  const direction = row.direction === 'input' ? 'input' : 'output'
  return { id: row.id, direction, data: readObject(row.data), covers: JSON.parse(row.covers) as StoredItem['covers'] }
}

export function itemRows(tenant: string, responseId: string, from: number, items: readonly StoredItem[]): ItemRow[] {
  return items.map(({ id, direction, data, covers }, index) => ({
    tenant,
    response_id: responseId,
    seq: from + index,
    id,
    direction,
    data: JSON.stringify(data),
    covers: JSON.stringify(covers),
    deleted: 0,
  }))
}

export function dataRows(tenant: string, responseId: string, from: number, list: readonly unknown[]) {
  return list.map((data, index) => ({ tenant, response_id: responseId, seq: from + index, data: JSON.stringify(data) }))
}

export function messageOf({ data }: { readonly data: string }): Message {
  return JSON.parse(data) as Message
}

/** Databases take a limited number of values in one statement. */
const rowsAtOnce = 500

export function chunked<T>(list: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / rowsAtOnce) }, (_none, index) =>
    list.slice(index * rowsAtOnce, (index + 1) * rowsAtOnce),
  )
}
