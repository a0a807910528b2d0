import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { simulatedWires, startSimulator } from '@steploop/conformance/simulator'
import { StepLoopError } from '@steploop/core'
import config from '../steploop.config.ts'
import { bundleDrivers, type Bundles } from './bundle.ts'
import { endChildren } from './child.ts'
import { judge } from './judge.ts'
import { MissingRuntime, type Runtime, type Session } from './runtime.ts'
import { runtimes } from './runtimes.ts'
import { printTable, type Cell } from './table.ts'
import { script } from './task.ts'

const help = `pnpm runtimes [--only RUNTIME] [--adapter NAME] [--json FILE] [--require-all]

Runs one task with every adapter in every runtime that this machine has, against a simulator on the loopback interface.

  --only RUNTIME  ${runtimes.map(({ name }) => name).join(', ')}; may be given again
  --adapter NAME  only this subject of steploop.config.ts; may be given again
  --json FILE     write the table as JSON; - is stdout, and the table then goes to stderr
  --require-all   a runtime that is not there is a failure too
  --help          this text

Exit codes: 0 all that is there works, 1 something failed, 2 wrong options.`

function parseFlags() {
  return parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      adapter: { type: 'string', multiple: true },
      json: { type: 'string' },
      'require-all': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values
}

process.once('exit', endChildren)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endChildren()
    process.kill(process.pid, signal)
  })
}

process.exitCode = await main().catch((error: unknown) => {
  // What is wrong with the options is said without a stack trace.
  if (!StepLoopError.isInstance(error) || error.code !== 'usage') throw error
  console.error(`${error.message}. See pnpm runtimes --help.`)
  return 2
})

async function main(): Promise<number> {
  const flags = usage(parseFlags)
  if (flags.help) {
    console.log(help)
    return 0
  }
  const chosen = choose(runtimes, flags.only, '--only')
  const targets = choose(config.subjects, flags.adapter, '--adapter').flatMap(({ name, wire, baseURL }) =>
    (['generate', 'stream'] as const).map((mode) => ({ adapter: name, wire, baseURL, mode })),
  )
  const bundles = await bundleDrivers()
  const cells: Cell[] = []
  for (const runtime of chosen) cells.push(...(await tryRuntime(runtime, targets, bundles)))
  const json = `${JSON.stringify({ cells }, undefined, 2)}\n`
  if (flags.json === '-') console.error(printTable(cells))
  else console.log(printTable(cells))
  if (flags.json === '-') process.stdout.write(json)
  else if (flags.json !== undefined) await writeFile(flags.json, json)
  const bad = flags['require-all'] ? ['failed', 'missing'] : ['failed']
  return cells.some(({ verdict }) => bad.includes(verdict)) ? 1 : 0
}

function usage<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    throw new StepLoopError('usage', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

interface Target {
  readonly adapter: string
  readonly wire: string
  readonly baseURL: string
  readonly mode: 'generate' | 'stream'
}

function choose<Named extends { readonly name: string }>(
  all: readonly Named[],
  names: readonly string[] | undefined,
  flag: string,
): readonly Named[] {
  const unknown = names?.find((name) => all.every((one) => one.name !== name))
  if (unknown === undefined) return names === undefined ? all : all.filter(({ name }) => names.includes(name))
  throw new StepLoopError('usage', `${flag} ${unknown} is not known. Known: ${all.map(({ name }) => name).join(', ')}`)
}

async function tryRuntime(runtime: Runtime, targets: readonly Target[], bundles: Bundles): Promise<readonly Cell[]> {
  const found: Cell[] = []
  let session: Session | undefined
  try {
    console.error(`${runtime.name}: starting`)
    session = await runtime.start(bundles)
    for (const target of targets) found.push(await tryTask(runtime, session, target))
    return found
  } catch (error) {
    const verdict = error instanceof MissingRuntime ? 'missing' : 'failed'
    const problem = `${runtime.name}: ${error instanceof Error ? error.message : String(error)}`
    return targets.map(({ adapter, mode }) => ({ runtime: runtime.name, adapter, mode, verdict, problem }))
  } finally {
    await session?.stop()
  }
}

async function tryTask(runtime: Runtime, session: Session, target: Target): Promise<Cell> {
  const { adapter, mode, wire, baseURL } = target
  const cell = { runtime: runtime.name, adapter, mode }
  if (simulatedWires.every((simulation) => simulation.wire !== wire)) {
    return { ...cell, verdict: 'missing', problem: `the simulator does not speak ${wire}` }
  }
  const simulator = await startSimulator({ wire, script, baseURL })
  let answer: unknown
  let problem: string
  try {
    answer = await session.drive({ adapter, mode, baseURL: simulator.url })
    problem = judge({ mode, answer, agent: runtime.agent, simulator })
  } catch (error) {
    problem = String(error)
  } finally {
    await simulator.close()
  }
  console.error(`${runtime.name}: ${adapter} ${mode} ${problem === '' ? 'ok' : 'failed'}`)
  return problem === '' ? { ...cell, verdict: 'ok', answer } : { ...cell, verdict: 'failed', problem, answer }
}
