import type { Mode } from '@steploop/core'
import { checkAddress, type Failure } from '../check.ts'
import type { CheckReport } from '../report-schema.ts'
import type { Scenario } from '../scenario.ts'
import type { Sweep } from './stressor.ts'
import type { Subject } from '../subject.ts'
import type { FrontEndName } from '../play/front-ends.ts'
import { plain } from '../judge/judge-case.ts'
import type { StressJob } from './stress-jobs.ts'

/** One case to run, and how. */
export interface CaseJob {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
  /** The first one is judged, the others have to give the same trace. */
  readonly through: readonly FrontEndName[]
  readonly deadline: number
  /** `steploop conformance`, or what stands for it. */
  readonly command: string
  readonly stress: readonly StressJob[]
  /** Whether a check counts, by its id. */
  readonly isRequired: (check: string) => boolean
  readonly sweep: Sweep
  /** Whether the report says in full what happened. */
  readonly details: boolean
  /** Told how long each part took. */
  readonly onTime: (part: string, ms: number) => void
}

/** The command that runs this case alone. */
export function repeatOf({ command, subject, scenario, mode }: CaseJob): string {
  return `${command} --only ${subject.name} --scenario ${scenario.id} --mode ${mode}`
}

/** What a check of a case found; nothing found is a pass. */
export function checkOf(
  { subject, scenario, mode }: Pick<CaseJob, 'subject' | 'scenario' | 'mode'>,
  id: string,
  sentence: string,
  failures: readonly Failure[],
): CheckReport {
  const address = checkAddress(subject.name, scenario.id, mode, id)
  return { id, address, sentence, verdict: failures.length === 0 ? 'pass' : 'fail', failures: failures.map(plain) }
}
