import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { hasFindings, printTraffic, runTraffic, type TrafficReport } from '@steploop/lab'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { hasColours } from '../command/colours.ts'
import { typedCommand } from '../command/typed-command.ts'
import { foreignOutputToStderr } from '../processes/foreign-output.ts'
import { loadConfig } from '../config/load-config.ts'
import { startProgress } from '../command/progress.ts'
import { checkReportFiles, writeReport } from '../command/write-report.ts'

interface TrafficFlags {
  readonly wire?: string | undefined
  readonly file?: string | undefined
  readonly json?: string | undefined
  readonly config?: string | undefined
}

/** `steploop traffic [DIR...]`: checks the adapters of the config against recorded traffic. */
export function registerTraffic(program: Command): void {
  program
    .command('traffic')
    .description('decode recorded responses, compare them with their answer key, re-chunk and cut their streams')
    .argument(
      '[DIR...]',
      `folders with recordings; default: ${defaultTraffic.join(' and ')}, from the folder of the config`,
    )
    .option('--wire <NAME>', 'only this folder of each DIR')
    .option('--file <SUBSTRING>', 'only recordings whose path holds this text')
    .option('--json <FILE>', 'write the report as JSON, a list of reports for several folders; - is stdout')
    .option('--config <FILE>', 'default: the nearest steploop.config.ts')
    .addHelpText('after', help)
    .action(async (directories: readonly string[], flags: TrafficFlags) => {
      process.exitCode = await traffic(directories, flags)
    })
}

/** From the folder of the config. */
export const defaultTraffic = ['../shared/real-traffic', '../shared/real-traffic-2']

const help = `
Exit codes: 0 all agree; 1 something disagrees, crashes, or a cut stream is taken for a whole one; 2 wrong options, or DIR cannot be
read; 70 the harness itself failed; 130 interrupted.`

async function traffic(given: readonly string[], flags: TrafficFlags): Promise<number> {
  await checkReportFiles({ '--json': flags.json })
  const config = await loadConfig(flags.config)
  const { subjects } = config
  const { wire, file } = flags
  const reports: TrafficReport[] = []
  for (const name of given.length > 0 ? given : defaultsBeside(config.root)) {
    const directory = given.length > 0 ? resolve(name) : resolve(config.root, name)
    const progress = startProgress()
    const report = await foreignOutputToStderr(() =>
      runTraffic({ directory, subjects, wire, file, onProgress: progress.begin }),
    ).finally(progress.end)
    reports.push(report)
    if (flags.json !== '-')
      process.stdout.write(`${printTraffic(report, { command: commandFor(name, flags), colours: hasColours() })}\n`)
  }
  if (flags.json !== undefined) await writeReport(flags.json, toJson(reports))
  return reports.some(hasFindings) ? exitCodes.finding : exitCodes.expected
}

/** The first one must be there. */
function defaultsBeside(root: string): readonly string[] {
  return defaultTraffic.filter((folder, index) => index === 0 || existsSync(resolve(root, folder)))
}

function toJson(reports: readonly TrafficReport[]): string {
  return `${JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2)}\n`
}

/** What to type to get the same run for one file. */
function commandFor(directory: string, { config }: TrafficFlags): string {
  const words = [
    typedCommand('traffic', process.env),
    directory,
    config === undefined ? undefined : `--config ${config}`,
  ]
  return words.filter((word) => word !== undefined).join(' ')
}
