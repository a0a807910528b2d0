import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { HarnessError, parseKnownFailures, runConformance, type KnownFailure } from '@steploop/conformance'
import { askedOf, countCases, frontEndNames, type FrontEndName, type CaseProgress } from '@steploop/conformance/cli'
import type { Command } from 'commander'
import { noteCase } from '../processes/case-under-way.ts'
import { subjectsOf } from '../config/choose-subjects.ts'
import { answerConformanceJobs } from './conformance-worker.ts'
import { mostProcesses, runInWorkers } from './conformance-workers.ts'
import { foreignOutputToStderr } from '../processes/foreign-output.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { modeOf, repeated } from '../command/options.ts'
import { startProgress } from '../command/progress.ts'
import { reportCode, reportFiles, withReportFiles, type ReportFlags } from '../command/report-files.ts'
import { quoted, typedCommand } from '../command/typed-command.ts'
import type { WorkerOptions } from '../processes/worker-messages.ts'

interface ConformanceFlags extends ReportFlags {
  readonly only: readonly string[]
  readonly scenario: readonly string[]
  readonly mode?: string | undefined
  readonly frontEnd?: string | undefined
  readonly full?: boolean | undefined
  readonly stress: readonly string[]
  readonly shard?: string | undefined
  readonly seed?: string | undefined
  readonly workers?: string | undefined
  readonly claim?: string | undefined
  readonly recorded: readonly string[]
}

/** `steploop conformance [CONFIG]`: every subject of the config against every scenario. */
export function registerConformance(program: Command): void {
  program
    .command('conformance-worker', { hidden: true })
    .description('one of the processes of a run; takes its jobs from the process that started it')
    .action(answerConformanceJobs)
  const command = program
    .command('conformance')
    .description('replay the cassettes of each adapter, judge what the loop does behind it, and stress what passed')
    .argument('[CONFIG]', 'config file; default: the nearest steploop.config.ts')
    .option('--only <SUBJECT>', 'only this subject; may be given again', repeated, [])
    .option('--scenario <ID>', 'only this scenario; may be given again', repeated, [])
    .option('--mode <MODE>', 'generate or stream; default: both')
    .option(
      '--front-end <NAME>',
      `${frontEndNames.join(', ')}; default: msw and fetch, which have to agree, for streams, fetch for the rest`,
    )
    .option('--full', 'all front-ends for all cases, the loopback server too, and all that stressors can try')
    .option(
      '--stress <ID>',
      'only this stressor, or one variant of it, as in rechunk@2/120; may be given again',
      repeated,
      [],
    )
    .option('--shard <I/N>', 'part I of N of all cases; `steploop merge` makes one report of the parts')
    .option('--seed <N>', 'what stressors try at random is the same for the same number; default 1')
    .option(
      '--workers <N>',
      'processes that share the cases; default: as many as the machine has processors, 1 for few cases or a shard',
    )
  withReportFiles(command)
    .option(
      '--recorded <DIR>',
      'in place of the cassettes: the loop on the recorded conversations of a folder, as traffic reads it; may be given again; goes with --only and --json',
      repeated,
      [],
    )
    .option('--claim <FILE>', 'write what was run and found, for `steploop verify` to repeat; - is stdout')
    .addHelpText('after', help)
    .action(async (config: string | undefined, flags: ConformanceFlags) => {
      // Loaded only when it is asked for, as claims are: most runs need neither.
      const { recorded } = flags.recorded.length > 0 ? await import('../traffic/recorded.ts') : {}
      process.exitCode = await (recorded ?? conformance)(config, flags)
    })
}

const help = `
Exit codes: 0 all as expected; 1 a finding; 2 wrong options or unreadable input; 70 the suite itself failed;
130 interrupted.`

async function conformance(given: string | undefined, flags: ConformanceFlags): Promise<number> {
  const files = await reportFiles(flags)
  const config = await loadConfig(given)
  const progress = startCaseProgress()
  const options = optionsOf(config, given, flags)
  const chosen = subjectsOf(config, flags.only)
  const claim =
    flags.claim === undefined
      ? undefined
      : (await import('./claim.ts')).claimFile(flags.claim, {
          config,
          chosen,
          knownFailures: knownFailuresOf(config.root),
          flags,
        })
  const cases = await casesOf(config, chosen, options)
  const processes = workersOf({
    workers: flags.workers,
    // Parts of a run share the machines already.
    cases: options.shard === undefined ? cases : 0,
    most: mostProcesses(chosen.length, options.shard),
  })
  const report =
    processes === 1
      ? await foreignOutputToStderr(() =>
          runConformance(config.subjects, { ...options, only: chosen, onProgress: progress.onCase }),
        )
      : await runInWorkers({
          config: config.file,
          subjects: chosen,
          processes,
          cases,
          options,
          onProgress: progress.onCase,
          merge: { knownFailures: options.knownFailures, complete: options.shard === undefined },
          asked: askedOf(config.subjects, { ...options, only: chosen }),
        })
  progress.end()
  await files.write(report)
  await claim?.write(report)
  return reportCode(report)
}

/** A run that judges nothing is none that finds nothing. A shard may be empty. */
async function casesOf({ subjects }: LoadedConfig, chosen: readonly string[], options: WorkerOptions): Promise<number> {
  const count = await foreignOutputToStderr(() => Promise.resolve(countCases(subjects, { ...options, only: chosen })))
  const { scenario, mode, shard } = options
  if (count > 0 || shard !== undefined) return count
  const what = [...(scenario ?? ['any scenario']), ...(mode === undefined ? [] : [`mode ${mode}`])].join(', ')
  throw new HarnessError('usage', `No case of ${what} exists for ${chosen.join(', ')}, so nothing can be run.`)
}

function optionsOf(config: LoadedConfig, given: string | undefined, flags: ConformanceFlags): WorkerOptions {
  return {
    scenario: flags.scenario.length === 0 ? undefined : flags.scenario,
    mode: modeOf(flags.mode),
    frontEnds: frontEndsOf(flags),
    full: flags.full,
    stress: flags.stress.length === 0 ? undefined : flags.stress,
    shard: shardOf(flags.shard),
    seed: seedOf(flags.seed),
    knownFailures: knownFailuresOf(config.root),
    command: commandFor(given, flags),
    details: flags.html !== undefined || flags.details === true,
  }
}

/** Below this, starting a process takes longer than it saves. */
const fewCases = 100

interface Work {
  /** What the user asked for. */
  readonly workers: string | undefined
  readonly cases: number
  /** How many processes they can be shared among. */
  readonly most: number
}

/** How many processes a run is worth. */
export function workersOf({ workers, cases, most }: Work): number {
  if (workers !== undefined) return Math.min(wholeNumber('--workers', workers, 1), most)
  return cases < fewCases ? 1 : Math.min(availableParallelism(), most)
}

function seedOf(seed: string | undefined): number | undefined {
  return seed === undefined ? undefined : wholeNumber('--seed', seed, 0)
}

/** @throws HarnessError `usage` */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value
  throw new HarnessError('usage', `${name} '${text}' is no whole number from ${least}.`)
}

function frontEndsOf({ frontEnd, full }: ConformanceFlags): readonly FrontEndName[] | undefined {
  if (frontEnd === undefined) return full ? frontEndNames : undefined
  const known = frontEndNames.find((name) => name === frontEnd)
  if (known !== undefined) return [known]
  throw new HarnessError('usage', `There is no front-end '${frontEnd}'. There are: ${frontEndNames.join(', ')}.`)
}

function shardOf(shard: string | undefined): { readonly index: number; readonly count: number } | undefined {
  if (shard === undefined) return undefined
  const [index = 0, count = 0] = shard.split('/').map(Number)
  if (/^\d+\/\d+$/.test(shard) && index >= 1 && index <= count) return { index, count }
  throw new HarnessError('usage', `--shard '${shard}' is not I/N with I from 1 to N, for example 2/4.`)
}

const knownFailuresFile = 'known-failures.yaml'

/** The list beside the config; none when there is no file. */
export function knownFailuresOf(root: string): readonly KnownFailure[] {
  const file = join(root, knownFailuresFile)
  return existsSync(file) ? parseKnownFailures(readFileSync(file, 'utf8'), file) : []
}

/** What to type, so that a case can be repeated by copying the line. */
export function commandFor(
  config: string | undefined,
  { frontEnd }: { readonly frontEnd?: string | undefined },
): string {
  const words = [
    typedCommand('conformance', process.env),
    config && quoted(config),
    frontEnd === undefined ? undefined : `--front-end ${frontEnd}`,
  ]
  return words.filter((word) => word !== undefined).join(' ')
}

/** How far a run is; also what names the case in which this process ends. */
export function startCaseProgress(): { readonly onCase: (progress: CaseProgress) => void; readonly end: () => void } {
  const progress = startProgress({ quietMs: 0 })
  return {
    onCase({ done, total, address }) {
      noteCase(address)
      progress.begin(done, total, address)
    },
    end() {
      noteCase(undefined)
      progress.end()
    },
  }
}
