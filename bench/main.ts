import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { measureAbort } from './abort.ts'
import { workloads } from './answers.ts'
import type { Question } from './contestant-process.ts'
import { contestants } from './contestants/index.ts'
import { measureGrowth } from './growth.ts'
import { measureInputs, type InputCost } from './inputs.ts'
import { median } from './measure.ts'
import { benchOptions, type BenchOptions } from './options.ts'

const asked = benchOptions(process.argv.slice(2))
const racing = asked === undefined || asked.hasOnlyInputs ? [] : contestants.slice(0, asked.hasPeers ? undefined : 2)
const racers = racing.map(({ name }) => startRacer(name))

interface Racer {
  readonly name: string
  readonly child: ChildProcess
  ask(question: Question): Promise<number>
}

function startRacer(name: string): Racer {
  const child = fork(new URL('contestant-process.ts', import.meta.url), [name])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The process of ${name} ended with code ${String(code)}.`)
  })
  ended.catch(() => undefined)
  return {
    name,
    child,
    async ask(question) {
      const answered = new Promise<number>((resolve) => {
        child.once('message', (ms) => resolve(Number(ms)))
      })
      child.send(question)
      return Promise.race([answered, ended])
    },
  }
}

/** Rounds are interleaved: a contestant is compared with the floor of the same round. */
async function compare(workload: string, { rounds, windowMs }: BenchOptions) {
  const samples = racers.map((): { ms: number[]; ratio: number[] } => ({ ms: [], ratio: [] }))
  // The first round warms up: as long as a server that has been running for a while.
  for (let round = 0; round <= rounds; round++) {
    let floorMs = Number.NaN
    for (const [index, racer] of racers.entries()) {
      const ms = await racer.ask({ type: 'cpu', workload, windowMs: round === 0 ? windowMs * 10 : windowMs })
      if (index === 0) floorMs = ms
      if (round === 0) continue
      samples[index]?.ms.push(ms)
      samples[index]?.ratio.push(ms / floorMs)
    }
  }
  return samples.map(({ ms, ratio }, index) => ({
    contestant: racers[index]?.name ?? '',
    cpuMs: median(ms),
    ratio: median(ratio),
  }))
}

async function main(options: BenchOptions): Promise<void> {
  const { rounds, only, json } = options
  const chosen = workloads.filter(({ id }) => only.includes(id))
  const results: Record<string, Awaited<ReturnType<typeof compare>>> = {}
  if (!json)
    console.log(`CPU per run, network left out, median of ${rounds} interleaved rounds (ms, and ratio to the floor)`)
  for (const workload of chosen) {
    const rows = (results[workload.id] = await compare(workload.id, options))
    if (json) continue
    const cells = rows.map(
      ({ contestant, cpuMs, ratio }) => `${contestant} ${cpuMs.toPrecision(3)} (${ratio.toFixed(2)}x)`,
    )
    console.log(`${workload.id.padEnd(4)}${workload.title.padEnd(36)}${cells.join('   ')}`)
  }
  const gaps: Record<string, number> = {}
  for (const racer of racers) gaps[racer.name] = await racer.ask({ type: 'gap', rounds: 50 })
  const growth = await measureGrowth(20)
  const abort = await measureAbort(rounds)
  if (json) console.log(JSON.stringify({ rounds, results, gapMs: gaps, growth, abort }, undefined, 2))
  else {
    const { earlyMs, lateMs, factor } = growth
    const cells = Object.entries(gaps).map(([name, ms]) => `${name} ${(ms * 1000).toFixed(0)} us`)
    console.log(`last byte of a streamed turn to the next request, tool included (median): ${cells.join('   ')}`)
    console.log(
      `cost per step of one conversation of 400 steps, body bytes not read: step 10-30 ${earlyMs.toFixed(4)} ms, step 380-400 ${lateMs.toFixed(4)} ms, ${factor.toFixed(2)}x`,
    )
    console.log(
      `an abort over loopback ends the run (median): in a stream that hangs ${abort.inStreamMs.toFixed(1)} ms, in a tool that never returns ${abort.inToolMs.toFixed(1)} ms`,
    )
  }
}

async function inputs({ rounds, json }: BenchOptions): Promise<void> {
  const costs = await measureInputs(rounds)
  if (json) console.log(JSON.stringify({ rounds, inputs: costs }, undefined, 2))
  else
    console.log(
      `inputs that are made to be slow: ms of CPU for 1/4, 1/2 and 1 MB, median of ${rounds}\n${costs.map(row).join('\n')}`,
    )
}

function row({ title, ms, growth }: InputCost): string {
  const cells = ms.map((time) => time.toFixed(1).padStart(9)).join('')
  return `${title.padEnd(48)}${cells}   growth ${growth.toFixed(1)}${(ms.at(-1) ?? 0) > 100 ? '   over 100 ms' : ''}`
}

if (asked?.hasOnlyInputs) await inputs(asked)
else if (asked !== undefined) await main(asked)
for (const { child } of racers) child.disconnect()
