import type { Baseline } from './baseline.ts'
import { idsHash, killMatrix, type KillMatrix } from './kill-matrix.ts'
import type { Mutant } from './mutant.ts'
import type { MutantOutcome } from './try-mutant.ts'

/** The least share of the base checks, in percent, that a mutant has to pass: one that breaks everything proves nothing. */
const leastShare = 80

/** Real projects have shipped these: one check alone would be too little. */
const shipped: ReadonlySet<string> = new Set([
  'array-position-index',
  'utf8-per-chunk',
  'complete-on-eof',
  'calls-only-if-finish-tool-calls',
  'drop-signature',
])

export interface MutantsReport {
  readonly version: 1
  readonly level: 'quick' | 'full'
  /** How many were tried. */
  readonly mutants: number
  readonly killed: number
  readonly checks: number
  /** Checks that kill nothing, as the last full run found it, or as this one does. */
  readonly idleChecks: number
  /** Mutants that live because the subjects do not play what would show them: more scenarios, or another wire format, would. */
  readonly unreported: readonly string[]
  /** What makes the run red, each with the fix. */
  readonly problems: readonly string[]
  readonly outcomes: readonly MutantOutcome[]
}

export interface ReportFacts {
  readonly level: 'quick' | 'full'
  /** All of the suite, whether they were tried or not. */
  readonly mutants: readonly Mutant[]
  readonly baseline: Pick<Baseline, 'checks' | 'isBlind'>
  readonly outcomes: readonly MutantOutcome[]
  /** Matrix of the last full run; a full run of all mutants makes its own. */
  readonly matrix: KillMatrix | undefined
  /** The subjects are to show every mutant, as the suite's own do. Default: what they cannot show is told apart, and is no problem. */
  readonly complete?: boolean | undefined
}

export function mutantsReport(facts: ReportFacts): MutantsReport {
  const { level, mutants, baseline, outcomes } = facts
  const isWhole = level === 'full' && outcomes.length === mutants.length
  const matrix = isWhole ? killMatrix(mutants, baseline, outcomes) : facts.matrix
  // In a part of the scenarios, or without bytes, a mutant may do nothing wrong; and the matrix is that of all.
  const isPart = facts.complete !== true && mutants.some(({ killer }) => baseline.isBlind(killer))
  const unreported = outcomes.filter(({ byItsKiller }) => isPart && !byItsKiller)
  const problems = [
    ...outcomes.filter((one) => !unreported.includes(one)).flatMap((outcome) => outcomeProblems(outcome, level)),
    ...(isPart ? [] : matrixProblems(matrix, { mutants, checks: baseline.checks })),
  ]
  return {
    version: 1,
    level,
    mutants: outcomes.length,
    killed: outcomes.filter(({ killers }) => killers.length > 0).length,
    checks: baseline.checks.length,
    unreported: unreported.filter(({ killers }) => killers.length === 0).map(({ id }) => id),
    idleChecks: matrix?.idleChecks.length ?? baseline.checks.length,
    problems,
    outcomes,
  }
}

function outcomeProblems(outcome: MutantOutcome, level: 'quick' | 'full'): readonly string[] {
  const { id, killer, killers, passes = 100, passesTextOnly, byItsKiller } = outcome
  const problems: string[] = []
  if (killers.length === 0)
    problems.push(`'${id}' lives: no check notices it. Write the check that does; it should be ${killer}.`)
  else if (level === 'full' && !byItsKiller)
    problems.push(
      `'${id}' is noticed by ${killers.slice(0, 5).join(', ')}, but not by ${killer}. Name the check that is there for it.`,
    )
  if (!passesTextOnly) problems.push(`'${id}' fails \`text-only\`: it breaks too much. Narrow it to its one decision.`)
  if (passes < leastShare)
    problems.push(
      `'${id}' passes ${passes} % of the base checks, less than ${leastShare} %. Narrow it to its one decision.`,
    )
  return problems
}

interface Suite {
  readonly mutants: readonly Mutant[]
  readonly checks: readonly string[]
}

function matrixProblems(matrix: KillMatrix | undefined, { mutants, checks }: Suite): readonly string[] {
  const fix = 'Run `steploop mutants --full`, and keep the file that it writes.'
  if (matrix === undefined) return [`There is no matrix of kills, so nobody knows which checks are idle. ${fix}`]
  const idle = matrix.idleChecks.map(
    (check) => `#${check} is idle: it kills no mutant. Find a bug that it notices, or delete it.`,
  )
  const weak = matrix.mutants
    .filter(({ id, killers }) => shipped.has(id) && killers.length < 2)
    .map(({ id }) => `'${id}' was shipped by a real project, and has to be killed by two checks at least.`)
  if (matrix.hash === idsHash(mutants, checks)) return [...idle, ...weak]
  const news = [
    ...differences(
      'mutant',
      mutants.map(({ id }) => id),
      matrix.mutants.map(({ id }) => id),
    ),
    ...differences('check', checks, matrix.checks),
  ]
  return [`The matrix of kills is stale: ${news.join(', ')}. ${fix}`, ...idle, ...weak]
}

function differences(kind: string, now: readonly string[], before: readonly string[]): readonly string[] {
  return [
    ...now.filter((id) => !before.includes(id)).map((id) => `new ${kind} '${id}'`),
    ...before.filter((id) => !now.includes(id)).map((id) => `${kind} '${id}' is gone`),
  ]
}
