import type { ToolCallPart, TurnEvent } from '@steploop/core/adapter'

/** How a call and its response name each other on the wire. */
interface CallNames {
  readonly id: string | undefined
  readonly name: string | undefined
}

type NeutralCall = Pick<ToolCallPart, 'toolCallId' | 'toolName'>

/**
 * Calls of no function of the request. The provider's own servers (`mcpServers`) are asked in parts of the same kind, and only a response
 * later in the same answer tells that the caller has nothing to do: until then their events wait.
 */
export interface DoubtfulCalls {
  hold(names: CallNames, events: readonly TurnEvent[]): void
  /** The provider ran the call that this response answers: its events go out so. `undefined`: none waits for it. */
  answer(names: CallNames, out: TurnEvent[]): NeutralCall | undefined
  /** No response came for the rest: they are the caller's. */
  release(out: TurnEvent[]): void
  /** Number of calls that the provider ran. */
  answered(): number
}

export function createDoubtfulCalls(): DoubtfulCalls {
  const waiting: (CallNames & { readonly events: readonly TurnEvent[] })[] = []
  let answered = 0
  return {
    hold: (names, events) => void waiting.push({ ...names, events }),
    answer({ id, name }, out) {
      const at = waiting.findIndex((call) => (id === undefined ? call.name === name : call.id === id))
      const [found] = at < 0 ? [] : waiting.splice(at, 1)
      const events = (found?.events ?? []).map(asProviders)
      const call = events.find((event) => event.type === 'tool-call')
      if (call === undefined) return undefined
      answered++
      out.push(...events)
      return { toolCallId: call.toolCallId, toolName: call.toolName }
    },
    release(out) {
      for (const { events } of waiting.splice(0)) out.push(...events)
    },
    answered: () => answered,
  }
}

function asProviders(event: TurnEvent): TurnEvent {
  return event.type === 'tool-call' || event.type === 'tool-call-start' ? { ...event, owner: 'provider' } : event
}
