import type { Adapter, TurnContext, TurnEvent, TurnRequest } from '@steploop/core'
import type { TurnRecord } from '../evidence.ts'

/** A turn while it is being recorded. */
interface OpenTurn {
  readonly request: TurnRequest
  readonly events: TurnEvent[]
  error: unknown
}

/** The same adapter; each turn is told to `onTurn` when it begins, and filled in as it goes on. */
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

async function* observed(
  adapter: Adapter,
  request: TurnRequest,
  context: TurnContext,
  turn: OpenTurn,
): AsyncGenerator<readonly TurnEvent[], undefined> {
  turn.error = new Error('the loop left the turn before its end')
  try {
    for await (const batch of adapter.turn(request, context)) {
      turn.events.push(...batch)
      if (batch.some(({ type }) => type === 'turn-end')) turn.error = undefined
      yield batch
    }
    turn.error = undefined
  } catch (error) {
    turn.error = error
    throw error
  }
  return undefined
}
