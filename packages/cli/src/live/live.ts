import { existsSync } from 'node:fs'
import { HarnessError, scenarios, type Subject } from '@steploop/conformance'
import type { Mode } from '@steploop/core'
import type { Command } from 'commander'
import { signsInColour } from '../command/colours.ts'
import { exitCodes } from '../command/exit-codes.ts'
import { loadConfig } from '../config/load-config.ts'
import { modeOf, pickNamed, repeated } from '../command/options.ts'
import { interruptedExitCode, listenForInterrupt } from '../record/record-interrupt.ts'
import { startProgress } from '../command/progress.ts'
import { checkReportFiles, writeReport } from '../command/write-report.ts'
import { defaultCache } from './servers/packages.ts'
import { liveError, NoServer } from './servers/live-error.ts'
import { isGood, printLive, type LiveReport } from './live-report.ts'
import { isPart, parts, type LiveJob, type Part } from './live-job.ts'
import { checkForeign, checkOwn } from './live-parts.ts'
import { findLlamaServer } from './servers/llama-server.ts'

interface LiveFlags {
  readonly only: readonly string[]
  readonly scenario: readonly string[]
  readonly mode?: string | undefined
  readonly out?: string | undefined
  readonly write?: boolean | undefined
  readonly baseUrl?: string | undefined
  readonly model?: string | undefined
  readonly runs: string
  readonly crashes: string
  readonly seed: string
  readonly cache: string
  readonly patience: string
  readonly config?: string | undefined
  readonly json?: string | undefined
}

/** `steploop live`: the suite against real servers that others wrote. */
export function registerLive(program: Command): void {
  program
    .command('live')
    .description(
      'play the scenarios through a real llama-server with weights that are made for it, break it, and fuzz it',
    )
    .argument(
      '[parts...]',
      `of ${['setup', ...parts].join(', ')}; default: all but setup, which the others include, and gateways`,
    )
    .option('--only <SUBJECT>', 'only this subject; may be given again', repeated, [])
    .option('--scenario <ID>', 'only this scenario; may be given again', repeated, [])
    .option('--mode <MODE>', 'generate or stream; default: both')
    .option('--out <DIR>', 'keep the recordings there, a folder for each subject; default: they are removed')
    .option('--write', "keep them in the subjects' own cassette folders")
    .option(
      '--base-url <URL>',
      'fuzz and faults alone, against a server that is up: Ollama, LM Studio, vLLM, a gateway',
    )
    .option('--model <NAME>', 'a model of the server at --base-url; default: that of the subject')
    .option('--runs <N>', 'runs of the fuzz, on each server', '120')
    .option('--crashes <N>', 'how often each server is killed and revived', '12')
    .option('--seed <N>', 'of weights and drawn options', '1')
    .option('--patience <SECONDS>', 'how long a server may take until it is ready', '120')
    .option('--cache <DIR>', 'where packages are unpacked', defaultCache())
    .option('--config <FILE>', 'default: live.config.ts here, else the nearest steploop.config.ts')
    .option('--json <FILE>', 'write the report as JSON; - is stdout')
    .addHelpText('after', help)
    .action(async (given: readonly string[], flags: LiveFlags) => {
      process.exitCode = await live(given, flags)
    })
}

const help = `
Debian's packages of the servers are unpacked into a folder of their own; nothing is installed. Elsewhere LLAMA_SERVER=/path/to/llama-server
names one. Servers listen on 127.0.0.1 only, and end with the command. Subjects are those of the config whose own address is this machine,
or those named with --only.

Exit codes: 0 all as expected, or no server can be had here, which is said; 1 something failed, was refused, or an invariant broke; 2 wrong
options, or a server that cannot be used; 70 the harness itself failed; 130 interrupted.`

async function live(given: readonly string[], flags: LiveFlags): Promise<number> {
  const chosen = partsOf(given, flags)
  await checkReportFiles({ '--json': flags.json })
  const say = (line: string): void => console.error(line)
  if (given.includes('setup')) return setup(flags.cache, say)
  const interrupt = listenForInterrupt()
  const progress = startProgress({ quietMs: 0, everyMs: 0 })
  const report: LiveReport = { servers: [], skipped: [], recorded: [], faults: [], atOnce: [], fuzz: [] }
  try {
    const job = await jobOf(flags, chosen, { report, signal: interrupt.signal, say, progress })
    if (job.foreign === undefined) await checkOwn(job)
    else await checkForeign(job, job.foreign)
  } catch (error) {
    throw isOfDisk(error)
      ? liveError(`${error.message}.`, 'Make room on that disk, or set TMPDIR or --cache to another one.')
      : error
  } finally {
    progress.end()
    interrupt.stop()
  }
  if (flags.json !== '-') process.stdout.write(signsInColour(printLive(report)))
  if (flags.json !== undefined) await writeReport(flags.json, `${JSON.stringify(withoutBytes(report), undefined, 2)}\n`)
  if (interrupt.signal.aborted) return interruptedExitCode
  return isGood(report) ? exitCodes.expected : exitCodes.finding
}

function isOfDisk(error: unknown): error is Error {
  const codes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES']
  return error instanceof Error && 'code' in error && codes.includes(error.code)
}

async function setup(cache: string, say: (line: string) => void): Promise<number> {
  try {
    const { version, command, leading } = await findLlamaServer(cache, say)
    console.log(`${version}: ${leading.at(-1) ?? command}`)
  } catch (error) {
    if (!(error instanceof NoServer)) throw error
    console.log(`skipped: ${error.message}`)
  }
  return exitCodes.expected
}

function partsOf(given: readonly string[], { baseUrl, out, write }: LiveFlags): readonly Part[] {
  const wrong = given.find((one) => one !== 'setup' && !isPart(one))
  if (wrong !== undefined)
    throw new HarnessError('usage', `There is no part '${wrong}'. There are: setup, ${parts.join(', ')}.`)
  const chosen = given.filter(isPart)
  if (out !== undefined && write === true) throw new HarnessError('usage', 'Give --out or --write, not both.')
  if (baseUrl === undefined) return chosen.length === 0 ? parts.filter((part) => part !== 'gateways') : chosen
  if (!URL.canParse(baseUrl))
    throw new HarnessError('usage', `--base-url '${baseUrl}' is no URL. Write it as http://127.0.0.1:8080.`)
  const scripted = chosen.find((part) => part !== 'fuzz' && part !== 'faults')
  if (scripted !== undefined)
    throw new HarnessError(
      'usage',
      `${scripted} needs weights of ours: leave --base-url out, or ask for fuzz or faults.`,
    )
  return chosen.length === 0 ? ['fuzz', 'faults'] : chosen
}

type Surroundings = Pick<LiveJob, 'report' | 'signal' | 'say' | 'progress'>

async function jobOf(flags: LiveFlags, chosen: readonly Part[], around: Surroundings): Promise<LiveJob> {
  const own = existsSync('live.config.ts') ? 'live.config.ts' : undefined
  const config = await loadConfig(flags.config ?? own)
  const named = pickNamed(config.subjects, flags.only, ({ name }) => name, 'subject')
  const subjects = flags.only.length > 0 ? named : named.filter(isOnThisMachine)
  if (subjects.length === 0) {
    throw liveError(
      `No subject of ${config.file} has an address on this machine.`,
      'Name one with --only: its adapter is then tried on a local server.',
    )
  }
  const mode = modeOf(flags.mode)
  const modes: readonly Mode[] = mode === undefined ? ['generate', 'stream'] : [mode]
  const foreign = flags.baseUrl === undefined ? undefined : { url: flags.baseUrl, model: flags.model }
  return {
    ...around,
    parts: chosen,
    subjects,
    scenarios: pickNamed(scenarios, flags.scenario, ({ id }) => id, 'scenario'),
    modes,
    foreign,
    target: targetOf(flags),
    runs: countOf('--runs', flags.runs),
    crashes: countOf('--crashes', flags.crashes),
    seed: countOf('--seed', flags.seed),
    cache: flags.cache,
    patience: countOf('--patience', flags.patience) * 1000,
  }
}

function targetOf({ out, write }: LiveFlags): LiveJob['target'] {
  if (write === true) return (subject) => subject.cassettes
  return out === undefined ? undefined : (subject) => `${out}/${subject.name}`
}

function isOnThisMachine({ baseURL }: Subject): boolean {
  return URL.canParse(baseURL) && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseURL).hostname)
}

function countOf(flag: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new HarnessError('usage', `${flag} '${text}' is no count. Give a whole number, for example 100.`)
}

/** Exchanges are told where something failed; in a report they would be most of it. */
function withoutBytes(report: LiveReport): object {
  return { ...report, recorded: report.recorded.map(({ exchange: _exchange, ...rest }) => rest) }
}
