import { readFile } from 'node:fs/promises'
import { HarnessError, runConformance, type Report } from '@steploop/conformance'
import { askedOf, countCases } from '@steploop/conformance/cli'
import {
  badgeOf,
  compareClaim,
  parseClaim,
  prepareVerification,
  printVerification,
  type Claim,
  type Preparation,
} from '@steploop/lab'
import type { Command } from 'commander'
import { packagesOf } from './claim.ts'
import { hasColours } from '../command/colours.ts'
import { commandFor, startCaseProgress, workersOf } from './conformance.ts'
import { mostProcesses, runInWorkers } from './conformance-workers.ts'
import { exitCodes } from '../command/exit-codes.ts'
import { foreignOutputToStderr } from '../processes/foreign-output.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { reportCode } from '../command/report-files.ts'
import { checkReportFiles, writeReport } from '../command/write-report.ts'

interface VerifyFlags {
  readonly badge?: string | undefined
  readonly workers?: string | undefined
}

/** `steploop verify FILE [CONFIG]`: repeats the run that a claim speaks of, and compares. */
export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description('repeat the run of a claim (conformance --claim FILE) from the same inputs, and compare case by case')
    .argument('<FILE>', 'the claim')
    .argument('[CONFIG]', 'config file; default: the nearest steploop.config.ts')
    .option(
      '--badge <FILE>',
      'write the outcome as JSON for a badge (https://shields.io/badges/endpoint-badge); - is stdout',
    )
    .option(
      '--workers <N>',
      'processes that share the cases; default: as many as the machine has processors, 1 for few cases',
    )
    .addHelpText('after', help)
    .action(async (file: string, config: string | undefined, flags: VerifyFlags) => {
      process.exitCode = await verify(file, config, flags)
    })
}

const help = `
Only the scenarios and checks of the claim's requirement set count, whatever the suite has learnt since. Where cassettes, packages or models
are not those of the claim, nothing is run.

Exit codes: 0 every case has the claimed verdict; 1 something differs; 2 the claim cannot be read, or the config is not its own; 70 the suite
itself failed.`

async function verify(file: string, given: string | undefined, flags: VerifyFlags): Promise<number> {
  await checkReportFiles({ '--badge': flags.badge })
  const claim = parseClaim(await readClaim(file), file)
  const config = await loadConfig(given)
  const { subjects } = config
  const names = claim.subjects.map(({ name }) => name)
  const preparation = prepareVerification(claim, { subjects, packages: packagesOf(config, names) })
  const report = preparation.changed.length > 0 ? undefined : await repeat(claim, preparation, { config, given, flags })
  const verification = compareClaim(claim, report, preparation)
  const today = new Date().toISOString().slice(0, 10)
  if (flags.badge !== '-')
    process.stdout.write(`${printVerification(verification, { today, colours: hasColours() })}\n`)
  if (flags.badge !== undefined)
    await writeReport(flags.badge, `${JSON.stringify(badgeOf(verification), undefined, 2)}\n`)
  if (report !== undefined && reportCode(report) === exitCodes.harness) return exitCodes.harness
  return verification.holds ? exitCodes.expected : exitCodes.finding
}

async function readClaim(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const fix = 'Give a claim that `steploop conformance --claim FILE` wrote.'
    throw new HarnessError('unreadable-input', `${file} cannot be read: ${reason}. ${fix}`, { file, cause })
  }
}

interface VerifyOptions {
  readonly config: LoadedConfig
  readonly given: string | undefined
  readonly flags: VerifyFlags
}

async function repeat(
  { subjects }: Claim,
  { options: { only = [], ...options } }: Preparation,
  { config, given, flags }: VerifyOptions,
): Promise<Report> {
  const progress = startCaseProgress()
  const cases = await foreignOutputToStderr(() => Promise.resolve(countCases(config.subjects, { ...options, only })))
  const processes = workersOf({
    workers: flags.workers,
    cases,
    most: mostProcesses(subjects.length),
  })
  const command = commandFor(given, {})
  const report =
    processes === 1
      ? await foreignOutputToStderr(() =>
          runConformance(config.subjects, { ...options, command, only, onProgress: progress.onCase }),
        )
      : await runInWorkers({
          config: config.file,
          subjects: only,
          processes,
          cases,
          options: { ...options, command },
          onProgress: progress.onCase,
          merge: { complete: false, today: options.today },
          asked: askedOf(config.subjects, { ...options, only }),
        })
  progress.end()
  return report
}
