import { relative } from 'node:path'
import { alignRows } from '@steploop/conformance/cli'
import type { DeclaredMutant } from './declared-mutants.ts'
import type { Outcome } from './judge-mutant.ts'
import { judges, type Judge } from './judgement.ts'
import type { Edit, Mutation } from './mutation.ts'

/** What was tried of one package. */
export interface TriedPackage {
  readonly name: string
  /** All that there are, those that are declared too. */
  readonly mutations: number
  readonly declared: number
  readonly outcomes: readonly Outcome[]
}

/** A part of the mutants, with the range in which the part of all of them lies with a probability of 95 %. */
export interface Share {
  readonly percent: number
  readonly from: number
  readonly to: number
}

export interface PackageScore {
  readonly name: string
  readonly mutations: number
  readonly declared: number
  readonly tried: number
  /** Noticed by the judge, after the others before it had not. */
  readonly noticed: Readonly<Record<Judge, number>>
  /** Noticed mutants that came to no end. */
  readonly timeouts: number
  readonly survivors: number
  readonly suiteAlone: Share
  readonly together: Share
}

export interface ReportedOutcome extends Omit<Mutation, keyof Edit> {
  readonly noticed: NonNullable<Outcome['noticed']> | null
  readonly ran: readonly string[]
  readonly durationMs: number
}

export interface AutoReport {
  readonly version: 1
  readonly seed: number
  readonly sample: number
  readonly packages: readonly PackageScore[]
  /** Lines of the list that name no mutant any more, or one that is noticed. */
  readonly stale: readonly string[]
  readonly outcomes: readonly ReportedOutcome[]
  readonly durationMs: number
}

export interface AutoReportFacts extends Pick<AutoReport, 'seed' | 'sample' | 'stale' | 'durationMs'> {
  readonly packages: readonly TriedPackage[]
  /** Folder from which locations are told. */
  readonly root: string
}

export function autoReport({ packages, root, ...facts }: AutoReportFacts): AutoReport {
  const outcomes = packages.flatMap((one) => one.outcomes.map((outcome) => reported(outcome, root)))
  return { version: 1, ...facts, packages: packages.map(scoreOf), outcomes }
}

function scoreOf({ name, mutations, declared, outcomes }: TriedPackage): PackageScore {
  const noticed = { loop: 0, suite: 0, traffic: 0, unit: 0 }
  for (const outcome of outcomes) if (outcome.noticed !== undefined) noticed[outcome.noticed.judge]++
  const tried = outcomes.length
  const survivors = outcomes.filter((outcome) => outcome.noticed === undefined).length
  return {
    name,
    mutations,
    declared,
    tried,
    noticed,
    timeouts: outcomes.filter((outcome) => outcome.noticed?.by.startsWith('timeout')).length,
    survivors,
    suiteAlone: shareOf(noticed.loop + noticed.suite, tried),
    together: shareOf(tried - survivors, tried),
  }
}

/** By Wilson's score interval, which is right for few and for nearly all, too. */
export function shareOf(part: number, all: number): Share {
  if (all === 0) return { percent: 0, from: 0, to: 100 }
  const z = 1.96
  const share = part / all
  const middle = (share + z ** 2 / (2 * all)) / (1 + z ** 2 / all)
  const reach = (z / (1 + z ** 2 / all)) * Math.sqrt((share * (1 - share)) / all + z ** 2 / (4 * all ** 2))
  const percentOf = (value: number): number => Math.round(1000 * value) / 10
  return { percent: percentOf(share), from: percentOf(middle - reach), to: percentOf(middle + reach) }
}

function reported({ mutation, noticed, ran, durationMs }: Outcome, root: string): ReportedOutcome {
  const { id, file, line, column, operator, before, after } = mutation
  return {
    id,
    file: relative(root, file).replaceAll('\\', '/'),
    line,
    column,
    operator,
    before,
    after,
    noticed: noticed ?? null,
    ran,
    durationMs: Math.round(durationMs),
  }
}

/** Declared mutants that there are no more, and those that were tried all the same and noticed. */
export function staleLines(
  declared: readonly DeclaredMutant[],
  known: ReadonlySet<string>,
  outcomes: readonly Outcome[],
): readonly string[] {
  const killed = new Map(
    outcomes.flatMap(({ mutation, noticed }) => (noticed === undefined ? [] : [[mutation.id, noticed.by]])),
  )
  return declared.flatMap(({ id, change }) => {
    if (!known.has(id))
      return [`${id} (${change}): there is no such mutant any more. Judge the new line, and remove this one.`]
    const by = killed.get(id)
    return by === undefined ? [] : [`${id} (${change}): is noticed by ${by}. Remove the line.`]
  })
}

/** For a person: scores, what only the suite did not notice in a line each, and the survivors in full. */
export function printAutoReport(report: AutoReport): string {
  const { outcomes, packages, seed, sample, stale } = report
  const late = outcomes.filter(
    ({ noticed }) => noticed !== null && noticed.judge !== 'suite' && noticed.judge !== 'loop',
  )
  const survivors = outcomes.filter(({ noticed }) => noticed === null)
  return [
    `Seed ${seed}, up to ${sample} mutants of each package, ${Math.round(report.durationMs / 1000)} s`,
    '',
    ...table(packages),
    ...(late.length > 0 ? ['', 'Not noticed by the suite, but by'] : []),
    ...late.map(
      ({ noticed, operator, ...location }) =>
        `  ${locationOf(location)} ${operator}: ${noticed?.judge} (${noticed?.by})`,
    ),
    ...survivors.flatMap((one) => ['', ...survivorLines(one)]),
    ...(stale.length > 0 ? ['', 'Declared, but', ...stale.map((line) => `  ${line}`)] : []),
    '',
    survivors.length === 0
      ? `No mutant of ${outcomes.length} survives.`
      : `${survivors.length} of ${outcomes.length} mutants survive: write the check or the test that notices, or declare it with a reason.`,
  ].join('\n')
}

function locationOf({ file, line, column }: Pick<ReportedOutcome, 'file' | 'line' | 'column'>): string {
  return `${file}:${line}:${column}`
}

function survivorLines({ id, operator, before, after, ran, ...location }: ReportedOutcome): readonly string[] {
  return [
    `${locationOf(location)} ${operator}`,
    ...before.split('\n').map((line) => `  - ${line}`),
    ...after.split('\n').map((line) => `  + ${line}`),
    `  ran ${ran.join('; ')}`,
    `  ${id}`,
  ]
}

function table(packages: readonly PackageScore[]): readonly string[] {
  const rows = packages.map(({ name, tried, noticed, timeouts, survivors, suiteAlone, together, declared }) => [
    name,
    String(tried),
    ...judges.map((judge) => String(noticed[judge])),
    String(timeouts),
    String(survivors),
    String(declared),
    shareText(suiteAlone),
    shareText(together),
  ])
  const head = ['package', 'mutants', ...judges, 'timeouts', 'survive', 'declared', 'suite alone', 'together']
  return alignRows([head, ...rows]).map((row) => row.join('  '))
}

function shareText({ percent, from, to }: Share): string {
  return `${percent} % (${Math.round(from)} to ${Math.round(to)})`
}
