import { createTurnCollector, type Turn } from '../wire/collect-turn.ts'
import type { TurnEvent } from '../contract/adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import { orderFaults, wordFaults } from './event-faults.ts'
import { checkError, wholeWarnings } from './whole-warnings.ts'

/** What a decoder gave. */
export interface DecodedEvents {
  readonly events: readonly TurnEvent[]
  /** The turn that the events make, as far as they go. */
  readonly turn: Turn
  /** What was thrown after them. */
  readonly error: unknown
}

/**
 * Runs the decoder of a wire format and folds what it gives, also when it throws an `AdapterError`: for tests of `decode` and `createDecoder`.
 *
 * @param decode pushes events, as `decode` of a wire format does
 * @param origin is written on the message
 * @throws TypeError for events, warnings or an error that break the contract
 */
export function decodeEvents(
  decode: (out: TurnEvent[]) => void,
  origin: { readonly provider: string; readonly model: string },
): DecodedEvents {
  const events: TurnEvent[] = []
  let error: unknown
  try {
    decode(events)
  } catch (thrown) {
    // Whatever comes, a decoder knows what to call it: another error is a mistake of its own.
    if (!AdapterError.isInstance(thrown)) throw thrown
    error = thrown
    checkError(error)
  }
  const faults = [...orderFaults(events, error !== undefined), ...wordFaults(events, origin)]
  if (faults.length > 0) throw new TypeError(`These events break the contract: ${faults.join('; ')}`)
  const collector = createTurnCollector(origin)
  collector.push(events)
  const turn = collector.turn()
  wholeWarnings(turn.warnings)
  return { events, turn, error }
}
