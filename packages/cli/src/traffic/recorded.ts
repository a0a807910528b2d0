import { resolve } from 'node:path'
import { HarnessError } from '@steploop/conformance'
import { hasRecordedFindings, printRecorded, runRecorded, type RecordedReport } from '@steploop/lab'
import { subjectsOf } from '../config/choose-subjects.ts'
import { exitCodes } from '../command/exit-codes.ts'
import { hasColours } from '../command/colours.ts'
import { foreignOutputToStderr } from '../processes/foreign-output.ts'
import { loadConfig } from '../config/load-config.ts'
import { startProgress } from '../command/progress.ts'
import { checkReportFiles, writeReport } from '../command/write-report.ts'

export interface RecordedFlags {
  readonly only: readonly string[]
  readonly json?: string | undefined
  readonly recorded: readonly string[]
}

/** `steploop conformance --recorded DIR`: the loop on recorded conversations, through MSW. */
export async function recorded(given: string | undefined, flags: RecordedFlags): Promise<number> {
  refuseOthers(flags)
  await checkReportFiles({ '--json': flags.json })
  const config = await loadConfig(given)
  const names = subjectsOf(config, flags.only)
  const subjects = config.subjects.filter(({ name }) => names.includes(name))
  const reports: RecordedReport[] = []
  for (const folder of flags.recorded) {
    const directory = resolve(folder)
    const progress = startProgress()
    const report = await foreignOutputToStderr(() =>
      runRecorded({ directory, subjects, onProgress: progress.begin }),
    ).finally(progress.end)
    reports.push(report)
    if (flags.json !== '-') process.stdout.write(`${printRecorded(report, { colours: hasColours() })}\n`)
  }
  const [only] = reports
  const reported = reports.length === 1 ? only : reports
  if (flags.json !== undefined) await writeReport(flags.json, `${JSON.stringify(reported, undefined, 2)}\n`)
  return reports.some(hasRecordedFindings) ? exitCodes.finding : exitCodes.expected
}

const known = new Set(['only', 'json', 'recorded'])

/** What chooses among cassettes chooses nothing here. */
function refuseOthers(flags: RecordedFlags): void {
  for (const [name, value] of Object.entries(flags)) {
    if (known.has(name) || value === undefined || (Array.isArray(value) && value.length === 0)) continue
    const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    throw new HarnessError('usage', `--${option} does not go with --recorded; --only and --json do.`)
  }
}
