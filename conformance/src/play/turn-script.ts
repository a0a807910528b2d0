import type { Evidence, RunRecord, SentRequest } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import type { ScriptedTurn } from '../script.ts'
import type { PlayableTurn, Subject, TurnScript } from '../subject.ts'

/** A check looked for something that a subject with a `turnScript` does not show. */
export class NotObserved extends Error {
  override readonly name = 'NotObserved'
}

/** Why requests, and the stressors that change bytes, say nothing about this subject. */
export const noBytes =
  'the subject gives a `turnScript` instead of cassettes: its transport is its own, so there are no requests and no bytes to look at'

/** Why the scenario cannot be played from a `turnScript`; `undefined` when it can, or has not to be. */
export function notScripted({ turnScript }: Subject, { script }: Scenario): string | undefined {
  const isBroken = turnScript !== undefined && script.some((turn) => playable(turn) === undefined)
  return isBroken ? 'the scenario breaks bytes on the way, and a `turnScript` sends none' : undefined
}

/** An object is written down: an adapter with a `turnScript` has to declare `structured` for it. */
function playable(turn: ScriptedTurn): PlayableTurn | undefined {
  if (turn.type === 'answer' || turn.type === 'failure') return turn
  if (turn.type !== 'object') return undefined
  return { type: 'answer', parts: [{ type: 'text', text: JSON.stringify(turn.input) }] }
}

export interface ScriptOptions {
  readonly scenario: Scenario
  readonly mode: TurnScript['mode']
  readonly model: string
}

/** A script that is being played, and what went wrong with it. */
export interface OpenScript extends TurnScript {
  /** The counterpart of what replay finds: turns asked for too often, or never. */
  readonly problems: () => readonly string[]
}

/** One per play, shared by all adapters in it: turns are given out in the order in which they are asked for. */
export function openScript({ scenario, mode, model }: ScriptOptions): OpenScript {
  const turns = scenario.script.flatMap((turn) => playable(turn) ?? [])
  let asked = 0
  return {
    mode,
    model,
    next() {
      const turn = turns[asked++]
      if (turn !== undefined) return turn
      throw new Error(
        `The script of '${scenario.id}' has ${turns.length} turns, and request ${asked} asks for another one. Ask once per request of the adapter.`,
      )
    },
    problems() {
      if (asked === turns.length) return []
      return [`the script has ${turns.length} turns, and ${asked} were asked for`]
    },
  }
}

/** Request of which nothing is known but that it was made. */
export const silentRequest: SentRequest = {
  method: 'TURN',
  url: '',
  headers: {},
  text: '',
  body: undefined,
  view: undefined,
}

/** For judging: requests can be counted, and looking into one says that there is nothing to see. */
export function withoutRequests(evidence: Evidence): Evidence {
  return { ...evidence, runs: evidence.runs.map((run): RunRecord => ({ ...run, requests: run.requests.map(hidden) })) }
}

function hidden(): SentRequest {
  const look = (): never => {
    throw new NotObserved(noBytes)
  }
  return {
    method: 'TURN',
    get url() {
      return look()
    },
    get headers() {
      return look()
    },
    get text() {
      return look()
    },
    get body() {
      return look()
    },
    get view() {
      return look()
    },
  }
}
