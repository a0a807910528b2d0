import type { TurnEvent } from '../contract/events.ts'
import type { Message, ToolCallPart } from '../contract/messages.ts'

/**
 * Keeps call ids unique in a run: providers repeat theirs, from turn to turn and within one (docs/wire.md#responses-repeated-call-ids). A
 * repeated id gets a suffix; the provider's own stays in `providerMetadata`, where the adapter finds it again.
 */
export interface CallIds {
  /** The event, or a copy with a unique id. */
  claim<Event extends TurnEvent>(event: Event): Event
  /** A turn begins: its slots are new, and the ids of an attempt that was not kept are free again. */
  nextTurn(): void
  /** The turn is part of the history from now on. */
  keepTurn(): void
  add(messages: readonly Message[]): void
}

export function createCallIds(): CallIds {
  const used = new Set<string>()
  /** Where to look for the next free suffix: providers may give one id to every call. */
  const suffixes = new Map<string, number>()
  let bySlot = new Map<number, string>()
  let byOwnId = new Map<string, string>()
  const unique = (part: number, ownId: string): string => {
    const known = bySlot.get(part)
    if (known !== undefined) return known
    let id = ownId
    if (used.has(id)) {
      let suffix = suffixes.get(ownId) ?? 2
      while (used.has(`${ownId}_${suffix}`)) suffix++
      suffixes.set(ownId, suffix + 1)
      id = `${ownId}_${suffix}`
    }
    used.add(id)
    bySlot.set(part, id)
    byOwnId.set(ownId, id)
    return id
  }
  const forgetTurn = (): void => {
    if (bySlot.size === 0) return
    bySlot = new Map()
    byOwnId = new Map()
  }
  return {
    claim(event) {
      if (event.type === 'tool-result') {
        const id = byOwnId.get(event.toolCallId)
        return id === undefined || id === event.toolCallId ? event : { ...event, toolCallId: id }
      }
      if (event.type !== 'tool-call' && event.type !== 'tool-call-start' && event.type !== 'tool-call-delta')
        return event
      const toolCallId = unique(event.part, event.toolCallId)
      return toolCallId === event.toolCallId ? event : { ...event, toolCallId }
    },
    nextTurn() {
      if (bySlot.size === 0) return
      for (const id of bySlot.values()) used.delete(id)
      suffixes.clear()
      forgetTurn()
    },
    keepTurn: forgetTurn,
    add(messages) {
      for (const message of messages) {
        if (message.role !== 'assistant') continue
        for (const part of message.content) if (isCall(part)) used.add(part.toolCallId)
      }
    },
  }
}

function isCall(part: { readonly type: string }): part is ToolCallPart {
  return part.type === 'tool-call'
}
