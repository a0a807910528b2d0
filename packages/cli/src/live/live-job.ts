import type { Scenario, Subject } from '@steploop/conformance'
import type { Mode } from '@steploop/core'
import type { Progress } from '../command/progress.ts'
import type { LiveReport } from './live-report.ts'

export const parts = ['record', 'faults', 'at-once', 'fuzz', 'gateways'] as const
export type Part = (typeof parts)[number]

export function isPart(name: string): name is Part {
  return (parts as readonly string[]).includes(name)
}

export interface LiveJob {
  readonly parts: readonly Part[]
  readonly subjects: readonly Subject[]
  readonly scenarios: readonly Scenario[]
  readonly modes: readonly Mode[]
  /** A server that is up already. */
  readonly foreign: { readonly url: string; readonly model: string | undefined } | undefined
  /** Where recordings are kept. Default: nowhere. */
  readonly target: ((subject: Subject) => string | URL) | undefined
  readonly runs: number
  readonly crashes: number
  readonly seed: number
  readonly cache: string
  /** Milliseconds that a server may take until it is ready. */
  readonly patience: number
  readonly report: LiveReport
  readonly signal: AbortSignal
  readonly say: (line: string) => void
  readonly progress: Progress
}
