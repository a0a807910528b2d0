import type { StoredEvent } from '@steploop/store'
import { isOver } from '@steploop/store'
import { notFound } from './api-error.ts'
import type { LiveRun } from './live-runs.ts'
import type { RunPlan } from './prepare-run.ts'
import { createRecorder } from './record-run.ts'
import { runResponse } from './run-response.ts'
import type { ServerState } from './server-state.ts'
import { eventResponse, type Tell } from './sse.ts'

const flushMs = 50
const pollMs = 50

/** Carries out a response in the background. Its events are kept, so that they can be read later, from any of them on. */
export function startBackground(plan: RunPlan, live: LiveRun, state: ServerState): void {
  const { options, owner, onError } = state
  const { store } = options
  const run = async (): Promise<void> => {
    await createRecorder(plan, store, owner).begin()
    const kept = createEventKeeper((events) => store.addEvents(plan.tenant, plan.id, events))
    await runResponse(plan, state, { signal: live.controller.signal, tell: kept.tell })
    await kept.flush()
  }
  void run()
    .catch((error: unknown) => {
      onError(error)
      state.live.abandon(plan.tenant, plan.id)
    })
    .finally(() => state.live.end(live))
}

/** Writes many at a time: a model says a lot in little pieces. */
function createEventKeeper(write: (events: readonly StoredEvent[]) => Promise<void>) {
  const batch: StoredEvent[] = []
  let last = Date.now()
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await write(batch.splice(0))
    last = Date.now()
  }
  const tell: Tell = (events) => {
    for (const event of events) batch.push({ sequence: event.sequence_number, data: event })
    return Date.now() - last < flushMs ? undefined : flush()
  }
  return { tell, flush }
}

export interface Follow {
  readonly tenant: string
  readonly id: string
  /** Sequence number of the last event that is known. */
  readonly after: number
}

/** Streams the events of a background response, until it is over. */
export function followResponse(
  state: ServerState,
  follow: Follow,
  headers?: Readonly<Record<string, string>>,
): Response {
  const controller = new AbortController()
  const { keepAlive } = state.limits
  const source = (tell: Tell): Promise<void> => followEvents(state, follow, { tell, signal: controller.signal })
  return eventResponse(source, { controller, headers, keepAlive })
}

async function followEvents(
  state: ServerState,
  { tenant, id, after }: Follow,
  { tell, signal }: { readonly tell: Tell; readonly signal: AbortSignal },
): Promise<void> {
  const { store } = state.options
  let last = after
  while (!signal.aborted) {
    const response = await store.response(tenant, id)
    if (response === undefined) throw notFound('Response', id)
    const events = await store.events(tenant, id, last)
    for (const { sequence, data } of events) {
      last = sequence
      await tell([{ ...data, type: String(data['type']), sequence_number: sequence }])
      if (isTerminal(data['type']) || signal.aborted) return
    }
    if (isOver(response.status) && events.length === 0) {
      // The last events follow the commit of the response.
      if (await nothingFollows(state, { tenant, id, after: last })) return
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
