import type { Mode } from '@steploop/core'
import type { FrontEndName } from '../play/front-ends.ts'
import type { Scenario } from '../scenario.ts'
import type { KnownFailure } from '../report/known-failures.ts'
import type { RequirementSet } from './requirement-set.ts'

export interface CaseProgress {
  readonly done: number
  readonly total: number
  readonly address: string
}

export interface ConformanceOptions {
  /** Names of subjects. Default: all. */
  readonly only?: readonly string[] | undefined
  /** Ids. Default: all. */
  readonly scenario?: readonly string[] | undefined
  /** Default: both. */
  readonly mode?: Mode | undefined
  /**
   * The first one is judged, the others have to give equal traces. Default: `msw` and `fetch` for streams, `fetch` for answers that come whole.
   * Stressors use `fetch` alone: they are sweeps.
   */
  readonly frontEnds?: readonly FrontEndName[] | undefined
  /** Ids of stressors, each alone or with one variant as a failure names it, `rechunk@2/120`. Default: all that are fast enough. */
  readonly stress?: readonly string[] | undefined
  /** Everything that there is to try: slow stressors, every cut by itself, hand-over to all others. Default false. */
  readonly full?: boolean | undefined
  /** Part `index` of `count` of the cases of each subject, from 1. */
  readonly shard?: { readonly index: number; readonly count: number } | undefined
  /** Parts into which the cases of each subject are dealt, by turns; stressors of one part know nothing of another. Default: 2 for a subject alone, else 1. */
  readonly parts?: number | undefined
  /** What stressors try at random is the same for the same seed. Default 1. */
  readonly seed?: number | undefined
  readonly knownFailures?: readonly KnownFailure[] | undefined
  /** `YYYY-MM-DD`; what lines of known failures expire against. Default: the system's date. */
  readonly today?: string | undefined
  /** Milliseconds after which a run counts as one that never settles. Default 10,000. */
  readonly deadline?: number | undefined
  /** Begins the commands that repeat a case. Default `steploop conformance`. */
  readonly command?: string | undefined
  /** Adds to each case what it did, with all bytes, as the HTML report shows it: some 10 kB a case. Default: false. */
  readonly details?: boolean | undefined
  /** Stops after the first case that is not as expected. Default: false. */
  readonly bail?: boolean | undefined
  readonly onProgress?: ((progress: CaseProgress) => void) | undefined
  /** Default: all of the suite. */
  readonly scenarios?: readonly Scenario[] | undefined
  /** Only what this set asks for is judged and stressed; other scenarios do not run. Default: everything. */
  readonly requirements?: RequirementSet | undefined
  /** Names of the subjects that finished histories are handed over to. Default: all, whether they are in the filter or not. */
  readonly handOverTo?: readonly string[] | undefined
}
