import type { Adapter, TurnContext, TurnEvent, TurnRequest } from '@steploop/core'
import type { Subject } from '../subject.ts'

/** A subject broken on purpose, by one named decision; the suite has to turn it red. */
export interface Mutant {
  readonly id: string
  /** The bug, as one sentence. */
  readonly bug: string
  readonly apply: (subject: Subject) => Subject
}

type Turn = (request: TurnRequest, context: TurnContext) => AsyncIterable<readonly TurnEvent[]>

/** Replaces `turn`; `correct` is the one of the adapter that is broken. */
export function brokenTurn(
  id: string,
  bug: string,
  turn: (correct: Turn, request: TurnRequest, context: TurnContext) => AsyncIterable<readonly TurnEvent[]>,
): Mutant {
  return brokenAdapter(id, bug, (adapter) => ({
    ...plainMembers(adapter),
    turn: (request, context) => turn((one, two) => adapter.turn(one, two), request, context),
  }))
}

export function brokenAdapter(
  id: string,
  bug: string,
  wrap: (adapter: Adapter, apiKey: string | undefined) => Adapter,
): Mutant {
  return {
    id,
    bug,
    apply: (subject) => ({ ...subject, adapter: (options) => wrap(subject.adapter(options), options.apiKey) }),
  }
}

/** Breaks each turn's events, batch by batch; `state` is fresh per turn. */
export function brokenEvents<State>(
  id: string,
  bug: string,
  fresh: () => State,
  change: (events: readonly TurnEvent[], state: State) => readonly TurnEvent[],
): Mutant {
  return brokenTurn(id, bug, async function* (correct, request, context) {
    const state = fresh()
    for await (const batch of correct(request, context)) yield change(batch, state)
  })
}

/** Breaks what the loop asks for before it is encoded. */
export function brokenRequest(id: string, bug: string, change: (request: TurnRequest) => TurnRequest): Mutant {
  return brokenTurn(id, bug, (correct, request, context) => correct(change(request), context))
}

/** Breaks the transport: what is sent, or what comes back. */
export function brokenFetch(id: string, bug: string, wrap: (correct: typeof fetch) => typeof fetch): Mutant {
  return {
    id,
    bug,
    apply: (subject) => ({
      ...subject,
      adapter: (options) => subject.adapter({ ...options, fetch: wrap(options.fetch ?? fetch) }),
    }),
  }
}

function plainMembers({ provider, model, capabilities }: Adapter): Omit<Adapter, 'turn'> {
  return { provider, model, capabilities }
}
