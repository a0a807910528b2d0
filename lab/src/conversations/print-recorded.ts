import { scenarios as allScenarios } from '@steploop/conformance'
import { alignRows, paint, type Paint } from '@steploop/conformance/cli'
import { allowances, type Allowance } from './allowances.ts'
import {
  apartReasons,
  emptyFormatCounts,
  type FormatCounts,
  type RecordedFinding,
  type RecordedReport,
} from './recorded-report.ts'
import type { Apart } from './link-turns.ts'

const shownFindings = 12
const shownCharacters = 400

/** True when a request of ours differs without a reason, the loop stops early, or a required recording is not held. */
export function hasRecordedFindings({ findings, required }: RecordedReport): boolean {
  return findings.length > 0 || required.some(({ ok }) => !ok)
}

/** The report for a person. Without colours unless they are asked for. */
export function printRecorded(report: RecordedReport, { colours }: { readonly colours?: boolean } = {}): string {
  const ink = paint(colours)
  const { findings } = report
  const more = findings.length - shownFindings
  return [
    ink.strong(`The loop on recorded conversations of ${report.directory}`),
    '',
    ...formatTable(report.formats),
    '',
    ink.strong('Differences that are allowed'),
    ...listed(countsOf(report.allowed), allowances),
    '',
    ink.strong('Sessions apart'),
    ...listed(countsOf(report.apart), apartReasons),
    '',
    'Exchanges apart in the other sessions',
    ...listed(countsOf(report.besides), apartReasons),
    '',
    ...scenarioLines(report, ink),
    '',
    ...requiredLines(report, ink),
    ...findings.slice(0, shownFindings).flatMap((one) => findingLines(one, ink)),
    ...(more > 0 ? [`... and ${more} more; --json FILE has them all`, ''] : []),
    (hasRecordedFindings(report) ? ink.bad : ink.good)(summary(report)),
  ].join('\n')
}

function requiredLines({ required }: RecordedReport, ink: Paint): readonly string[] {
  if (required.length === 0) return []
  const lines = required.map(
    ({ name, file, ok }) =>
      `  ${ok ? ink.good('✓') : ink.bad('✗')} ${name}${file === undefined ? ': not in this folder' : ''}`,
  )
  return [ink.strong('Required recordings'), ...lines, '']
}

function countsOf<Name extends string>(
  locations: Readonly<Partial<Record<Name, readonly string[]>>>,
): Readonly<Partial<Record<Name, number>>> {
  const counts: Partial<Record<Name, number>> = {}
  for (const name in locations) counts[name] = locations[name]?.length
  return counts
}

function listed<Name extends Allowance | Apart>(
  counts: Readonly<Partial<Record<Name, number>>>,
  reasons: Readonly<Record<Name, string>>,
): readonly string[] {
  const rows = (Object.keys(reasons) as Name[]).flatMap((name): (readonly [number, Name])[] =>
    counts[name] === undefined ? [] : [[counts[name], name]],
  )
  return rows.length === 0
    ? ['  none']
    : rows.map(([count, name]) => `  ${String(count).padStart(5)}  ${name}: ${reasons[name]}`)
}

const columns: readonly (keyof FormatCounts)[] = [
  'sessions',
  'conversations',
  'turns',
  'requests',
  'followUps',
  'equal',
  'allowed',
]

function formatTable(formats: RecordedReport['formats']): readonly string[] {
  const rows = Object.entries(formats).map(([name, counts]) => [name, ...columns.map((column) => counts[column])])
  const total = totalOf(formats)
  const all = [['', ...columns], ...rows, ['all', ...columns.map((column) => total[column])]].map((row) =>
    row.map(String),
  )
  return alignRows(all).map((row) => `  ${row.join('  ')}`)
}

function totalOf(formats: RecordedReport['formats']): FormatCounts {
  const total = emptyFormatCounts()
  for (const counts of Object.values(formats)) for (const column of columns) total[column] += counts[column]
  return total
}

/** Scenarios of the suite, and in how many wire formats they are shown. */
function scenarioLines({ scenarios }: RecordedReport, ink: Paint): readonly string[] {
  const known = allScenarios.map(({ id }) => id)
  const shown = known.filter((id) => id in scenarios)
  const rows = shown.map((id) => `  ${id}: ${(scenarios[id] ?? []).join(', ')}`)
  const title = `Scenarios of the suite that are thereby shown on real traffic: ${shown.length} of ${known.length}`
  return [ink.strong(title), ...rows]
}

function findingLines({ file, interaction, difference, message }: RecordedFinding, ink: Paint): readonly string[] {
  const location = ink.strong(`${file} #${interaction}`)
  if (difference === undefined) return [`${location}: ${message ?? ''}`, '']
  const { what, where, recorded, ours } = difference
  return [
    `${location}  ${[what, where].filter(Boolean).join(' of ')}`,
    ink.bad(`  recorded  ${short(recorded)}`),
    ink.good(`  ours      ${short(ours)}`),
    '',
  ]
}

function short(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}... (${text.length} characters)`
}

function summary(report: RecordedReport): string {
  const { sessions, turns, requests, equal } = totalOf(report.formats)
  const unreadable = report.findings.filter(({ isUnreadable }) => isUnreadable).length
  const unexplained = report.findings.length - unreadable
  const broken = report.required.filter(({ ok }) => !ok).length
  const found = [
    unexplained === 0 ? 'nothing unexplained' : `${unexplained} unexplained`,
    ...(unreadable === 0 ? [] : [`${unreadable} unreadable`]),
    ...(broken === 0 ? [] : [`${broken} required recordings not held`]),
  ].join(', ')
  return `${sessions} sessions, ${turns} turns, ${requests} requests compared, ${equal} of them equal: ${found}.`
}
