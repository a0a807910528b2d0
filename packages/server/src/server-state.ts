import type { Limits, ServerOptions } from './server-options.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Sealer } from './seal.ts'

/** What all routes share. */
export interface ServerState {
  readonly options: ServerOptions
  readonly limits: Limits
  readonly sealer: Sealer
  /** Names this process in leases. */
  readonly owner: string
  readonly live: LiveRuns
  readonly now: () => number
  readonly onError: (error: unknown) => void
}
