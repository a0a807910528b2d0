import { printOrigins } from './origin-facts.ts'
import { missingCassettes } from '../run/missing-cassettes.ts'
import { paint, type Paint } from './paint.ts'
import type { CaseReport, CheckReport, Report, Verdict } from '../report-schema.ts'
import { idleLines } from './untried.ts'
import { isUnexpected, signs, trafficSign, trafficWords } from '../verdict.ts'

export interface MatrixOptions {
  /** Default: false. */
  readonly colours?: boolean | undefined
  /** Cases whose failures are printed in full. Default 10. */
  readonly detailed?: number | undefined
}

/** The report for a terminal: a matrix of subjects by scenarios and modes, then what is unexpected, then the sum. */
export function printMatrix(report: Report, options: MatrixOptions = {}): string {
  const ink = paint(options.colours === true)
  return [
    matrix(report, ink),
    '',
    ...notes(report, ink),
    ...failures(report, ink, options.detailed ?? 10),
    ...report.problems.map(({ message }) => ink.bad(`✗ ${message}`)),
    ...summary(report, ink),
  ].join('\n')
}

function sign(verdict: Verdict | undefined, ink: Paint): string {
  if (verdict === undefined) return ' '
  const text = signs[verdict]
  if (verdict === 'pass') return ink.good(text)
  if (isUnexpected(verdict)) return ink.bad(text)
  return verdict === 'known-failure' ? ink.notable(text) : ink.faint(text)
}

/** Both modes of a cell side by side: generate, stream. */
function matrix(report: Report, ink: Paint): string {
  const names = report.subjects.map(({ name }) => name)
  const verdicts = new Map(report.cases.map(({ address, verdict }) => [address, verdict]))
  const first = Math.max(...report.scenarios.map(({ id }) => id.length), 8) + 2
  const marked = report.subjects.map(({ name, unverified }) => (unverified === undefined ? name : `${name}*`))
  const widths = marked.map((name) => Math.max(name.length, 3) + 2)
  const heading = marked.map((name, index) => name.padEnd(widths[index] ?? 0)).join('')
  const own = ownScenarios(report)
  const shared = report.scenarios.filter(({ id }) => !own.has(id))
  const rows = shared.map(({ id, onTraffic }) => {
    const cells = names.map((name, index) => {
      const both = (['generate', 'stream'] as const).map((mode) => sign(verdicts.get(`${name}/${id}/${mode}`), ink))
      return both.join(' ') + ' '.repeat((widths[index] ?? 3) - 3)
    })
    return `${id.padEnd(first)}${cells.join('')}${onTraffic === undefined ? '' : trafficSign}`.trimEnd()
  })
  const quirks = [...own].map(([id, name]) => {
    const both = (['generate', 'stream'] as const).map((mode) => sign(verdicts.get(`${name}/${id}/${mode}`), ink))
    return `${id.padEnd(first)}${both.join(' ')}  ${ink.faint(name)}`
  })
  const isMarked = shared.some(({ onTraffic }) => onTraffic !== undefined)
  const mark = isMarked ? `; ${trafficSign} ${trafficWords}` : ''
  const title = ink.faint(`generate stream, through ${report.frontEnds.join(' and ')}${mark}`)
  const apart = quirks.length === 0 ? [] : ['', ink.strong('of one subject alone'), ...quirks]
  return [`${' '.repeat(first)}${ink.strong(heading.trimEnd())}`, ...rows, ...apart, title].join('\n')
}

/** Scenarios that exist for one of several subjects only, with its name: a row of the matrix each would be nearly empty. */
function ownScenarios({ subjects, cases }: Report): ReadonlyMap<string, string> {
  const owners = new Map<string, Set<string>>()
  for (const { scenario, subject } of cases) owners.set(scenario, (owners.get(scenario) ?? new Set()).add(subject))
  const own = [...owners].flatMap(([scenario, names]): [string, string][] => {
    const [only] = names
    return names.size === 1 && subjects.length > 2 && only !== undefined ? [[scenario, only]] : []
  })
  return new Map(own)
}

/** Why something does not apply, each reason once; and known failures. */
function notes(report: Report, ink: Paint): readonly string[] {
  const reasons = new Map<string, string[]>()
  for (const { address, verdict, reason } of report.cases) {
    if (verdict !== 'not-applicable' || reason === undefined) continue
    reasons.set(reason, [...(reasons.get(reason) ?? []), address])
  }
  const known = report.cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'known-failure'))
  const lines = [
    ...[...reasons].map(([reason, addresses]) => `– ${reason}: ${addresses.join(', ')}`),
    ...known.map(({ address, reason }) => `~ ${address}: ${reason ?? ''}`),
  ]
  const untried = idleLines(report.cases).map((line) => `– ${line}`)
  const all = [...unverifiedLines(report), ...lines, ...untried]
  return all.length === 0 ? [] : [...all.map((line) => ink.faint(line)), '']
}

/** Subjects of which nobody knows whether real servers speak so. */
function unverifiedLines(report: Report): readonly string[] {
  return report.subjects.flatMap(({ name, unverified: reason }) =>
    reason === undefined ? [] : [`* unverified by traffic: ${name}: ${reason}`],
  )
}

function failures(report: Report, ink: Paint, detailed: number): readonly string[] {
  const missing = missingCassettes(report)
  const told = new Set(missing.flatMap(({ cases }) => cases))
  const red = report.cases.filter((one) => isUnexpected(one.verdict) && !told.has(one))
  const shown = red.slice(0, detailed).flatMap((one) => [...caseLines(one, ink), ''])
  const rest = red.slice(detailed).map(({ address, checks }) => {
    const ids = checks.filter(({ verdict }) => isUnexpected(verdict)).map(({ id }) => id)
    return ink.bad(`✗ ${address}: ${ids.join(', ')}`)
  })
  const absent = missing.map(({ message }) => ink.bad(`✗ ${message}`))
  return rest.length + absent.length === 0 ? shown : [...shown, ...rest, ...absent, '']
}

function caseLines(one: CaseReport, ink: Paint): readonly string[] {
  const red = one.checks.filter(({ verdict }) => isUnexpected(verdict))
  return [
    ink.strong(one.address),
    ...red.flatMap((check) => checkLines(check, ink)),
    ...(one.timeline === undefined
      ? []
      : [ink.faint('  what happened'), ...one.timeline.map((line) => ink.faint(`    ${line}`))]),
    `  repeat: ${one.repeat}`,
  ]
}

function checkLines(check: CheckReport, ink: Paint): readonly string[] {
  const failed = check.failures.flatMap(({ message, where }) => {
    const [first = '', ...more] = message.split('\n')
    const lead = where === undefined ? first : `${where}: ${first}`
    return [`    ${lead}`, ...more.map((line) => `    ${coloured(line, ink)}`)]
  })
  return [
    ink.bad(
      `  ${signs[check.verdict]} #${check.id} ${check.verdict === 'fail' ? '' : `(${check.verdict}) `}${check.sentence}`,
    ),
    ...failed,
  ]
}

function coloured(line: string, ink: Paint): string {
  if (line.startsWith('- ')) return ink.bad(line)
  return line.startsWith('+ ') ? ink.good(line) : line
}

function summary(report: Report, ink: Paint): readonly string[] {
  const counts = Object.entries(report.counts)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
  const mix = originsOf(report).join(', ') || 'none'
  const words = `${report.cases.length} cases: ${counts.join(', ') || 'none'}; ${report.checks} checks, ${report.variants} variants of stressors`
  return [
    (report.ok ? ink.good : ink.bad)(words),
    ink.faint(`cassettes: ${mix}. ${seconds(report.durationMs)} in all: ${times(report).join(', ') || 'nothing ran'}`),
  ]
}

function originsOf({ cases }: Report): readonly string[] {
  const origins: Record<string, number> = {}
  const servers = new Set<string>()
  for (const { origin } of cases) {
    if (origin === undefined) continue
    origins[origin.kind] = (origins[origin.kind] ?? 0) + 1
    if (origin.server !== undefined) servers.add(origin.server)
  }
  return printOrigins({ origins, ...(servers.size > 0 && { servers: [...servers] }) })
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

/** Seconds by part; of a stressor with the price of a variant. */
function times(report: Report): readonly string[] {
  const variants = new Map<string, number>()
  for (const { checks } of report.cases) {
    for (const { id, variants: count } of checks) {
      if (count !== undefined) variants.set(id, (variants.get(id) ?? 0) + count)
    }
  }
  // What tried nothing took no time worth telling, and must not look as if it had found nothing.
  const told = Object.entries(report.times).filter(([part]) => variants.get(part) !== 0)
  return told.map(([part, ms]) => {
    const count = variants.get(part) ?? 0
    return `${part} ${seconds(ms)}${count === 0 ? '' : ` (${count} × ${(ms / count).toFixed(2)} ms)`}`
  })
}
