import { paint, type Paint } from '../report/paint.ts'
import type { KillMatrix } from './kill-matrix.ts'
import type { MutantsReport } from './mutants-report.ts'
import type { MutantOutcome } from './try-mutant.ts'

export interface PrintMutantsOptions {
  /** Default: false. */
  readonly colours?: boolean | undefined
  /** The matrix to show check by check. Default: none. */
  readonly matrix?: KillMatrix | undefined
  /** Milliseconds. */
  readonly durationMs: number
}

/** Mutants with what killed them, checks with how many they kill, what is wrong, and the sum. */
export function printMutants(report: MutantsReport, options: PrintMutantsOptions): string {
  const ink = paint(options.colours)
  return [
    ...rows(report, ink),
    '',
    ...(report.level === 'full' && options.matrix !== undefined ? [...checkRows(options.matrix, ink), ''] : []),
    ...report.problems.map((problem) => ink.bad(`✗ ${problem}`)),
    summary(report, ink, options.durationMs),
  ].join('\n')
}

/** Names that fit on a line; the rest is a number. */
const namesShown = 6

function rows({ outcomes, level, unreported }: MutantsReport, ink: Paint): readonly string[] {
  const width = Math.max(8, ...outcomes.map(({ id }) => id.length)) + 2
  const heading = level === 'full' ? 'passes  killed by' : 'first noticed by'
  return [
    ink.strong(`  ${'mutant'.padEnd(width)}${heading}`),
    ...outcomes.map((outcome) => {
      if (unreported.includes(outcome.id)) {
        return `${ink.faint('–')} ${outcome.id.padEnd(width)}${ink.faint(`not shown here: it takes ${outcome.killer}`)}`
      }
      const sign = outcome.killers.length > 0 ? ink.good('✓') : ink.bad('✗')
      return `${sign} ${outcome.id.padEnd(width)}${level === 'full' ? killedBy(outcome, ink) : noticedBy(outcome, ink)}`
    }),
  ]
}

/** Checks that killed the mutant, its own first. */
function killedBy({ passes, killers, killer }: MutantOutcome, ink: Paint): string {
  const own = killer.slice(killer.indexOf('#') + 1)
  const names = [...killers.filter((id) => id === own), ...killers.filter((id) => id !== own)]
  const more = names.length > namesShown ? ink.faint(` and ${names.length - namesShown} more`) : ''
  return `${`${passes ?? 0} %`.padStart(6)}  ${names.slice(0, namesShown).join(', ') || ink.bad('nothing')}${more}`
}

function noticedBy({ firstCase, killers, durationMs }: MutantOutcome, ink: Paint): string {
  if (firstCase === undefined) return ink.bad('nothing: it lives')
  const time = durationMs < 1000 ? '' : ` in ${(durationMs / 1000).toFixed(1)} s`
  return `${firstCase}${ink.faint(`#${killers.slice(0, namesShown).join(' #')}${time}`)}`
}

const longestBar = 40

function checkRows({ checks, mutants }: KillMatrix, ink: Paint): readonly string[] {
  const width = Math.max(8, ...checks.map((id) => id.length)) + 2
  const counted = checks.map((id) => ({ id, by: mutants.filter(({ killers }) => killers.includes(id)) }))
  const most = Math.max(1, ...counted.map(({ by }) => by.length))
  return [
    ink.strong(`  ${'check'.padEnd(width)}mutants that it kills`),
    ...counted
      .toSorted((left, right) => right.by.length - left.by.length)
      .map(({ id, by }) => {
        const bar = '█'.repeat(Math.ceil((by.length / most) * longestBar))
        const names = by.length < 3 ? by.map((one) => one.id).join(', ') : ''
        const what = by.length === 0 ? ink.bad('idle') : `${bar} ${by.length} ${ink.faint(names)}`.trimEnd()
        return `  ${id.padEnd(width)}${what}`
      }),
  ]
}

function summary(report: MutantsReport, ink: Paint, durationMs: number): string {
  const { mutants, killed, checks, idleChecks, problems, unreported } = report
  const rest =
    unreported.length === 0
      ? ''
      : `, ${unreported.length} not shown by the scenarios that the subjects of the config play`
  const words = `${killed} of ${mutants} mutants killed${rest}; ${idleChecks} of ${checks} checks idle; ${(durationMs / 1000).toFixed(1)} s`
  return problems.length === 0 ? ink.good(words) : ink.bad(words)
}
