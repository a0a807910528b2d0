import type { Cassette } from '@steploop/cassette'
import type { Mode } from '@steploop/core'
import type { Failure } from '../check.ts'
import type { Evidence } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import type { Subject } from '../subject.ts'

/** A case that passed, and what it left behind: the baseline of its variants. */
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
  /** The one variant to try, as a failure named it; `undefined`: all. */
  readonly only?: string | undefined
}

/**
 * What costs too much for every case is tried by turns: this number of a case says whose turn it is. The two modes of a case are never
 * both even, and subjects differ too, so that over all cases each scenario meets everything.
 */
export function turnOf(stressCase: {
  readonly subject: Pick<Subject, 'name'>
  readonly scenario: Pick<Scenario, 'id'>
  readonly mode: Mode
}): number {
  const { subject, scenario, mode } = stressCase
  return Buffer.from(`${subject.name}/${scenario.id}/${mode}`).reduce((sum, byte) => sum + byte, 0)
}

/** What the sweeps of one part of a subject's cases share. */
export interface Sweep {
  /** Keys of what was tried already, each of them its stressor's own: what is equal needs it once. */
  readonly seen: Set<string>
  /** The part with the first scenario of the subject, where what a subject needs once is tried. */
  readonly isFirst: boolean
  /** How many bytes of streams are still to be cut everywhere; the others are cut where it hurts. */
  budget: number
  /** Seed of what is tried at random. */
  readonly seed: number
  /** Everything that there is to try, however long it takes. */
  readonly full: boolean
  /** All subjects of the run but this one, whether they are in its filter or not. */
  readonly others: readonly Subject[]
}

/** A check derived from a recorded cassette without recording anything new. */
export interface Stressor {
  readonly id: string
  readonly sentence: string
  /** Too slow for every run: only with `full`, or when it is asked for by name. Default: in every run. */
  readonly onlyInFull?: boolean | undefined
  /** The stressor cuts streams: a subject that has some, of which none is cut, is red. Default false. */
  readonly cutsStreams?: boolean | undefined
  /** The stressor serves from a port of this machine. Default false. */
  readonly serves?: boolean | undefined
  readonly run: (stressCase: StressCase) => Promise<StressOutcome>
}

/** A failure that says which variant it is, so that it can be repeated alone. */
export interface StressFailure extends Failure {
  /** Without blanks or anything that a shell takes for its own: part of a command. */
  readonly variant?: string | undefined
}

export interface StressOutcome {
  readonly failures: readonly StressFailure[]
  /** How many variants were tried. */
  readonly variants: number
  /** Why there was nothing to try. Default: it was tried in a case before. */
  readonly nothing?: string | undefined
  /** Parts of the stressor of which nothing could be tried, whatever else was, each with the reason. */
  readonly idle?: readonly (readonly [part: string, reason: string])[] | undefined
}
