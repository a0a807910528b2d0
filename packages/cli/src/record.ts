import { relative } from 'node:path'
import { CassetteError } from '@steploop/cassette'
import {
  HarnessError,
  recordScenario,
  scenarios,
  type RecordOptions,
  type RecordOutcome,
  type Scenario,
  type Subject,
} from '@steploop/conformance'
import type { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { loadConfig } from './load-config.ts'
import { modeOf, repeated } from './options.ts'

interface RecordFlags {
  readonly only: readonly string[]
  readonly scenario: readonly string[]
  readonly mode?: string | undefined
  readonly baseUrl?: string | undefined
  readonly simulated?: boolean | undefined
  readonly simulator?: boolean | undefined
  readonly date?: string | undefined
  readonly config?: string | undefined
}

/** `steploop record`: records the cassettes of subjects, from a provider, a local server, or the simulator. */
export function registerRecord(program: Command): void {
  program
    .command('record')
    .description('play scenarios against a server, check what came, and write the cassettes')
    .option('--only <SUBJECT>', 'only this subject; may be given again', repeated, [])
    .option('--scenario <ID>', 'only this scenario; may be given again', repeated, [])
    .option('--mode <MODE>', 'generate or stream; default: both')
    .option(
      '--base-url <URL>',
      "the server to record, standing for the subject's public base URL; default: that URL itself",
    )
    .option('--simulated', 'no real model answers at --base-url: the cassettes say so')
    .option('--simulator', 'record from a simulator in this process that plays the script of each scenario')
    .option('--date <YYYY-MM-DD>', 'day to write into the cassettes; default: today')
    .option('--config <FILE>', 'default: the nearest steploop.config.ts')
    .action(async (flags: RecordFlags) => {
      process.exitCode = await record(flags)
    })
}

async function record(flags: RecordFlags): Promise<number> {
  const config = await loadConfig(flags.config)
  const subjects = pick(config.subjects, flags.only, ({ name }) => name, 'subject')
  const chosen = pick(scenarios, flags.scenario, ({ id }) => id, 'scenario')
  const mode = modeOf(flags.mode)
  const modes = mode === undefined ? (['generate', 'stream'] as const) : [mode]
  checkFlags(flags)
  const counts = { written: 0, unchanged: 0, refused: 0, 'not-applicable': 0 }
  for (const subject of subjects) {
    const source = sourceOf(subject, flags)
    for (const scenario of chosen) {
      for (const one of modes) {
        counts[await recordOne({ subject, scenario, mode: one, date: flags.date, ...source })]++
      }
    }
  }
  const { written, unchanged, refused, 'not-applicable': others } = counts
  const note = others === 0 ? '' : `, ${others} not applicable`
  console.log(`${written} written, ${unchanged} unchanged, ${refused} refused${note}`)
  return refused === 0 ? exitCodes.expected : exitCodes.finding
}

async function recordOne(options: RecordOptions): Promise<RecordOutcome['status']> {
  const { subject, scenario, mode } = options
  const name = `${subject.name}/${scenario.id}/${mode}`
  try {
    const { path, status, problems } = await recordScenario(options)
    if (status === 'unchanged' || status === 'not-applicable') return status
    console.log(`${status} ${name} ${relative('.', path)}`)
    for (const problem of problems) console.error(`  ${problem.replaceAll('\n', '\n  ')}`)
    return status
  } catch (error) {
    if (!CassetteError.isInstance(error)) throw error
    console.error(`refused ${name}: ${error.message}`)
    return 'refused'
  }
}

function checkFlags({ simulator, simulated, baseUrl, date, only }: RecordFlags): void {
  if (simulated && baseUrl === undefined) {
    throw new HarnessError('usage', '--simulated says what answers at --base-url: give that, or leave it out.')
  }
  if (simulator && baseUrl !== undefined) {
    throw new HarnessError('usage', '--simulator and --base-url exclude each other: give one of them.')
  }
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    throw new HarnessError(
      'usage',
      `--base-url '${baseUrl}' is no URL. Write it with its scheme, for example http://127.0.0.1:8080/v1.`,
    )
  }
  if (date !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(date)) {
    throw new HarnessError('usage', `--date '${date}' is no day. Write it as YYYY-MM-DD.`)
  }
  if (simulator) return
  if (only.length !== 1) {
    throw new HarnessError(
      'usage',
      'Name one subject with --only: a recording talks to a real server, and one at a time.',
    )
  }
  if (process.env['CI'] !== undefined) {
    throw new HarnessError(
      'usage',
      'Under CI nothing is recorded, cassettes are replayed. Unset CI to record on purpose.',
    )
  }
}

function sourceOf(subject: Subject, flags: RecordFlags): Pick<RecordOptions, 'from' | 'apiKey'> {
  if (flags.simulator) return { from: 'simulator' }
  const { apiKeyVariable: variable } = subject
  const apiKey = variable === undefined ? undefined : process.env[variable]
  if (flags.baseUrl !== undefined) return { from: { baseURL: flags.baseUrl, simulated: flags.simulated }, apiKey }
  if (variable === undefined || apiKey) return { from: { baseURL: subject.baseURL }, apiKey }
  throw new HarnessError(
    'usage',
    `Set ${variable} to record '${subject.name}' live, or give --base-url or --simulator.`,
  )
}

function pick<Item extends Subject | Scenario>(
  items: readonly Item[],
  names: readonly string[],
  nameOf: (item: Item) => string,
  kind: string,
): readonly Item[] {
  const unknown = names.find((name) => !items.some((item) => nameOf(item) === name))
  if (unknown !== undefined) {
    throw new HarnessError('usage', `There is no ${kind} '${unknown}'. There are: ${items.map(nameOf).join(', ')}.`)
  }
  return names.length === 0 ? items : items.filter((item) => names.includes(nameOf(item)))
}
