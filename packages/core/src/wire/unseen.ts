import type { TurnEvent } from '../contract/adapter.ts'

const unseen = Symbol('unseen')

interface Events extends Array<TurnEvent> {
  [unseen]?: true
}

/** A list of events that goes into the fold of its turn and to nobody else: the beginnings of calls that it ends as well are left out. */
export function unseenEvents(): TurnEvent[] {
  const events: Events = []
  events[unseen] = true
  return events
}

export function isUnseen(events: Events): boolean {
  return events[unseen] === true
}
