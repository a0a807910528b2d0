import { parseArgs } from 'node:util'
import { workloads } from './answers.ts'

/** What is measured. */
export type Topic = 'cpu' | 'loopback' | 'footprint' | 'parts' | 'memory' | 'decoders' | 'inputs' | 'telemetry'

const topics: readonly Topic[] = ['cpu', 'loopback', 'footprint', 'parts', 'memory', 'decoders', 'inputs', 'telemetry']

export interface BenchOptions {
  readonly rounds: number
  /** How long each contestant is measured in a round, in milliseconds. */
  readonly windowMs: number
  /** Ids of workloads. */
  readonly only: readonly string[]
  readonly hasPeers: boolean
  readonly topic: Topic
  /** Whether size and import are within their limits; exit code 1 where not. */
  readonly isChecked: boolean
  readonly json: boolean
}

const usage = `pnpm bench [TOPIC] [--rounds 11] [--window 150] [--only W1,W5] [--no-peers] [--check] [--json]

Compares with a hand-written floor and with peers, a process each, in interleaved rounds. Trust ratios and their order, not milliseconds.

cpu        CPU per run without a network, in rounds of --window milliseconds; the time from a last byte to the next request, the growth
           of the cost per step, and how fast an abort ends a run. This is measured where no topic is given.
loopback   the same workloads by the clock, over HTTP, with the server in another process.
footprint  a cold import, and the size of a bundled program, of what \`pnpm build\` made. --check: exit 1 where a limit is passed.
parts      what the modules of a minimal program are for, and how much smaller it would be without them.
memory     how much a process grows, what a step of a long conversation keeps, and how far a run reads ahead of a slow reader.
decoders   how fast recorded streams are read.
inputs     how long inputs of up to 1 MB that are made to be slow hold the process, and how that grows with their size (4 with the size,
           16 with its square).
telemetry  what @steploop/otel costs, without an SDK and with one, and how the heap grows over 10,000 runs.

Exit codes: 0 measured, 1 over a limit, 2 wrong options.`

/** What the command line asks for; `undefined` where it asked for the help, or for what there is not: both are answered here. */
export function benchOptions(words: readonly string[]): BenchOptions | undefined {
  try {
    const options = parsed(words)
    if (options === undefined) console.log(usage)
    return options
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}. See pnpm bench --help.`)
    process.exitCode = 2
    return undefined
  }
}

function parsed(words: readonly string[]): BenchOptions | undefined {
  const { values: flags, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '11' },
      window: { type: 'string', default: '150' },
      only: { type: 'string' },
      'no-peers': { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (flags.help) return undefined
  const known = workloads.map(({ id }) => id)
  const only = flags.only?.split(',') ?? known
  const unknown = only.find((id) => !known.includes(id))
  if (unknown !== undefined) throw new RangeError(`There is no workload '${unknown}'. There are: ${known.join(', ')}`)
  return {
    rounds: countOf('--rounds', flags.rounds),
    windowMs: countOf('--window', flags.window),
    only,
    hasPeers: !flags['no-peers'],
    topic: topicOf(positionals),
    isChecked: flags.check,
    json: flags.json,
  }
}

function countOf(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new RangeError(`${option} '${text}' is no whole number from 1 to 999999`)
}

function topicOf([topic = 'cpu', ...more]: readonly string[]): Topic {
  const found = topics.find((one) => one === topic)
  if (found === undefined || more.length > 0) {
    throw new RangeError(`There is no topic '${[topic, ...more].join(' ')}'. There are: ${topics.join(', ')}`)
  }
  return found
}
