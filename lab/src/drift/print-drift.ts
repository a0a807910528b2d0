import { paint, type Paint } from '@steploop/conformance/cli'
import type { DriftFinding, DriftGrade, DriftReport, WireDrift } from './drift-report.ts'

/** The report as text for a terminal. Without colours unless they are asked for. */
export function printDrift(
  { compared, wires, counts }: DriftReport,
  { colours }: { readonly colours?: boolean } = {},
): string {
  const ink = paint(colours)
  const blocks = wires.map((drift) =>
    [ink.strong(titleOf(drift)), ...drift.findings.map((one) => textLine(one, ink))].join('\n'),
  )
  const sum = counts.error + counts.warning === 0 ? ink.good : ink.bad
  return [`drift: ${compared}`, ...blocks, sum(totals(counts)), ''].join('\n')
}

/** The report as a comment of a pull request: what breaks stands first, what is harmless is folded. */
export function printDriftMarkdown({ compared, wires, counts }: DriftReport): string {
  const changed = wires.filter(({ findings }) => findings.length > 0)
  const still = wires.filter(({ findings }) => findings.length === 0).map(({ subject }) => `\`${subject}\``)
  return [
    `## Drift: ${totals(counts)}`,
    '',
    `Compared: ${compared}.`,
    ...changed.flatMap((drift) => ['', `### ${titleOf(drift)}`, ...markdownOf(drift)]),
    ...(still.length === 0 ? [] : ['', `Unchanged: ${still.join(', ')}.`]),
    '',
  ].join('\n')
}

function titleOf({ wire, subject, cases, findings }: WireDrift): string {
  const found = findings.length === 0 ? 'nothing changed' : plural(findings.length, 'change')
  return `${wire}, ${subject}: ${found} in ${plural(cases, 'case')}`
}

function textLine({ grade, kind, message }: DriftFinding, ink: Paint): string {
  const colour = { error: ink.bad, warning: ink.notable, info: ink.faint }[grade]
  return `  ${colour(grade.padEnd(7))} ${kind.padEnd(14)} ${message.replaceAll('\n', '\n      ')}`
}

function markdownOf({ findings }: WireDrift): readonly string[] {
  const shown = findings.filter(({ grade }) => grade !== 'info')
  const folded = findings.filter(({ grade }) => grade === 'info')
  const fold =
    folded.length === 0
      ? []
      : [
          '',
          `<details><summary>${plural(folded.length, 'new field')}</summary>`,
          '',
          ...folded.map(item),
          '',
          '</details>',
        ]
  return ['', ...shown.map(item), ...fold]
}

function item({ grade, kind, message }: DriftFinding): string {
  const [first = '', ...rest] = message.split('\n')
  const block = rest.length === 0 ? [] : ['', '  ```diff', ...rest.map((line) => `  ${line}`), '  ```']
  return [`- **${grade}** (${kind}) ${first}`, ...block].join('\n')
}

function totals(counts: Readonly<Record<DriftGrade, number>>): string {
  return [plural(counts.error, 'error'), plural(counts.warning, 'warning'), `${counts.info} info`].join(', ')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
