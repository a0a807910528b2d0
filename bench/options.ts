import { parseArgs } from 'node:util'
import { workloads } from './answers.ts'

export interface BenchOptions {
  readonly rounds: number
  /** How long each contestant is measured in a round, in milliseconds. */
  readonly windowMs: number
  /** Ids of workloads. */
  readonly only: readonly string[]
  readonly hasPeers: boolean
  /** Measures nothing but how long inputs that are made to be slow take. */
  readonly hasOnlyInputs: boolean
  readonly json: boolean
}

const usage = `pnpm bench [--rounds 11] [--window 150] [--only W1,W5] [--no-peers] [--json]
       pnpm bench --inputs [--rounds 11] [--json]

Compares CPU per run with a hand-written floor and with peers: a process each, in interleaved rounds of --window milliseconds;
then the time from a last byte to the next request, the growth of the cost per step, and how fast an abort ends a run.
Trust ratios and their order, not milliseconds. With --inputs: how long inputs of up to 1 MB that are made to be slow hold the process, and
how that grows with their size (4 with the size, 16 with its square).

Exit codes: 0 measured, 2 wrong options.`

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
  const { values: flags } = parseArgs({
    args: [...words],
    options: {
      rounds: { type: 'string', default: '11' },
      window: { type: 'string', default: '150' },
      only: { type: 'string' },
      'no-peers': { type: 'boolean', default: false },
      inputs: { type: 'boolean', default: false },
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
    hasOnlyInputs: flags.inputs,
    json: flags.json,
  }
}

function countOf(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new RangeError(`${option} '${text}' is no whole number from 1 to 999999`)
}
