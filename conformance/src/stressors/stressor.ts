import type { Cassette } from '@steploop/cassette'
import type { Mode } from '@steploop/core'
import type { Failure } from '../check.ts'
import type { Evidence } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import type { Subject } from '../subject.ts'

/** A case that passed, and what it left behind: the ground on which variants are tried. */
export interface StressCase {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
  readonly cassette: Cassette
  readonly fileName: string
  readonly evidence: Evidence
  /** Milliseconds after which a run counts as one that never settles. */
  readonly deadline: number
  readonly sweep: Sweep
}

/** What one subject's sweeps share. */
export interface Sweep {
  /** Bodies that were swept already: equal ones need it once. */
  readonly bodies: Set<string>
  /** How many cuts are left for bodies that are cut everywhere. */
  budget: number
  /** All subjects of the run but this one, whether they are in its filter or not. */
  readonly others: readonly Subject[]
}

/** A check derived from a recorded cassette without recording anything new. */
export interface Stressor {
  readonly id: string
  readonly sentence: string
  readonly run: (stressCase: StressCase) => Promise<StressOutcome>
}

export interface StressOutcome {
  readonly failures: readonly Failure[]
  /** How many variants were tried. */
  readonly variants: number
}

/** More would say the same again. */
export const failuresShown = 3
