import type { Mode } from '@steploop/core'
import type { Scenario, Subject } from '@steploop/conformance'
import { notApplicable, existsFor, canary, onlySimulated } from '@steploop/conformance/cli'
import type { RecordedServer } from './play-recorded.ts'

export interface LeftOutOptions {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
  readonly from: 'simulator' | RecordedServer
}

export interface LeftOut {
  readonly status: 'not-applicable' | 'simulator-only'
  /** Empty where there is no such case at all. */
  readonly reason: readonly string[]
}

/** Why a case is not recorded; `undefined` when it is. */
export function leftOut({ subject, scenario, mode, from }: LeftOutOptions): LeftOut | undefined {
  // An adapter without HTTP has nothing to record.
  if (subject.turnScript !== undefined || !existsFor(scenario, subject, mode)) {
    return { status: 'not-applicable', reason: [] }
  }
  const { capabilities } = subject.adapter({ apiKey: canary })
  const reason = notApplicable(scenario, capabilities, { mode, subject })
  if (reason !== undefined) return { status: 'not-applicable', reason: [reason] }
  if (from === 'simulator' || (from.origin !== 'live' && from.origin !== 'local')) return undefined
  const wanting = onlySimulated(scenario)
  return wanting === undefined ? undefined : { status: 'simulator-only', reason: [wanting] }
}
