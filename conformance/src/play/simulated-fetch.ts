import { canary } from './play-scenario.ts'
import { factsOf } from './observe-fetch.ts'
import { answer } from '../script-parts.ts'
import { PlainResponse } from './plain-classes.ts'
import type { ScriptedTurn } from '../script.ts'
import { openOwnPlay, ownBasePath } from '../simulator/own-play.ts'
import { reply, type Play } from '../simulator/play.ts'
import type { Rejection, WireSimulation } from '../wires/simulate/wire-simulation.ts'
import { simulatedWire } from '../wires/index.ts'
import type { Subject } from '../subject.ts'
import type { SimulatedRequest } from '../provider-script.ts'
import type { Reply } from '../simulator/reply.ts'

export interface SimulatedFetch {
  readonly fetch: typeof globalThis.fetch
  /** What the provider refused, in order. */
  readonly rejections: readonly Rejection[]
}

export interface SimulatedFetchOptions {
  readonly subject: Subject
  readonly script: readonly ScriptedTurn[]
  /** What a subject's own simulator is told. Default `hand-over`. */
  readonly scenario?: string | undefined
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
  const rejections: Rejection[] = []
  const { basePath, answer: answered } = providerOf(options)
  return {
    rejections,
    async fetch(input, init) {
      const asked = await factsOf(input, init)
      const path = new URL(asked.url).href.replace(options.subject.baseURL, basePath)
      const { status, headers, body, rejection } = await answered({ ...asked, path })
      if (rejection !== undefined) rejections.push(rejection)
      return new PlainResponse(typeof body === 'string' ? body : new Uint8Array(body), {
        status,
        headers: { ...headers },
      })
    },
  }
}

interface Provider {
  readonly basePath: string
  readonly answer: (request: SimulatedRequest) => Reply | Promise<Reply>
}

function providerOf({
  subject,
  script,
  scenario = 'hand-over',
  knowsSignatures = true,
  earlierTurns = 0,
}: SimulatedFetchOptions): Provider {
  const { simulate } = subject
  if (simulate !== undefined) {
    const play = openOwnPlay({ own: { ...subject, simulate }, scenario, script, earlierTurns })
    return { basePath: ownBasePath(subject.baseURL), answer: play.reply }
  }
  const strict = simulatedWire(subject.wire, subject.baseURL)
  const play: Play = {
    simulation: knowsSignatures ? strict : trusting(strict),
    script: [...Array.from({ length: earlierTurns }, () => answer()), ...script],
    memory: { responses: new Map(), items: new Map() },
    position: earlierTurns,
    requests: 0,
    apiKey: canary,
  }
  return { basePath: strict.basePath, answer: (request) => reply(play, request) }
}

function trusting(simulation: WireSimulation): WireSimulation {
  return { ...simulation, check: (body, _memory, named) => simulation.check(body, undefined, named) }
}
