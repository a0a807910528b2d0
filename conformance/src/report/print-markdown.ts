import type { Report, Verdict } from '../report-schema.ts'
import { signs, trafficSign, trafficWords } from '../verdict.ts'
import { briefly, failureGroups, othersOf, sumsByCheck, reportedCases, type ReportedCase } from './failure-groups.ts'

/** Cases whose failures are told in full: a job summary may have 1 MiB. */
const detailed = 25

/** The report for a job summary: what counts, then what is red in full, then the matrix. GitHub's Markdown. */
export function printMarkdown(report: Report): string {
  const blocks = [
    `## ${report.ok ? '✅' : '❌'} Conformance: ${sums(report.counts)}`,
    `${report.checks} checks, ${report.variants} variants of stressors, through ${report.frontEnds.join(' and ')}, in ${(report.durationMs / 1000).toFixed(1)} s.`,
    ...report.problems.map(({ message }) => `- ❌ ${inline(message)}`),
    ...failures(report),
    ...knownFailures(report),
    foldedMatrix(report),
  ]
  return `${blocks.join('\n\n')}\n`
}

function sums(counts: Report['counts']): string {
  const words = Object.entries(counts).filter(([, count]) => count > 0)
  return words.map(([verdict, count]) => `${count} ${verdict}`).join(', ') || 'nothing ran'
}

function failures({ cases }: Report): readonly string[] {
  const groups = failureGroups(cases)
  if (groups.length === 0) return []
  const { reported, rest } = reportedCases(groups, detailed)
  const lines = rest.map((group) => `- \`#${group.check.id}\` \`${group.cases[0].address}\`: ${inline(briefly(group))}`)
  return [
    '### What is unexpected',
    inline(sumsByCheck(groups)),
    ...reported.map(failure),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ]
}

function failure({ one, groups }: ReportedCase): string {
  const lines = groups.flatMap((group) => {
    const { check } = group
    const others = othersOf(group)
    return [
      `${signs[check.verdict]} #${check.id} ${check.sentence}`,
      ...check.failures.map(({ message, where }) => indented(where === undefined ? message : `${where}: ${message}`)),
      ...(others === undefined ? [] : [indented(others)]),
    ]
  })
  const ids = groups.map(({ check }) => htmlText(check.id)).join(', ')
  const title = `<summary><code>${htmlText(one.address)}</code>: ${ids}</summary>`
  return [`<details open>${title}`, fenced(lines.join('\n'), 'diff'), fenced(one.repeat, 'sh'), '</details>'].join(
    '\n\n',
  )
}

function indented(text: string): string {
  // A diff keeps its signs in the first column, where they get their colours.
  return text.replaceAll(/^(?![-+] )/gm, '  ')
}

/** Longer than any run of backticks inside. */
function fenced(text: string, language: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length)
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)))
  return `${fence}${language}\n${text}\n${fence}`
}

function knownFailures({ cases }: Report): readonly string[] {
  const known = cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'known-failure'))
  if (known.length === 0) return []
  const lines = known.map(({ address, reason }) => `- \`${address}\`: ${inline(reason ?? '')}`)
  return [`### Known failures\n\n${lines.join('\n')}`]
}

/** Both modes in one cell: generate, stream. */
function foldedMatrix(report: Report): string {
  const names = report.subjects.map(({ name }) => name)
  const verdicts = new Map(report.cases.map(({ address, verdict }) => [address, verdict]))
  const sign = (verdict: Verdict | undefined): string => (verdict === undefined ? '' : signs[verdict])
  const rows = report.scenarios.map(({ id, onTraffic }) => {
    const cells = names.map((name) =>
      (['generate', 'stream'] as const).map((mode) => sign(verdicts.get(`${name}/${id}/${mode}`))).join(' '),
    )
    return `| ${id}${onTraffic === undefined ? '' : ` ${trafficSign}`} | ${cells.join(' | ')} |`
  })
  const marked = report.subjects.map(({ name, unverified }) => (unverified === undefined ? name : `${name}\\*`))
  const head = `| scenario | ${marked.join(' | ')} |\n| --- |${' :-: |'.repeat(names.length)}`
  const legend = `generate stream; ${Object.entries(signs)
    .map(([verdict, text]) => `${text} ${verdict}`)
    .join(', ')}; ${trafficSign} ${trafficWords}`
  const notes = report.subjects.flatMap(({ name, unverified }) =>
    unverified === undefined ? [] : [`\\* unverified by traffic: ${name}: ${inline(unverified)}`],
  )
  const table = [head, ...rows].join('\n')
  return ['<details><summary>The matrix</summary>', table, legend, ...notes, '</details>'].join('\n\n')
}

function inline(text: string): string {
  return htmlText(text.replaceAll('\n', ' '))
}

function htmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
