import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { simulatedWires, startSimulator } from '@steploop/conformance/simulator'
import config from '../steploop.config.ts'
import { bundleDrivers } from './bundle.ts'
import { endChildren } from './child.ts'
import { judge } from './judge.ts'
import { MissingRuntime, type Runtime, type Session } from './runtime.ts'
import { runtimes } from './runtimes.ts'
import { printTable, type Cell } from './table.ts'
import { script } from './task.ts'

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    adapter: { type: 'string', multiple: true },
    json: { type: 'string' },
    'require-all': { type: 'boolean', default: false },
  },
})

process.once('exit', endChildren)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endChildren()
    process.kill(process.pid, signal)
  })
}

const chosen = choose(runtimes, flags.only, '--only')
const places = choose(config.subjects, flags.adapter, '--adapter').flatMap(({ name, wire, baseURL }) =>
  (['generate', 'stream'] as const).map((mode) => ({ adapter: name, wire, baseURL, mode })),
)
const bundles = await bundleDrivers()
const cells: Cell[] = []
for (const runtime of chosen) cells.push(...(await tryRuntime(runtime)))
console.log(printTable(cells))
if (flags.json !== undefined) await writeFile(flags.json, `${JSON.stringify({ cells }, undefined, 2)}\n`)
const bad = flags['require-all'] ? ['failed', 'missing'] : ['failed']
process.exitCode = cells.some(({ verdict }) => bad.includes(verdict)) ? 1 : 0

function choose<Named extends { readonly name: string }>(
  all: readonly Named[],
  names: readonly string[] | undefined,
  flag: string,
): readonly Named[] {
  const unknown = names?.find((name) => all.every((one) => one.name !== name))
  if (unknown === undefined) return names === undefined ? all : all.filter(({ name }) => names.includes(name))
  throw new RangeError(`${flag} ${unknown} is not known. Known: ${all.map(({ name }) => name).join(', ')}.`)
}

async function tryRuntime(runtime: Runtime): Promise<readonly Cell[]> {
  const found: Cell[] = []
  let session: Session | undefined
  try {
    console.error(`${runtime.name}: starting`)
    session = await runtime.start(bundles)
    for (const place of places) found.push(await tryTask(runtime, session, place))
    return found
  } catch (error) {
    const verdict = error instanceof MissingRuntime ? 'missing' : 'failed'
    const problem = `${runtime.name}: ${error instanceof Error ? error.message : String(error)}`
    return places.map(({ adapter, mode }) => ({ runtime: runtime.name, adapter, mode, verdict, problem }))
  } finally {
    await session?.stop()
  }
}

async function tryTask(runtime: Runtime, session: Session, place: (typeof places)[number]): Promise<Cell> {
  const { adapter, mode, wire, baseURL } = place
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
