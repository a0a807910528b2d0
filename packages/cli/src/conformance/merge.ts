import { readFile } from 'node:fs/promises'
import { HarnessError, type Report } from '@steploop/conformance'
import { mergeReports, reportSchema } from '@steploop/conformance/cli'
import type { Command } from 'commander'
import { knownFailuresOf } from './conformance.ts'
import { reportCode, reportFiles, withReportFiles, type ReportFlags } from '../command/report-files.ts'

/** `steploop merge FILES`: one report of the parts that `conformance --shard` wrote. */
export function registerMerge(program: Command): void {
  const command = program
    .command('merge')
    .description('make one report of the parts of a run (conformance --shard I/N --json FILE)')
    .argument('<FILES...>', 'the JSON reports of all parts')
  withReportFiles(command)
    .addHelpText(
      'after',
      '\nExit codes are those of the whole run: 0 all as expected; 1 a finding; 2 the parts do not fit together; 70 the suite itself failed.',
    )
    .action(async (files: readonly string[], flags: ReportFlags) => {
      const output = await reportFiles(flags)
      const parts = await Promise.all(files.map(readReport))
      const report = mergeReports(parts, { knownFailures: knownFailuresOf(process.cwd()) })
      await output.write(report)
      process.exitCode = reportCode(report)
    })
}

async function readReport(file: string): Promise<Report> {
  let data: unknown
  try {
    data = JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new HarnessError(
      'unreadable-input',
      `${file} cannot be read: ${reason}. Give a report of \`conformance --json\`.`,
      { file, cause },
    )
  }
  const checked = reportSchema.safeParse(data)
  if (checked.success) return checked.data
  const issue = checked.error.issues[0]
  const where = issue?.path.join('.') || 'the file'
  throw new HarnessError(
    'unreadable-input',
    `${file} is no report of this version: ${where}: ${issue?.message}. Write it with \`conformance --json\`.`,
    { file },
  )
}
