import { HarnessError, scenarios } from '@steploop/conformance'
import type { Command } from 'commander'
import { knownFailuresOf } from '../conformance/conformance.ts'
import { exitCodes } from '../command/exit-codes.ts'
import { loadConfig } from '../config/load-config.ts'
import { modeOf, pickNamed, repeated } from '../command/options.ts'
import { planRecording, printPlan } from './record-plan.ts'
import { recordAll } from './record-all.ts'
import { addSourceOptions, checkSource, sourcesOf, type SourceFlags } from './record-source.ts'
import { printSummary } from './record-summary.ts'

interface RecordFlags extends SourceFlags {
  readonly only: readonly string[]
  readonly scenario: readonly string[]
  readonly mode?: string | undefined
  readonly missing?: boolean | undefined
  readonly maxRequests?: string | undefined
  readonly dryRun?: boolean | undefined
  readonly date?: string | undefined
  readonly config?: string | undefined
}

/** `steploop record`: records the cassettes of subjects, from a provider, a local server, or the simulator. */
export function registerRecord(program: Command): void {
  const command = program
    .command('record')
    .description('play scenarios against a server, check what came, and write the cassettes')
    .option('--only <SUBJECT>', 'only this subject; may be given again', repeated, [])
    .option('--scenario <ID>', 'only this scenario; may be given again', repeated, [])
    .option('--mode <MODE>', 'generate or stream; default: both')
    .option('--missing', 'only what has no cassette yet')
    .option('--max-requests <N>', 'stop before the case that could exceed it; no request beyond it is sent')
    .option('--dry-run', 'say what would be recorded, and how many requests that takes at least; needs no key')
    .option('--date <YYYY-MM-DD>', 'day to write into the cassettes; default: today')
    .option('--config <FILE>', 'default: the nearest steploop.config.ts')
  addSourceOptions(command)
    .addHelpText('after', help)
    .action(async (flags: RecordFlags) => {
      await record(flags)
    })
}

const help = `
Exit codes: 0 all was written, or is as it was; 1 something was refused or could not be reached; 2 wrong options, or a key that is not
set; 70 the harness itself failed; 130 interrupted: what is not named as written is as it was.`

async function record(flags: RecordFlags): Promise<void> {
  checkFlags(flags)
  const config = await loadConfig(flags.config)
  const subjects = pickNamed(config.subjects, flags.only, ({ name }) => name, 'subject')
  const chosen = pickNamed(scenarios, flags.scenario, ({ id }) => id, 'scenario')
  const isDry = flags.dryRun === true
  const sources = sourcesOf(subjects, { ...flags, needsKey: !isDry, named: flags.only.length > 0 })
  const mode = modeOf(flags.mode)
  const plan = planRecording(sources, chosen, {
    modes: mode === undefined ? ['generate', 'stream'] : [mode],
    missing: flags.missing === true,
  })
  if (isDry) {
    process.stdout.write(printPlan(plan, { maxRequests: limitOf(flags.maxRequests) }))
    process.exitCode = exitCodes.expected
    return
  }
  const outcome = await recordAll(plan, {
    date: flags.date,
    maxRequests: limitOf(flags.maxRequests),
    knownFailures: knownFailuresOf(config.root),
  })
  console.log(printSummary(outcome, plan))
  process.exitCode = outcome.exitCode
}

function checkFlags({ date, maxRequests, ...flags }: RecordFlags): void {
  limitOf(maxRequests)
  checkSource(flags)
  if (date !== undefined && !isDay(date)) {
    throw new HarnessError('usage', `--date '${date}' is no day. Write it as YYYY-MM-DD.`)
  }
  if (flags.simulator || flags.dryRun || process.env['CI'] === undefined) return
  throw new HarnessError(
    'usage',
    'Under CI nothing is recorded, cassettes are replayed. Unset CI to record on purpose.',
  )
}

function isDay(text: string): boolean {
  const day = new Date(text)
  // 30 February would be taken for 2 March.
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(day.valueOf()) && day.toISOString().startsWith(text)
}

function limitOf(maxRequests: string | undefined): number | undefined {
  if (maxRequests === undefined) return undefined
  if (/^\d+$/.test(maxRequests)) return Number(maxRequests)
  throw new HarnessError('usage', `--max-requests '${maxRequests}' is no count. Give a whole number, for example 50.`)
}
