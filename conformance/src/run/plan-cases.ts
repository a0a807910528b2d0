import type { Mode } from '@steploop/core'
import { HarnessError } from '../harness-error.ts'
import type { Scenario } from '../scenario.ts'
import { scenarios as allScenarios } from '../scenarios/index.ts'
import type { Subject } from '../subject.ts'
import { existsFor } from './case-exists.ts'
import type { ConformanceOptions } from './conformance-options.ts'
import { requirementsNow } from './requirement-set.ts'

export interface PlannedCase {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
  /** Index of the scenario among those of the subject, from 0. */
  readonly index: number
}

/** The cases in the order of the report: subjects, their scenarios, modes. */
export function planCases(subjects: readonly Subject[], options: ConformanceOptions): readonly PlannedCase[] {
  const { requirements } = options
  const all = options.scenarios ?? allScenarios
  const known = requirements === undefined ? all : all.filter(({ id }) => requirements.scenarios.includes(id))
  const chosen = pick(subjects, options.only, (subject) => subject.name, 'subject')
  for (const subject of chosen) refuseUnknown(subject, options.scenarios)
  const scenarios = pick(known, options.scenario, (scenario) => scenario.id, 'scenario')
  const modes: readonly Mode[] = options.mode === undefined ? ['generate', 'stream'] : [options.mode]
  return chosen.flatMap((subject) =>
    scenarios
      // Both modes of a scenario stay together, so that they can be compared.
      .map((scenario) =>
        modes.filter((mode) => existsFor(scenario, subject, mode)).map((mode) => ({ subject, scenario, mode })),
      )
      .filter((pair) => pair.length > 0)
      .flatMap((pair, index) => pair.map((one) => ({ ...one, index }))),
  )
}

/** By subject, so that a shard holds the same cases whatever else runs. */
export function isInShard({ index, count } = { index: 1, count: 1 }): (planned: PlannedCase) => boolean {
  return (one) => one.index % count === index - 1
}

/** A word that names nothing would leave a scenario out without a trace, or leave nothing out. Scenarios of another list than the suite's count too. */
function refuseUnknown({ name, scenarios = [], noWordsFor = {} }: Subject, others: readonly Scenario[] = []): void {
  const all = [...allScenarios, ...others]
  const ids = new Set(all.map(({ id }) => id))
  const checks = new Set(requirementsNow('', all).checks.map((check) => check.replace(/^.*#/, '')))
  const refuse = (field: string, kind: string, word: string, known: ReadonlySet<string>): never => {
    const fix = `Correct \`${field}\` of this subject. There are: ${[...known].join(', ')}.`
    throw new HarnessError('usage', `Subject '${name}' names a ${kind} '${word}', which there is not. ${fix}`)
  }
  for (const id of scenarios) if (!ids.has(id)) refuse('scenarios', 'scenario', id, ids)
  for (const key of Object.keys(noWordsFor)) {
    const [id = '', check] = key.split('#')
    if (!ids.has(id) && (id !== '*' || check === undefined)) refuse('noWordsFor', 'scenario', id, ids)
    if (check !== undefined && !checks.has(check)) refuse('noWordsFor', 'check', check, checks)
  }
}

function pick<Item>(
  items: readonly Item[],
  names: readonly string[] | undefined,
  nameOf: (item: Item) => string,
  kind: string,
): readonly Item[] {
  if (names === undefined || names.length === 0) return items
  const unknown = names.find((name) => !items.some((item) => nameOf(item) === name))
  if (unknown === undefined) return items.filter((item) => names.includes(nameOf(item)))
  throw new HarnessError('usage', `There is no ${kind} '${unknown}'. There are: ${items.map(nameOf).join(', ')}.`)
}

/**
 * How many cases `runConformance` has with these options, which asks adapters for their capabilities.
 *
 * @throws HarnessError `usage` for filters that name nothing
 */
export function countCases(subjects: readonly Subject[], options: ConformanceOptions = {}): number {
  return planCases(subjects, options).filter(isInShard(options.shard)).length
}
