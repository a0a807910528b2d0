import { alignRows, paint, type Paint } from '@steploop/conformance/cli'
import type { TrafficFinding, TrafficReport, WireReport } from './report.ts'

/** Findings shown in full; the JSON report has them all. */
const shownFindings = 12
const shownCharacters = 600

/** True when something is not as it should be, or nothing was decoded at all: the command then exits with 1. */
export function hasFindings(report: TrafficReport): boolean {
  return report.findings.length > 0 || decoded(report) === 0
}

function decoded(report: TrafficReport): number {
  return sumOf(report, ({ turns, unkeyed, handEdited }) => turns + unkeyed + handEdited.turns)
}

function sumOf({ wires }: TrafficReport, value: (counts: WireReport) => number): number {
  return Object.values(wires).reduce((total, counts) => total + value(counts), 0)
}

export interface PrintTrafficOptions {
  /** What to type for the same run, to which `--file` is added. */
  readonly command: string
  /** Default: false. */
  readonly colours?: boolean | undefined
}

/** The report for a person: tables by wire format, then the first findings in full, each with the command that repeats it. */
export function printTraffic(report: TrafficReport, { command, colours }: PrintTrafficOptions): string {
  const ink = paint(colours)
  const { findings, wires } = report
  const shown = findings.slice(0, shownFindings).map((finding) => printFinding(finding, command, ink))
  const more = findings.length - shown.length
  return [
    ink.strong(`Recorded traffic of ${report.directory}`),
    ...(report.key
      ? []
      : [ink.notable('no key: there is no EXPECTED.json, so answers are compared with a reading of the suite alone')]),
    ...tables.flatMap((table) => printTable(table, wires, ink)),
    '',
    ...shown,
    ...(more > 0 ? [`... and ${more} more; --json FILE has them all\n`] : []),
    (hasFindings(report) ? ink.bad : ink.good)(summary(report)),
  ].join('\n')
}

interface Table {
  readonly title: string
  readonly columns: Readonly<Record<string, (counts: WireReport) => number>>
  /** Columns in which there should be none. */
  readonly bad: readonly string[]
}

const tables: readonly Table[] = [
  {
    title: 'Answers, compared member by member',
    columns: {
      files: (counts) => counts.files,
      turns: (counts) => counts.turns,
      fields: (counts) => counts.fields,
      disagree: (counts) => counts.disagreeing,
      crashed: (counts) => counts.crashed,
      'ended in an error': (counts) => counts.errors,
      disputed: (counts) => counts.disputed,
    },
    bad: ['disagree', 'crashed'],
  },
  {
    title: 'Answers that no key covers, compared with a reading of the suite',
    columns: {
      turns: ({ read }) => read.turns,
      fields: ({ read }) => read.fields,
      disagree: ({ read }) => read.disagreeing,
    },
    bad: ['disagree'],
  },
  {
    title: 'Streams, in other chunks and cut short',
    columns: {
      rechunked: (counts) => counts.rechunked,
      differ: (counts) => counts.rechunkedDiffering,
      cuts: (counts) => counts.cuts,
      accepted: (counts) => counts.cutsAccepted,
      misreported: (counts) => counts.cutsMisreported,
      unproven: (counts) => counts.unprovenEnds,
    },
    bad: ['differ', 'accepted', 'misreported'],
  },
  {
    title: 'Survival: opaque strings that the recorded client sent back, in our next request',
    columns: {
      sessions: ({ survival }) => survival.sessions,
      strings: ({ survival }) => survival.strings,
      lost: ({ survival }) => survival.lost,
      'edited history': ({ survival }) => survival.edited,
    },
    bad: ['lost'],
  },
  {
    title: 'Apart',
    columns: {
      'hand-edited': (counts) => counts.handEdited.turns,
      'of these crashed': (counts) => counts.handEdited.crashed,
      'not in key': (counts) => counts.unkeyed,
      'out of scope': (counts) => counts.noAdapter,
      'no turn': (counts) => counts.notTurns,
    },
    bad: ['of these crashed'],
  },
]

/** A row per wire format, without those that have nothing to say here, and their sum. */
function printTable({ title, columns, bad }: Table, wires: TrafficReport['wires'], ink: Paint): readonly string[] {
  const read = Object.values(columns)
  const rows = Object.entries(wires)
    .map(([name, counts]) => ({ name, numbers: read.map((value) => value(counts)) }))
    .filter(({ numbers }) => numbers.some((number) => number > 0))
  if (rows.length === 0) return []
  const sums = read.map((_, column) => rows.reduce((sum, { numbers }) => sum + (numbers[column] ?? 0), 0))
  const all = rows.length > 1 ? [{ name: 'all', numbers: sums }] : []
  const cells = [...rows, ...all].map(({ name, numbers }) => [name, ...numbers.map(String)])
  const heading = ['', ...Object.keys(columns)]
  const isBad = (cell: string, column: number): boolean => bad.includes(heading[column] ?? '') && Number(cell) > 0
  const lines = alignRows([heading, ...cells]).map((row) =>
    row
      .map((cell, column) => (isBad(cell, column) ? ink.bad(cell) : cell))
      .join('  ')
      .trimEnd(),
  )
  return ['', ink.strong(title), ...lines.map((line) => `  ${line}`)]
}

function printFinding(finding: TrafficFinding, command: string, ink: Paint): string {
  const { type, file, interaction, field, expected, observed, message } = finding
  const lines = [`${ink.bad(type)}  ${ink.strong(`${file} #${interaction}`)}${field === undefined ? '' : `  ${field}`}`]
  if (message !== undefined) lines.push(`  ${shorten(message)}`)
  if (type === 'disagreement')
    lines.push(ink.bad(`  expected  ${show(expected)}`), ink.good(`  got       ${show(observed)}`))
  lines.push(ink.faint(`  repeat    ${command} --file '${file}'`), '')
  return lines.join('\n')
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : shorten(JSON.stringify(value))
}

function shorten(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}... (${text.length} characters)`
}

function summary(report: TrafficReport): string {
  const { findings, key } = report
  const sum = (value: (counts: WireReport) => number, noun: string): string => counted(sumOf(report, value), noun)
  const read = sumOf(report, (counts) => counts.read.fields)
  const compared = [
    ...(key ? [`${sum(({ fields }) => fields, 'field')} compared`] : []),
    ...(read > 0 ? [`${counted(read, 'field')} compared with a reading of the suite`] : []),
  ]
  const nothing = decoded(report) === 0 ? 'nothing tried, as no adapter speaks what was recorded here' : 'nothing found'
  const found = findings.length === 0 ? nothing : counted(findings.length, 'finding')
  const turns = sum((counts) => counts.turns, 'turn')
  const cuts = sum((counts) => counts.cuts, 'cut')
  return `${turns}, ${compared.join(', ') || 'nothing compared'}, ${cuts}: ${found}.`
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
