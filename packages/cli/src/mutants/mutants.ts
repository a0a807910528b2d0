import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HarnessError } from '@steploop/conformance'
import {
  killMatrix,
  killMatrixFile,
  mutants as allMutants,
  mutantsReport,
  parseKillMatrix,
  prepareBaseline,
  printMutants,
  runMutants,
  type Baseline,
  type KillMatrix,
  type Mutant,
  type MutantOutcome,
} from '@steploop/conformance/cli'
import type { Command } from 'commander'
import { hasColours } from '../command/colours.ts'
import { knownFailuresOf, wholeNumber } from '../conformance/conformance.ts'
import { declaredFile } from '../auto-mutants/declared-mutants.ts'
import { answerMutants } from '../auto-mutants/judge-worker.ts'
import { runAuto, type AutoOptions } from '../auto-mutants/run-auto.ts'
import { exitCodes } from '../command/exit-codes.ts'
import { loadConfig } from '../config/load-config.ts'
import { answerMutantJobs, type MutantJob } from './mutant-worker.ts'
import { repeated } from '../command/options.ts'
import { runInPool } from '../processes/pool.ts'
import { startProgress } from '../command/progress.ts'
import { checkReportFiles, writeReport } from '../command/write-report.ts'

interface MutantsFlags {
  readonly only: readonly string[]
  readonly auto?: boolean | undefined
  readonly sample?: string | undefined
  readonly seed?: string | undefined
  readonly tests: readonly string[]
  readonly full?: boolean | undefined
  readonly complete?: boolean | undefined
  readonly json?: string | undefined
  readonly matrix?: string | undefined
  readonly processes?: string | undefined
}

/** `steploop mutants [CONFIG]`: adapters and loops broken on purpose; the suite has to notice each. */
export function registerMutants(program: Command): void {
  program
    .command('mutant-worker', { hidden: true })
    .description('one of the processes of a full run; takes its jobs from the process that started it')
    .action(answerMutantJobs)
  program
    .command('judge-worker', { hidden: true })
    .description('judges one mutant of --auto; takes its job from the process that started it')
    .action(answerMutants)
  program
    .command('mutants')
    .description('break adapters and the loop on purpose, one decision at a time, and show which check notices')
    .argument('[CONFIG]', 'config file; default: the nearest steploop.config.ts')
    .option(
      '--only <MUTANT>',
      'only this mutant; may be given again; with --auto a package or the beginning of ids',
      repeated,
      [],
    )
    .option(
      '--auto',
      'changes of the source that nobody chose, judged by the suite, recorded traffic and unit tests (hours)',
    )
    .option('--sample <N>', `with --auto: so many of each package; default ${defaultSample}`)
    .option('--seed <N>', 'with --auto: the same mutants for the same number; default 1')
    .option(
      '--tests <DIR>',
      'with --auto: unit tests that are not in the folder of the package; may be given again',
      repeated,
      [],
    )
    .option('--full', 'every mutant over every case; writes the matrix of kills (some minutes)')
    .option('--complete', 'red also for a mutant that the subjects of the config cannot show')
    .option('--processes <N>', 'how many work on a full run or with --auto; default: one per core')
    .option('--json <FILE>', 'write the outcome as JSON; - is stdout')
    .option('--matrix <FILE>', 'the matrix of kills; default: mutants.json beside the config, else that of the suite')
    .addHelpText('after', help)
    .action(async (config: string | undefined, flags: MutantsFlags) => {
      process.exitCode = await (flags.auto ? runAuto(autoOptions(config, flags)) : mutants(config, flags))
    })
}

const defaultSample = 20

function autoOptions(
  config: string | undefined,
  { only, sample, seed, processes, tests, json }: MutantsFlags,
): AutoOptions {
  return {
    config,
    only,
    tests,
    json,
    sample: sample === undefined ? defaultSample : wholeNumber('--sample', sample, 1),
    seed: seed === undefined ? 1 : wholeNumber('--seed', seed, 0),
    processes: processesOf(processes),
  }
}

const help = `
The quick run stops at the first case that notices a mutant, and takes from the matrix of the last full run which checks are idle.
One adapter per wire format is broken: the first of the config.

--auto draws small changes of the source of each package, in memory, and lists those that nobody notices, unless ${declaredFile} beside
the config declares them. It needs oxc-parser and vitest.

Exit codes: 0 every mutant is killed; 1 a mutant lives or breaks too much, a check is idle, or the matrix is stale; 2 wrong options;
70 the suite fails for adapters that are not broken; 130 interrupted.`

async function mutants(given: string | undefined, flags: MutantsFlags): Promise<number> {
  const started = performance.now()
  const chosen = choose(flags.only)
  processesOf(flags.processes)
  const { subjects, root, file } = await loadConfig(given)
  const files = matrixFiles(flags.matrix, root)
  const isWhole = flags.full === true && flags.only.length === 0
  const written = isWhole ? files.written : undefined
  await checkReportFiles({ '--json': flags.json, '--matrix': written })
  const progress = startProgress()
  const baseline = await prepareBaseline(subjects, {
    knownFailures: knownFailuresOf(root),
    onProgress: ({ done, total, address }) => progress.begin(done, total, `without a mutant: ${address}`),
  })
  progress.end()
  if (baseline.red.length > 0) return unsound(baseline)
  const level = flags.full ? 'full' : 'quick'
  const outcomes = await outcomesOf(chosen, baseline, { config: file, flags, level })
  const matrix = isWhole ? killMatrix(chosen, baseline, outcomes) : readMatrix(files.read)
  if (written !== undefined && matrix !== undefined)
    await writeReport(written, `${JSON.stringify(matrix, undefined, 2)}\n`)
  const report = mutantsReport({ level, mutants: allMutants, baseline, outcomes, matrix, complete: flags.complete })
  const durationMs = performance.now() - started
  if (![flags.json, written].includes('-'))
    process.stdout.write(`${printMutants(report, { colours: hasColours(), matrix, durationMs })}\n`)
  if (flags.json !== undefined) await writeReport(flags.json, `${JSON.stringify(report, undefined, 2)}\n`)
  return report.problems.length === 0 ? exitCodes.expected : exitCodes.finding
}

function choose(only: readonly string[]): readonly Mutant[] {
  const unknown = only.find((name) => !allMutants.some(({ id }) => id === name))
  if (unknown === undefined) return allMutants.filter(({ id }) => only.length === 0 || only.includes(id))
  const known = allMutants.map(({ id }) => id).join(', ')
  throw new HarnessError('usage', `There is no mutant '${unknown}'. There are: ${known}.`)
}

/** A suite that is red for correct adapters proves nothing by being red for broken ones. */
function unsound({ red }: Baseline): number {
  const more = red.length > 5 ? ` and ${red.length - 5} more` : ''
  console.error(
    `steploop: the suite is red without any mutant: ${red.slice(0, 5).join(', ')}${more}. Fix that first: \`steploop conformance\` says what is wrong.`,
  )
  return exitCodes.harness
}

interface Trial {
  readonly config: string
  readonly flags: MutantsFlags
  readonly level: 'quick' | 'full'
}

async function outcomesOf(
  chosen: readonly Mutant[],
  baseline: Baseline,
  { config, flags, level }: Trial,
): Promise<readonly MutantOutcome[]> {
  const progress = startProgress({ quietMs: 0 })
  let done = 0
  const outcomes =
    level === 'full' && flags.only.length === 0
      ? await runInPool<MutantJob, MutantOutcome>({
          command: 'mutant-worker',
          jobs: chosen.map(({ id }) => ({ config, subject: id })),
          processes: processesOf(flags.processes),
          onProgress: ({ address }) => progress.begin(done++, chosen.length, address),
        })
      : await runMutants(chosen, baseline, {
          level,
          onProgress: ({ done: tried, total, id }) => progress.begin(tried, total, id),
        })
  progress.end()
  return outcomes
}

function processesOf(given: string | undefined): number {
  if (given === undefined) return availableParallelism()
  if (/^[1-9]\d?$/.test(given)) return Number(given)
  throw new HarnessError('usage', `--processes '${given}' is not a number from 1 to 99.`)
}

interface MatrixFiles {
  readonly read: string
  readonly written: string
}

/** A suite that is installed is nobody's to write into: what a full run finds then stands beside the config. */
function matrixFiles(given: string | undefined, root: string): MatrixFiles {
  if (given !== undefined) return { read: given, written: given }
  const shipped = fileURLToPath(killMatrixFile)
  if (!shipped.split(sep).includes('node_modules')) return { read: shipped, written: shipped }
  const own = join(root, 'mutants.json')
  return { read: existsSync(own) ? own : shipped, written: own }
}

function readMatrix(file: string): KillMatrix | undefined {
  return existsSync(file) ? parseKillMatrix(readFileSync(file, 'utf8'), file) : undefined
}
