import type { Report } from '@steploop/conformance'
import {
  pageTemplate,
  printHtml,
  printJunit,
  printMarkdown,
  printMatrix,
  withoutDetails,
} from '@steploop/conformance/cli'
import type { Command } from 'commander'
import { hasColours } from './colours.ts'
import { exitCodes } from './exit-codes.ts'
import { checkReportFiles, pathOf, writeReport } from './write-report.ts'

export interface ReportFlags {
  readonly json?: string | undefined
  readonly junit?: string | undefined
  readonly markdown?: string | undefined
  readonly html?: string | undefined
  readonly details?: boolean | undefined
  /** A file of another kind, which may be stdout too. */
  readonly claim?: string | undefined
}

/** The options of every command that ends with a report. */
export function withReportFiles(command: Command): Command {
  return command
    .option('--json <FILE>', 'write the report as JSON; - is stdout')
    .option('--junit <FILE>', 'write the report as JUnit XML; - is stdout')
    .option('--markdown <FILE>', 'write the report as Markdown, for a job summary; - is stdout')
    .option('--html <FILE>', 'write the report as one page with every request, frame and event; - is stdout')
    .option('--details', 'the JSON holds every request, frame and event too')
}

/** Finds out before the run, which takes its time, whether the reports can be written at its end. */
export async function reportFiles(flags: ReportFlags): Promise<{ write(report: Report): Promise<void> }> {
  const [json, junit, markdown, html] = [flags.json, flags.junit, flags.markdown, flags.html].map(pathOf)
  const { claim } = flags
  await checkReportFiles({
    '--json': flags.json,
    '--junit': flags.junit,
    '--markdown': flags.markdown,
    '--html': flags.html,
    '--claim': claim,
  })
  const template = html === undefined ? undefined : await pageTemplate()
  return {
    async write(report) {
      if (![json, junit, markdown, html, claim].includes('-'))
        process.stdout.write(`${printMatrix(report, { colours: hasColours(), width: process.stdout.columns })}\n`)
      const reported = flags.details ? report : { ...report, cases: report.cases.map(withoutDetails) }
      if (json !== undefined) await writeReport(json, `${JSON.stringify(reported, undefined, 2)}\n`)
      if (junit !== undefined) await writeReport(junit, printJunit(report))
      if (markdown !== undefined) await writeReport(markdown, printMarkdown(report))
      if (html !== undefined && template !== undefined) await writeReport(html, printHtml(report, template))
    },
  }
}

/** A harness that fails proves nothing, so its errors win over findings. */
export function reportCode(report: Report): number {
  if (report.counts['harness-error'] > 0 || report.problems.some(({ harness }) => harness)) return exitCodes.harness
  return report.ok ? exitCodes.expected : exitCodes.finding
}
