import { answer } from '../scenarios/script-parts.ts'
import type { ScriptedTurn } from '../script.ts'
import { reply, type Play } from '../simulator/play.ts'
import type { Refusal, WireSimulation } from '../simulator/wire-simulation.ts'
import { simulatedWire } from '../simulator/wires.ts'
import type { Subject } from '../subject.ts'

export interface SimulatedFetch {
  readonly fetch: typeof globalThis.fetch
  /** What the provider refused, in order. */
  readonly refusals: readonly Refusal[]
}

export interface SimulatedFetchOptions {
  readonly subject: Subject
  readonly script: readonly ScriptedTurn[]
  /** False for histories that hold real signatures: the simulator can only tell its own from forged ones. Default true. */
  readonly knowsSignatures?: boolean | undefined
  /** Turns that the provider answered before: ids are made from the ordinal of the turn. Default 0. */
  readonly earlierTurns?: number | undefined
}

/**
 * The subject's provider as a `fetch`, without a server: each body goes through the simulator's checks, and is answered by the script.
 *
 * @throws RangeError for a wire format that the simulator does not speak
 */
export function simulatedFetch(options: SimulatedFetchOptions): SimulatedFetch {
  const { subject, script, knowsSignatures = true, earlierTurns = 0 } = options
  const strict = simulatedWire(subject.wire, subject.baseURL)
  const simulation = knowsSignatures ? strict : trusting(strict)
  const refusals: Refusal[] = []
  const play: Play = {
    simulation,
    script: [...Array.from({ length: earlierTurns }, () => answer()), ...script],
    memory: { responses: new Map(), items: new Map() },
    position: earlierTurns,
    requests: 0,
  }
  return {
    refusals,
    async fetch(input, init) {
      const request = new Request(input, init)
      const { status, headers, text, refusal } = reply(play, {
        method: request.method,
        path: request.url.replace(subject.baseURL, simulation.basePath),
        headers: Object.fromEntries(request.headers),
        text: await request.text(),
      })
      if (refusal !== undefined) refusals.push(refusal)
      return new Response(text, { status, headers: { ...headers } })
    },
  }
}

function trusting(simulation: WireSimulation): WireSimulation {
  return { ...simulation, check: (body, _memory, named) => simulation.check(body, undefined, named) }
}
