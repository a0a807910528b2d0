import type { Adapter, TurnContext, TurnEvent, TurnRequest } from '@steploop/core/adapter'
import { parsed } from '../json.ts'
import type { Subject } from '../subject.ts'
import { wireKit } from '../wires/index.ts'
import type { ConversationItem } from '../request-view.ts'

/** `<scenario>#<check>` */
export type Killer = `${string}#${string}`

/** What is said of a mutant. */
export interface Bug {
  /** The one decision that is wrong, as a sentence. */
  readonly bug: string
  /** The scenario and the check that are there to notice. Tried first; whatever else notices is welcome. */
  readonly killer: Killer
}

/** Breaks a subject by one decision. */
export interface Break extends Bug {
  readonly apply: (subject: Subject) => Subject
}

/** By id. */
export type Breaks = Readonly<Record<string, Break>>

/** A subject broken on purpose, by one named decision; the suite has to turn it red. */
export interface Mutant extends Break {
  readonly id: string
}

type Turn = (request: TurnRequest, context: TurnContext) => AsyncIterable<readonly TurnEvent[]>

/** Replaces the adapter. */
export function brokenAdapter(
  bug: Bug & { readonly wrap: (adapter: Adapter, apiKey: string | undefined) => Adapter },
): Break {
  const { wrap, ...facts } = bug
  return {
    ...facts,
    apply: (subject) => {
      const { turnScript } = subject
      return {
        ...subject,
        adapter: (options) => wrap(subject.adapter(options), options.apiKey),
        ...(turnScript && { turnScript: (script) => wrap(turnScript(script), undefined) }),
      }
    },
  }
}

/** The adapter with another `turn`. */
export function withTurn(adapter: Adapter, turn: Turn): Adapter {
  const { provider, model, capabilities } = adapter
  return { provider, model, capabilities, turn }
}

/** Replaces `turn`; `correct` is the one of the adapter that is broken. */
export function brokenTurn(
  bug: Bug & {
    readonly turn: (correct: Turn, request: TurnRequest, context: TurnContext) => AsyncIterable<readonly TurnEvent[]>
  },
): Break {
  const { turn, ...facts } = bug
  return brokenAdapter({
    ...facts,
    wrap: (adapter) => withTurn(adapter, (...asked) => turn((...given) => adapter.turn(...given), ...asked)),
  })
}

/** Breaks each turn's events, batch by batch; `state` is fresh per turn. */
export function brokenEvents<State>(
  bug: Bug & {
    readonly fresh: (request: TurnRequest, context: TurnContext) => State
    readonly change: (events: readonly TurnEvent[], state: State) => readonly TurnEvent[]
  },
): Break {
  const { fresh, change, ...facts } = bug
  return brokenTurn({
    ...facts,
    async *turn(correct, request, context) {
      const state = fresh(request, context)
      for await (const batch of correct(request, context)) yield change(batch, state)
    },
  })
}

/** Breaks each event by itself. */
export function brokenEvent(bug: Bug & { readonly change: (event: TurnEvent) => readonly TurnEvent[] }): Break {
  const { change, ...facts } = bug
  return brokenEvents({
    ...facts,
    fresh: () => undefined,
    change: (events) => events.flatMap((event) => change(event)),
  })
}

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>

/** Breaks what a turn ends with; nothing leaves it as it is. */
export function brokenEnd(bug: Bug & { readonly change: (end: TurnEnd) => Partial<TurnEnd> | undefined }): Break {
  const { change, ...facts } = bug
  return brokenEvent({
    ...facts,
    change: (event) => [event.type === 'turn-end' ? { ...event, ...change(event) } : event],
  })
}

/** Breaks what the loop asks for before it is encoded. */
export function brokenRequest(
  bug: Bug & { readonly change: (request: TurnRequest, adapter: Adapter) => TurnRequest },
): Break {
  const { change, ...facts } = bug
  return brokenAdapter({
    ...facts,
    wrap: (adapter) => withTurn(adapter, (request, context) => adapter.turn(change(request, adapter), context)),
  })
}

/** Breaks the body of each request; it is given with what the subject's reader finds in it. */
export function brokenBody(
  bug: Bug & { readonly change: (body: string, items: readonly ConversationItem[]) => string },
): Break {
  const { change, ...facts } = bug
  return {
    ...facts,
    apply(subject) {
      const read = wireKit(subject.wire)?.readRequest
      const changed = (body: string): string => change(body, read?.(parsed(body)).items ?? [])
      const wrap =
        (correct: typeof fetch): typeof fetch =>
        (input, init) =>
          correct(input, typeof init?.body === 'string' ? { ...init, body: changed(init.body) } : init)
      return brokenFetch({ ...facts, wrap }).apply(subject)
    },
  }
}

/** Breaks the transport: what is sent, or what comes back. */
export function brokenFetch(bug: Bug & { readonly wrap: (correct: typeof fetch) => typeof fetch }): Break {
  const { wrap, ...facts } = bug
  return {
    ...facts,
    apply: (subject) => ({
      ...subject,
      adapter: (options) => subject.adapter({ ...options, fetch: wrap(options.fetch ?? fetch) }),
    }),
  }
}
