import { HarnessError } from '../harness-error.ts'
import { isWhole, leftOut } from './asked.ts'
import { knownFailureProblems, type KnownFailure } from '../report/known-failures.ts'
import { scenarios as allScenarios } from '../scenarios/index.ts'
import type { Asked, CaseReport, Report } from '../report-schema.ts'
import { tally } from '../report/tally.ts'

export interface MergeOptions {
  /** Names in the order of the config. Default: the order in which the reports name them. */
  readonly subjects?: readonly string[] | undefined
  /** The list of the whole run: only now can it be said which of its lines name no check. Default: none. */
  readonly knownFailures?: readonly KnownFailure[] | undefined
  /** `YYYY-MM-DD`. Default: the day of the first report. */
  readonly today?: string | undefined
  /** Whether the parts are everything that there is; then an unknown line of the list is a problem. Default true. */
  readonly complete?: boolean | undefined
}

/**
 * Makes one report of the parts of a run, as if it had been run in one go.
 *
 * @throws HarnessError `usage` when there is no part, when parts are of different runs, when a shard is missing or given twice
 */
export function mergeReports(parts: readonly Report[], options: MergeOptions = {}): Report {
  const [first] = parts
  if (first === undefined) throw new HarnessError('usage', 'There is no report to merge. Give the JSON of every part.')
  for (const part of parts) refuseOther(first, part)
  refuseGaps(parts)
  refuseSameNames(parts.flatMap((part) => part.subjects))
  const subjects = inOrder(
    uniqueBy(
      parts.flatMap((part) => part.subjects),
      ({ name }) => name,
    ),
    ({ name }) => name,
    options.subjects,
  )
  const scenarios = inOrder(
    uniqueBy(
      parts.flatMap((part) => part.scenarios),
      ({ id }) => id,
    ),
    ({ id }) => id,
    allScenarios.map(({ id }) => id),
  )
  const byMode = inOrder(
    parts.flatMap((part) => part.cases),
    ({ mode }) => mode,
    ['generate', 'stream'],
  )
  const byScenario = inOrder(
    byMode,
    ({ scenario }) => scenario,
    scenarios.map(({ id }) => id),
  )
  const cases = inOrder(
    byScenario,
    ({ subject }) => subject,
    subjects.map(({ name }) => name),
  )
  refuseTwice(cases)
  refuseLost(first, cases)
  const problems = problemsOf(parts, cases, { ...options, today: options.today ?? first.date })
  return {
    // Where members stand stays as it is, so that the JSON of a run is the same in any number of processes.
    ...first,
    shard: undefined,
    planned: undefined,
    asked: askedOfAll(parts),
    subjects,
    scenarios,
    cases,
    problems,
    ...tally(cases, problems),
    times: sumOf(parts.map(({ times }) => times)),
    // Parts run side by side, on one machine or on several.
    durationMs: Math.max(...parts.map(({ durationMs }) => durationMs)),
  }
}

function refuseOther(first: Report, part: Report): void {
  const same = (read: (report: Report) => unknown): boolean =>
    JSON.stringify(read(first)) === JSON.stringify(read(part))
  const differs = [
    { what: 'versions of the suite', same: same(({ suite }) => suite) },
    { what: 'front-ends', same: same(({ frontEnds }) => frontEnds) },
    { what: 'seeds', same: same(({ seed }) => seed) },
    { what: 'numbers of shards', same: same(({ shard }) => shard?.count) },
    { what: 'stressors', same: same(({ asked }) => asked?.stress) && same(({ asked }) => asked?.full) },
    { what: 'filters', same: first.shard === undefined || same(({ asked }) => asked) },
    { what: 'cases', same: same(({ planned }) => planned) },
  ].find((one) => !one.same)
  if (differs === undefined) return
  throw new HarnessError(
    'usage',
    `The reports are of different runs: their ${differs.what} differ. Run all parts with the same options.`,
  )
}

function refuseGaps(parts: readonly Report[]): void {
  const count = parts[0]?.shard?.count
  if (count === undefined) return
  const indexes = parts.map(({ shard }) => shard?.index ?? 0)
  const wrong = Array.from({ length: count }, (_, index) => index + 1).find(
    (index) => indexes.filter((one) => one === index).length !== 1,
  )
  if (wrong === undefined) return
  const times = indexes.filter((one) => one === wrong).length
  throw new HarnessError(
    'usage',
    `Shard ${wrong} of ${count} is given ${times === 0 ? 'not at all' : `${times} times`}. Give the report of each shard once.`,
  )
}

/** One name for two adapters. */
function refuseSameNames(subjects: Report['subjects']): void {
  const targets = new Map<string, string>()
  for (const { name, wire, model } of subjects) {
    const target = `${model} over ${wire}`
    const other = targets.get(name) ?? target
    if (other !== target)
      throw new HarnessError(
        'usage',
        `The reports are of different runs: '${name}' is ${other}, and ${target}. Run all parts with the same config.`,
      )
    targets.set(name, target)
  }
}

function refuseTwice(cases: readonly CaseReport[]): void {
  const seen = new Set<string>()
  for (const { address } of cases) {
    if (seen.has(address)) {
      throw new HarnessError('usage', `The case ${address} is in two of the reports. Merge the parts of one run.`)
    }
    seen.add(address)
  }
}

/** Shards of other configs would look whole, each of them. */
function refuseLost({ planned }: Report, cases: readonly CaseReport[]): void {
  if (planned === undefined || planned === cases.length) return
  throw new HarnessError(
    'usage',
    `The reports hold ${cases.length} cases, and the run has ${planned}. Run all parts with the same config and options.`,
  )
}

/** What was asked for of all parts together: subjects, scenarios and modes may be shared among them. */
function askedOfAll(parts: readonly Report[]): Asked | undefined {
  const [first, ...others] = parts.map(({ asked = {} }) => asked)
  const all = others.reduce<Asked>(
    (left, right) => ({
      only: both(left.only, right.only),
      scenario: both(left.scenario, right.scenario),
      mode: left.mode === right.mode ? left.mode : undefined,
      stress: left.stress,
      full: left.full,
    }),
    first ?? {},
  )
  const members = Object.entries(all).filter(([, value]) => value !== undefined)
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

function both(left: string[] | undefined, right: string[] | undefined): string[] | undefined {
  return left === undefined || right === undefined ? undefined : [...new Set([...left, ...right])]
}

function problemsOf(
  parts: readonly Report[],
  cases: readonly CaseReport[],
  { knownFailures = [], today = '', complete: isComplete = true }: MergeOptions,
): Report['problems'] {
  const complete = isComplete && parts.every(({ asked }) => isWhole(asked))
  // What a part says of the list is said once more of all.
  const early = new Set(knownFailureProblems(knownFailures, cases, { today, complete: false }))
  const ofParts = uniqueBy(
    parts.flatMap(({ problems }) => problems.filter(({ message }) => !early.has(message))),
    ({ message }) => message,
  )
  const left = leftOut(parts[0]?.asked)
  const found = knownFailureProblems(knownFailures, cases, { today, complete, leftOut: left }).map((message) => ({
    message,
    harness: false,
  }))
  return [...ofParts, ...found]
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()]
}

/** What the order does not name comes last, as it came. */
function inOrder<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  order: readonly string[] | undefined,
): Item[] {
  if (order === undefined) return [...items]
  const indexes = new Map(order.map((key, index) => [key, index]))
  const indexOf = (item: Item): number => indexes.get(keyOf(item)) ?? order.length
  return items.toSorted((left, right) => indexOf(left) - indexOf(right))
}

function sumOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const times of all) for (const [part, ms] of Object.entries(times)) sum[part] = (sum[part] ?? 0) + ms
  return sum
}
