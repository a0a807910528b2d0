import type { Finding, TrafficReport, WireReport } from './report.ts'

/** Findings shown in full; the JSON report has them all. */
const shownFindings = 12
const shownCharacters = 600

/** True when something is not as it should be: the command then exits with 1. */
export function hasFindings(report: TrafficReport): boolean {
  return report.findings.length > 0
}

/** The report for a person: a table, then the first findings in full, each with the command that repeats it. */
export function renderTraffic(report: TrafficReport, command: string): string {
  const { findings } = report
  const shown = findings.slice(0, shownFindings).map((finding) => renderFinding(finding, command))
  const more = findings.length - shown.length
  return [
    `Recorded traffic of ${report.directory}`,
    report.key ? '' : 'no key: there is no EXPECTED.json, so nothing is compared\n',
    renderTable(report.wires),
    '',
    ...shown,
    ...(more > 0 ? [`... and ${more} more; --json FILE has them all\n`] : []),
    summary(report),
  ].join('\n')
}

type Column = readonly [title: string, value: (counts: WireReport) => number]

const columns: readonly Column[] = [
  ['files', (counts) => counts.files],
  ['turns', (counts) => counts.turns],
  ['fields', (counts) => counts.fields],
  ['disagree', (counts) => counts.disagreeing],
  ['crashed', (counts) => counts.crashed],
  ['re-chunked', (counts) => counts.rechunked],
  ['differ', (counts) => counts.rechunkedDiffering],
  ['cuts', (counts) => counts.cuts],
  ['accepted', (counts) => counts.cutsAccepted],
  ['misreported', (counts) => counts.cutsMisreported],
  ['unproven', (counts) => counts.unprovenEnds],
  ['disputed', (counts) => counts.disputed],
  ['hand-edited', (counts) => counts.handEdited.turns],
  ['not in key', (counts) => counts.unkeyed],
  ['no adapter', (counts) => counts.noAdapter],
  ['no turn', (counts) => counts.notTurns],
]

function renderTable(wires: TrafficReport['wires']): string {
  const all = Object.entries(wires)
  const rows = all.map(([name, counts]) => [name, ...columns.map(([, value]) => String(value(counts)))])
  const total = columns.map(([, value]) => String(all.reduce((sum, [, counts]) => sum + value(counts), 0)))
  return alignRows([['', ...columns.map(([title]) => title)], ...rows, ['all', ...total]])
}

/** The first column to the left, numbers to the right. */
function alignRows(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}

function renderFinding(finding: Finding, command: string): string {
  const { type, file, interaction, field, expected, observed, message } = finding
  const lines = [`${type}  ${file} #${interaction}${field === undefined ? '' : `  ${field}`}`]
  if (message !== undefined) lines.push(`  ${shorten(message)}`)
  if (type === 'disagreement') lines.push(`  expected  ${show(expected)}`, `  got       ${show(observed)}`)
  lines.push(`  repeat    ${command} --file '${file}'`, '')
  return lines.join('\n')
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : shorten(JSON.stringify(value))
}

function shorten(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}... (${text.length} characters)`
}

function summary({ findings, wires }: TrafficReport): string {
  const turns = Object.values(wires).reduce((sum, counts) => sum + counts.turns, 0)
  if (findings.length === 0) return `${turns} turns, nothing found.`
  return `${turns} turns, ${findings.length} findings.`
}
