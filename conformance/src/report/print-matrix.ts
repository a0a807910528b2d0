import type { Report, Verdict } from '../report-schema.ts'
import { missingCassettes } from './missing-cassettes.ts'
import {
  briefly,
  failureGroups,
  othersOf,
  sumsByCheck,
  reportedCases,
  type FailureGroup,
  type ReportedCase,
} from './failure-groups.ts'
import { reasonLines } from './folded-reasons.ts'
import { printOrigins } from './origin-facts.ts'
import { paint, type Paint } from './paint.ts'
import { idleLines } from './idle-stressors.ts'
import { isUnexpected, signs, trafficSign, trafficWords } from '../verdict.ts'

export interface MatrixOptions {
  /** Default: false. */
  readonly colours?: boolean | undefined
  /** Cases that are printed in full: each tells a failure that none before it told. Default 10. */
  readonly detailed?: number | undefined
  /** Characters of a line: adapters that do not fit stand in a matrix below. Default: no limit. */
  readonly width?: number | undefined
}

/** The report for a terminal: a matrix of subjects by scenarios and modes, then what is unexpected, then the sum. */
export function printMatrix(report: Report, options: MatrixOptions = {}): string {
  const ink = paint(options.colours)
  return [
    matrix(report, ink, options.width ?? Infinity),
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
function matrix(report: Report, ink: Paint, width: number): string {
  const verdicts = new Map(report.cases.map(({ address, verdict }) => [address, verdict]))
  const first = Math.max(...report.scenarios.map(({ id }) => id.length), 8) + 2
  const cell = (subject: string, scenario: string): string =>
    (['generate', 'stream'] as const).map((mode) => sign(verdicts.get(`${subject}/${scenario}/${mode}`), ink)).join(' ')
  const own = ownScenarios(report)
  const shared = report.scenarios.filter(({ id }) => !own.has(id))
  const tables = columnsIn(width - first, report).map((columns) => {
    const heading = columns.map(({ title, size }) => title.padEnd(size)).join('')
    const rows = shared.map(({ id, onTraffic }) => {
      const cells = columns.map(({ name, size }) => cell(name, id) + ' '.repeat(size - 3))
      return `${id.padEnd(first)}${cells.join('')}${onTraffic === undefined ? '' : trafficSign}`.trimEnd()
    })
    return [`${' '.repeat(first)}${ink.strong(heading.trimEnd())}`, ...rows].join('\n')
  })
  const quirks = [...own].map(([id, name]) => `${id.padEnd(first)}${cell(name, id)}  ${ink.faint(name)}`)
  const isMarked = shared.some(({ onTraffic }) => onTraffic !== undefined)
  const mark = isMarked ? `; ${trafficSign} ${trafficWords}` : ''
  const title = ink.faint(`generate stream, through ${report.frontEnds.join(' and ')}${mark}`)
  const apart = quirks.length === 0 ? [] : ['', ink.strong('of one subject alone'), ...quirks]
  return [tables.join('\n\n'), ...apart, title].join('\n')
}

interface Column {
  readonly name: string
  readonly title: string
  readonly size: number
}

/** Columns by table: as many adapters side by side as there is room for, one at least. */
function columnsIn(width: number, { subjects }: Report): readonly (readonly Column[])[] {
  const tables: Column[][] = [[]]
  let left = width
  for (const { name, unverified } of subjects) {
    const title = unverified === undefined ? name : `${name}*`
    const size = Math.max(title.length, 3) + 2
    if (size > left && tables.at(-1)?.length !== 0) {
      tables.push([])
      left = width
    }
    tables.at(-1)?.push({ name, title, size })
    left -= size
  }
  return tables
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
  const known = report.cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'known-failure'))
  const lines = [
    ...reasonLines(report.cases).map((line) => `– ${line}`),
    ...known.map(({ address, reason }) => `~ ${address}: ${reason ?? ''}`),
  ]
  const untried = idleLines(report.cases).map((line) => `– ${line}`)
  const all = [...unverifiedLines(report), ...lines, ...untried]
  return all.length === 0 ? [] : [...all.map((line) => ink.faint(line)), '']
}

/** Subjects whose wire format is not verified by traffic. */
function unverifiedLines(report: Report): readonly string[] {
  return report.subjects.flatMap(({ name, unverified: reason }) =>
    reason === undefined ? [] : [`* unverified by traffic: ${name}: ${reason}`],
  )
}

function failures(report: Report, ink: Paint, detailed: number): readonly string[] {
  const missing = missingCassettes(report)
  const unreported = new Set(missing.flatMap(({ cases }) => cases))
  const groups = failureGroups(report.cases.filter((one) => !unreported.has(one)))
  const { reported, rest } = reportedCases(groups, detailed)
  const lines = rest.map((group) => {
    const { check, cases } = group
    const others = cases.length === 1 ? '' : ` and ${cases.length - 1} more`
    return ink.bad(`✗ #${check.id} ${cases[0].address}${others}: ${briefly(group)}`)
  })
  const absent = missing.map(({ message }) => ink.bad(`✗ ${message}`))
  const sums = new Set(groups.flatMap(({ cases }) => cases)).size > 1 ? [ink.bad(sumsByCheck(groups)), ''] : []
  const shown = [...sums, ...reported.flatMap((one) => [...caseLines(one, ink), ''])]
  return lines.length + absent.length === 0 ? shown : [...shown, ...lines, ...absent, '']
}

function caseLines({ one, groups }: ReportedCase, ink: Paint): readonly string[] {
  return [
    ink.strong(one.address),
    ...groups.flatMap((group) => checkLines(group, ink)),
    ...(one.timeline === undefined
      ? []
      : [ink.faint('  what happened'), ...one.timeline.map((line) => ink.faint(`    ${line}`))]),
    `  repeat: ${one.repeat}`,
  ]
}

function checkLines(group: FailureGroup, ink: Paint): readonly string[] {
  const { check } = group
  const others = othersOf(group)
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
    ...(others === undefined ? [] : [ink.notable(`    ${others}`)]),
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
  // What tried nothing took no time worth printing, and must not look as if it had found nothing.
  const reported = Object.entries(report.times).filter(([part]) => variants.get(part) !== 0)
  return reported.map(([part, ms]) => {
    const count = variants.get(part) ?? 0
    return `${part} ${seconds(ms)}${count === 0 ? '' : ` (${count} × ${(ms / count).toFixed(2)} ms)`}`
  })
}
