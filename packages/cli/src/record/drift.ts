import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CassetteError } from '@steploop/cassette'
import { HarnessError, scenarios } from '@steploop/conformance'
import { folderDrift, printDrift, printDriftMarkdown, runDrift, trafficDrift, type DriftReport } from '@steploop/lab'
import type { Command } from 'commander'
import { hasColours } from '../command/colours.ts'
import { exitCodes } from '../command/exit-codes.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { modeOf, pickNamed, repeated } from '../command/options.ts'
import { interruptedExitCode, listenForInterrupt, type Interrupt } from './record-interrupt.ts'
import { startProgress } from '../command/progress.ts'
import { addSourceOptions, checkSource, sourcesOf, type SourceFlags } from './record-source.ts'
import { checkReportFiles, writeReport } from '../command/write-report.ts'

interface DriftFlags extends SourceFlags {
  readonly only: readonly string[]
  readonly scenario: readonly string[]
  readonly mode?: string | undefined
  readonly traffic?: string | undefined
  readonly against?: string | undefined
  readonly out?: string | undefined
  readonly json?: string | undefined
  readonly markdown?: string | undefined
  readonly config?: string | undefined
}

/** `steploop drift`: what a provider changed since its cassettes were recorded. */
export function registerDrift(program: Command): void {
  const command = program
    .command('drift')
    .description('record anew beside the cassettes, and say what changed in shape; the cassettes stay as they are')
    .option('--only <SUBJECT>', 'only this subject; may be given again', repeated, [])
    .option('--scenario <ID>', 'only this scenario; may be given again', repeated, [])
    .option('--mode <MODE>', 'generate or stream; default: both')
    .option('--traffic <DIR>', 'record nothing: what the cassettes say that the recorded traffic in DIR does not')
    .option(
      '--against <DIR>',
      'record nothing: what changed from the cassettes to those in DIR, a folder for each subject',
    )
    .option('--out <DIR>', 'keep the fresh recordings there; default: a folder that is removed')
    .option('--json <FILE>', 'write the report as JSON; - is stdout')
    .option('--markdown <FILE>', 'write the report as Markdown for a pull request; - is stdout')
    .option('--config <FILE>', 'default: the nearest steploop.config.ts')
  addSourceOptions(command)
    .addHelpText('after', help)
    .action(async (flags: DriftFlags) => {
      process.exitCode = await drift(flags)
    })
}

const help = `
Exit codes: 0 nothing changed that matters; 1 warnings or errors; 2 wrong options, a key that is not set, or input that cannot be read;
70 the harness itself failed; 130 interrupted.`

async function drift(flags: DriftFlags): Promise<number> {
  checkFlags(flags)
  await checkReportFiles({ '--json': flags.json, '--markdown': flags.markdown })
  const config = await loadConfig(flags.config)
  pickNamed(config.subjects, flags.only, ({ name }) => name, 'subject')
  const { traffic, against } = flags
  const interrupt = listenForInterrupt()
  const report =
    traffic === undefined && against === undefined
      ? await recordedDrift(config, flags, interrupt)
      : await comparedDrift(config, flags)
  if (interrupt.signal.aborted) {
    console.error('interrupted: no report was written')
    return interruptedExitCode
  }
  if (flags.json !== '-' && flags.markdown !== '-') process.stdout.write(printDrift(report, { colours: hasColours() }))
  if (flags.json !== undefined) await writeReport(flags.json, `${JSON.stringify(report, undefined, 2)}\n`)
  if (flags.markdown !== undefined) await writeReport(flags.markdown, printDriftMarkdown(report))
  return report.counts.warning + report.counts.error === 0 ? exitCodes.expected : exitCodes.finding
}

/** Drift in what lies there already: other cassettes, or recorded traffic. */
function comparedDrift({ subjects }: LoadedConfig, flags: DriftFlags): Promise<DriftReport> {
  const { traffic: directory, against: folder, only } = flags
  const progress = startProgress()
  const onProgress = progress.begin
  if (folder === undefined)
    return trafficDrift({ subjects, only, directory: directory ?? '', onProgress }).finally(progress.end)
  const mode = modeOf(flags.mode)
  return folderDrift({
    subjects: pickNamed(subjects, only, ({ name }) => name, 'subject'),
    scenarios: pickNamed(scenarios, flags.scenario, ({ id }) => id, 'scenario'),
    modes: mode === undefined ? ['generate', 'stream'] : [mode],
    folder,
    onProgress,
  }).finally(progress.end)
}

function checkFlags({ traffic, against, baseUrl, simulator, ...flags }: DriftFlags): void {
  checkSource({ baseUrl, simulator, ...flags })
  if (against !== undefined && (traffic !== undefined || baseUrl !== undefined || simulator))
    throw new HarnessError(
      'usage',
      '--against compares two sets of cassettes: leave out --traffic, --base-url and --simulator.',
    )
  if (traffic === undefined || (baseUrl === undefined && !simulator)) return
  throw new HarnessError('usage', '--traffic records nothing: leave out --base-url and --simulator.')
}

async function recordedDrift(config: LoadedConfig, flags: DriftFlags, interrupt: Interrupt): Promise<DriftReport> {
  const subjects = pickNamed(config.subjects, flags.only, ({ name }) => name, 'subject')
  const sources = sourcesOf(subjects, { ...flags, needsKey: true, named: flags.only.length > 0 })
  const chosen = pickNamed(scenarios, flags.scenario, ({ id }) => id, 'scenario')
  const mode = modeOf(flags.mode)
  const scratch = flags.out ?? mkdtempSync(join(tmpdir(), 'steploop-drift-'))
  const progress = startProgress({ quietMs: 0, everyMs: 0 })
  try {
    return await runDrift({
      sources,
      scenarios: chosen,
      modes: mode === undefined ? ['generate', 'stream'] : [mode],
      scratch,
      signal: interrupt.signal,
      onProgress: progress.begin,
    })
  } catch (error) {
    if (!CassetteError.isInstance(error)) throw error
    throw new HarnessError('unreadable-input', error.message, { cause: error })
  } finally {
    progress.end()
    interrupt.stop()
    if (flags.out === undefined) rmSync(scratch, { recursive: true, force: true })
  }
}
