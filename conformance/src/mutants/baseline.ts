import type { CaseReport } from '../report-schema.ts'
import { runConformance } from '../run/run-conformance.ts'
import type { KnownFailure } from '../report/known-failures.ts'
import { scenarios as allScenarios } from '../scenarios/index.ts'
import { stressors } from '../stress/index.ts'
import type { Scenario } from '../scenario.ts'
import type { Subject } from '../subject.ts'
import type { ConformanceOptions } from '../run/conformance-options.ts'

/** What mutants are tried on: correct subjects, and the checks that they pass. */
export interface Baseline {
  readonly subjects: readonly Subject[]
  readonly scenarios: readonly Scenario[]
  /** Ids of all checks, stressors included, sorted. */
  readonly checks: readonly string[]
  /** What fails for a known reason is no part of the baseline, and kills nothing. */
  readonly knownFailures: readonly KnownFailure[]
  /** Addresses of checks that fail without any mutant: with one of them, nothing that mutants show means anything. */
  readonly red: readonly string[]
  /**
   * Whether nobody could notice what a check is there for, `<scenario>#<check>`: the subjects do not play its scenario, or it does not
   * apply to them. With the suite's own subjects there is no such check.
   */
  readonly isBlind: (killer: string) => boolean
}

/** Ids of stressors: checks that are tried on cases which pass. */
export const stressorIds: ReadonlySet<string> = new Set(stressors.map(({ id }) => id))

/** A check that reports show only where it fails. */
const onlyWhenFailing = 'no-unhandled-rejections'

/** Milliseconds after which a run counts as one that never settles; correct ones take some ten. */
const deadline = 2_500

/** One subject per wire format, the first that speaks it, and one without a format for objects in some mode: there the loop has a tool of its own. */
export function onePerWire(subjects: readonly Subject[]): readonly Subject[] {
  const wires = new Map<string, Subject>()
  for (const subject of subjects) if (!wires.has(subject.wire)) wires.set(subject.wire, subject)
  const plain = subjects.find((subject) => subject.adapter({ apiKey: 'none' }).capabilities.structured !== true)
  return [...new Set([...wires.values(), ...(plain === undefined ? [] : [plain])])]
}

export interface BaselineOptions {
  /** Default: all of the suite. */
  readonly scenarios?: readonly Scenario[] | undefined
  /** Default: none. */
  readonly knownFailures?: readonly KnownFailure[] | undefined
  readonly onProgress?: ConformanceOptions['onProgress']
}

/** Runs every base case of the subjects as they are, and collects the checks. */
export async function prepareBaseline(given: readonly Subject[], options: BaselineOptions = {}): Promise<Baseline> {
  const subjects = onePerWire(given)
  const { scenarios = allScenarios, knownFailures = [], onProgress } = options
  const cases = await play({ subjects, scenarios, knownFailures }, { stress: [], onProgress })
  const ids = cases.flatMap(({ checks }) => checks.map(({ id }) => id))
  return {
    subjects,
    scenarios,
    knownFailures,
    checks: [...new Set([...ids, ...stressorIds, onlyWhenFailing])].toSorted(),
    red: cases.flatMap(({ address, checks }) => failed(checks).map((check) => `${address}#${check}`)),
    isBlind: blindness(subjects, cases),
  }
}

function blindness(subjects: readonly Subject[], cases: readonly CaseReport[]): (killer: string) => boolean {
  const played = cases.filter(({ verdict }) => verdict !== 'not-applicable')
  const withBytes = new Set(subjects.flatMap(({ name, turnScript }) => (turnScript === undefined ? [name] : [])))
  return (killer) => {
    const [scenario, check = ''] = killer.split('#')
    const own = played.filter((one) => one.scenario === scenario)
    if (stressorIds.has(check)) return !own.some(({ subject }) => withBytes.has(subject))
    // What reports show only where it fails is judged all the same.
    const judged = own.flatMap(({ checks }) => checks.filter(({ id }) => id === check))
    return own.length === 0 || (judged.length > 0 && judged.every(({ verdict }) => verdict === 'not-applicable'))
  }
}

/** Runs cases over subjects, broken or not. */
export async function play(
  { subjects, scenarios, knownFailures }: Pick<Baseline, 'subjects' | 'scenarios' | 'knownFailures'>,
  options: Pick<ConformanceOptions, 'only' | 'scenario' | 'mode' | 'stress' | 'onProgress'>,
): Promise<readonly CaseReport[]> {
  const { cases } = await runConformance(subjects, {
    ...options,
    frontEnds: ['fetch'],
    scenarios,
    knownFailures,
    deadline,
  })
  return cases
}

/** Ids of the checks that fail. A check that itself breaks down has noticed nothing. */
export function failed(checks: CaseReport['checks']): readonly string[] {
  return checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
}
