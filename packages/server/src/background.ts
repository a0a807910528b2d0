import type { StoredEvent } from '@steploop/store'
import { isOver } from '@steploop/store'
import { notFound } from './api-error.ts'
import type { LiveRun } from './live-runs.ts'
import type { RunPlan } from './prepare-run.ts'
import { createRecorder } from './record-run.ts'
import { runResponse } from './run-response.ts'
import type { ServerState } from './server-state.ts'
import { sequenced, type SequencedEvent } from './sse.ts'

const flushMs = 50
const pollMs = 50

/** Carries a response out that nobody waits for. Its events are kept, so that they can be read by anybody, from any of them on. */
export function startBackground(plan: RunPlan, live: LiveRun, state: ServerState): void {
  const { options, sealer, limits, owner, now, onError } = state
  const { store } = options
  const run = async (): Promise<void> => {
    await createRecorder(plan, store, owner).begin()
    const { abandon } = state.live
    const context = { store, sealer, limits, owner, now, onError, abandon, signal: live.controller.signal }
    await keepEvents(sequenced(runResponse(plan, context), plan.resumed?.sequence), async (events) => {
      await store.addEvents(plan.tenant, plan.id, events)
    })
  }
  void run()
    .catch((error: unknown) => {
      onError(error)
      state.live.abandon(plan.tenant, plan.id)
    })
    .finally(() => state.live.end(live))
}

/** Writes many at a time: a model says a lot in little pieces. */
async function keepEvents(
  events: AsyncGenerator<SequencedEvent>,
  write: (events: readonly StoredEvent[]) => Promise<void>,
): Promise<void> {
  let batch: StoredEvent[] = []
  let last = Date.now()
  for await (const event of events) {
    batch.push({ sequence: event.sequence_number, data: event })
    if (Date.now() - last < flushMs) continue
    await write(batch)
    batch = []
    last = Date.now()
  }
  if (batch.length > 0) await write(batch)
}

export interface Follow {
  readonly tenant: string
  readonly id: string
  /** Sequence number of the last event that is known. */
  readonly after: number
}

/** The events of a background response, until it is over. */
export async function* followEvents(
  state: ServerState,
  { tenant, id, after }: Follow,
): AsyncGenerator<SequencedEvent, undefined, undefined> {
  const { store } = state.options
  let last = after
  for (;;) {
    const response = await store.response(tenant, id)
    if (response === undefined) throw notFound('Response', id)
    const events = await store.events(tenant, id, last)
    for (const { sequence, data } of events) {
      last = sequence
      yield { ...data, type: String(data['type']), sequence_number: sequence }
      if (isTerminal(data['type'])) return undefined
    }
    if (isOver(response.status) && events.length === 0) {
      // The last events follow the commit of the response.
      if (await nothingFollows(state, { tenant, id, after: last })) return undefined
    } else if (events.length === 0) await pause(pollMs)
  }
}

async function nothingFollows({ options }: ServerState, { tenant, id, after }: Follow): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt++) {
    await pause(pollMs)
    const events = await options.store.events(tenant, id, after)
    if (events.length > 0) return false
  }
  return true
}

function isTerminal(type: unknown): boolean {
  return type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed'
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
