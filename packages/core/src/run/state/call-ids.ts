import type { TurnEvent } from '../../contract/adapter.ts'
import type { Message } from '../../contract/messages.ts'
import { callIdsIn, uniqueId, type UsedIds } from '../../transcript/unique-ids.ts'

/**
 * Keeps call ids unique in a run: providers repeat theirs, from turn to turn and within one (docs/wire.md#responses-repeated-call-ids). A
 * repeated id gets a suffix; the provider's own stays in `providerMetadata`, where the adapter finds it again. Made for the first call.
 */
export interface CallIds extends UsedIds {
  /** Ids of calls of the turn under way that have begun and are not complete, which are asked for again. */
  readonly bySlot: Map<number, string>
  /** How many ids were used when the turn under way began: those behind are its own. */
  before: number
  /** The latest id of the turn under way that is another than the provider's, by that one. */
  readonly renamed: Map<string, string>
}

export function createCallIds(messages: readonly Message[]): CallIds {
  const used = new Set(callIdsIn(messages))
  return { used, suffixes: new Map(), bySlot: new Map(), before: used.size, renamed: new Map() }
}

/** Between two turns. */
export function addIds(ids: CallIds, messages: readonly Message[]): void {
  for (const id of callIdsIn(messages)) ids.used.add(id)
  ids.before = ids.used.size
}

type CallEvent = Extract<TurnEvent, { readonly toolCallId: string }>

/** The event, or a copy with a unique id. */
export function claimId<Event extends CallEvent>(ids: CallIds, event: Event): Event {
  const { type, toolCallId: own } = event
  const id = type === 'tool-result' ? (ids.renamed.get(own) ?? own) : idOf(ids, event)
  return id === own ? event : { ...event, toolCallId: id }
}

function idOf(ids: CallIds, { type, part, toolCallId }: CallEvent): string {
  const known = ids.bySlot.size === 0 ? undefined : ids.bySlot.get(part)
  if (known !== undefined) return known
  const id = uniqueId(ids, toolCallId)
  if (id !== toolCallId) ids.renamed.set(toolCallId, id)
  if (type !== 'tool-call') ids.bySlot.set(part, id)
  return id
}

/** A turn begins: its slots are new, and the ids of an attempt that was not kept are free again. */
export function nextTurn(ids: CallIds): void {
  const { used, before } = ids
  if (used.size === before) return
  for (const id of [...used].slice(before)) used.delete(id)
  ids.suffixes.clear()
  keepTurn(ids)
}

/** The turn is part of the history from now on. */
export function keepTurn(ids: CallIds): void {
  ids.before = ids.used.size
  // To clear a `Map` makes a new one of what is in it.
  if (ids.bySlot.size > 0) ids.bySlot.clear()
  if (ids.renamed.size > 0) ids.renamed.clear()
}
