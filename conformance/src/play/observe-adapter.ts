import type { Adapter, TurnContext, TurnEvent, TurnRequest } from '@steploop/core/adapter'
import { described } from '../described.ts'
import type { TurnRecord } from '../evidence.ts'

/** A turn while it is being recorded. */
interface OpenTurn {
  readonly request: TurnRequest
  readonly events: TurnEvent[]
  error: unknown
  isMeddled?: boolean | undefined
}

/** Wraps an adapter: each turn is told to `onTurn` when it begins, and filled in as it goes on. */
export function observeAdapter(adapter: Adapter, onTurn: (turn: TurnRecord) => void): Adapter {
  const { provider, model, capabilities } = adapter
  return {
    provider,
    model,
    capabilities,
    turn(request, context) {
      const turn: OpenTurn = { request: { ...request, messages: [...request.messages] }, events: [], error: undefined }
      onTurn(turn)
      return observed(adapter, request, context, turn)
    },
  }
}

/** A copy, so that it cannot be changed later. What cannot be read must not break those who read on: it stands as an event of its own. */
function readable(event: TurnEvent): TurnEvent {
  try {
    return { ...event }
  } catch (error) {
    // No event of the contract, and so a failure of `turn-events`, which names the first one.
    return { type: `an event that cannot be read (${described(error)})` } as unknown as TurnEvent
  }
}

/** What an adapter could change of later turns. Tools may hold schemas that no JSON shows. */
function conversationOf({ messages, instructions, ...more }: TurnRequest): string {
  const { providerOptions, toolChoice, settings, responseFormat } = more
  return JSON.stringify([messages, instructions, providerOptions, toolChoice, settings, responseFormat])
}

async function* observed(
  adapter: Adapter,
  request: TurnRequest,
  context: TurnContext,
  turn: OpenTurn,
): AsyncGenerator<readonly TurnEvent[], undefined> {
  turn.error = new Error('the loop left the turn before its end')
  const before = conversationOf(request)
  try {
    for await (const batch of adapter.turn(request, context)) {
      turn.events.push(...batch.map((event) => readable(event)))
      if (batch.some(({ type }) => type === 'turn-end')) {
        turn.error = undefined
        // Now: after the turn the loop itself adds to the list.
        turn.isMeddled = conversationOf(request) !== before
      }
      yield batch
    }
    turn.error = undefined
  } catch (error) {
    turn.error = error
    turn.isMeddled = conversationOf(request) !== before
    throw error
  }
  return undefined
}
