import type { OpenStore } from '@steploop/store'
import { ApiError } from './api-error.ts'
import type { Limits } from './server-options.ts'

/** A response that this process carries out. */
export interface LiveRun {
  readonly tenant: string
  readonly id: string
  readonly isBackground: boolean
  readonly isStored: boolean
  readonly controller: AbortController
}

/** The responses under way here: how many there may be, their leases, and how to end them. */
export interface LiveRuns {
  /** Throws `ApiError` 429 when there are too many, 503 when the server stops. */
  start(run: Omit<LiveRun, 'controller'>): LiveRun
  end(run: LiveRun): void
  cancel(tenant: string, id: string): void
  /** The end of a stored response could not be written: its lease goes on with those of the others, and `settle` has to end it. */
  readonly abandon: (tenant: string, id: string) => void
  /** Ends what was abandoned, as far as that works now. */
  settle(end: (tenant: string, id: string) => Promise<void>): Promise<void>
  /** Waits for the runs to end; after `graceMs` they are ended. Nothing starts any more. */
  stop(graceMs: number): Promise<void>
}

export const leaseMs = 30_000
const beatMs = 1_000

export interface LiveOptions {
  readonly store: OpenStore
  readonly owner: string
  readonly limits: Limits
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

export function createLiveRuns({ store, owner, limits, now, onError }: LiveOptions): LiveRuns {
  const runs = new Set<LiveRun>()
  const ofTenant = new Map<string, number>()
  let stored = 0
  const waiting = new Set<() => void>()
  let isStopping = false
  let timer: ReturnType<typeof setInterval> | undefined
  const cancel = (tenant: string, id: string): void => {
    for (const run of runs) if (run.tenant === tenant && run.id === id) run.controller.abort()
  }
  const beat = async (): Promise<void> => {
    const wanted = await store.maintenance.renew(owner, now() + leaseMs, leaseMs / 3)
    for (const { tenant, responseId } of wanted) cancel(tenant, responseId)
  }
  const count = ({ tenant, isStored }: LiveRun, by: 1 | -1): void => {
    const left = (ofTenant.get(tenant) ?? 0) + by
    if (left === 0) ofTenant.delete(tenant)
    else ofTenant.set(tenant, left)
    if (isStored) stored += by
    if (stored > 0) timer ??= setInterval(() => void beat().catch(onError), beatMs)
    else {
      clearInterval(timer)
      timer = undefined
    }
  }
  return {
    cancel,
    ...createAbandoned(onError),
    start(given) {
      if (isStopping)
        throw new ApiError({ status: 503, message: 'The server is stopping.', code: 'stopping', retryAfter: 5 })
      if (runs.size >= limits.runs || (ofTenant.get(given.tenant) ?? 0) >= limits.runsPerTenant) {
        const message = 'Too many responses are under way. Try again when one of them is over.'
        throw new ApiError({ status: 429, type: 'rate_limit_error', code: 'too_many_runs', message, retryAfter: 1 })
      }
      const run = { ...given, controller: new AbortController() }
      runs.add(run)
      count(run, 1)
      return run
    },
    end(run) {
      if (runs.delete(run)) count(run, -1)
      if (runs.size === 0) for (const wake of waiting) wake()
    },
    async stop(graceMs) {
      isStopping = true
      if (runs.size === 0) return
      const over = new Promise<void>((resolve) => waiting.add(resolve))
      const abort = setTimeout(() => {
        for (const run of runs) run.controller.abort()
      }, graceMs)
      await over
      clearTimeout(abort)
    },
  }
}

function createAbandoned(onError: (error: unknown) => void): Pick<LiveRuns, 'abandon' | 'settle'> {
  const abandoned = new Map<string, Pick<LiveRun, 'tenant' | 'id'>>()
  return {
    abandon: (tenant, id) => void abandoned.set(JSON.stringify([tenant, id]), { tenant, id }),
    async settle(end) {
      for (const [key, { tenant, id }] of abandoned) {
        try {
          await end(tenant, id)
          abandoned.delete(key)
        } catch (error) {
          onError(error)
        }
      }
    },
  }
}
