import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { measureAbort } from './abort.ts'
import { workloads } from './answers.ts'
import type { Question } from './contestant-process.ts'
import { contestants } from './contestants/index.ts'
import { measureGrowth } from './growth.ts'
import { median } from './measure.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '11' },
    window: { type: 'string', default: '150' },
    only: { type: 'string' },
    'no-peers': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const usage = `pnpm bench [--rounds 11] [--window 150] [--only W1,W5] [--no-peers] [--json]

Compares CPU per run with a hand-written floor and with peers: a process each, in interleaved rounds of --window milliseconds;
then the time from a last byte to the next request, the growth of the cost per step, and how fast an abort ends a run.
Trust ratios and their order, not milliseconds.`
const rounds = Number(flags.rounds)
const chosen = workloads.filter(({ id }) => flags.only === undefined || flags.only.split(',').includes(id))
const racing = contestants.slice(0, flags['no-peers'] ? 2 : undefined)
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
async function compare(workload: string) {
  const samples = racers.map((): { ms: number[]; ratio: number[] } => ({ ms: [], ratio: [] }))
  const windowMs = Number(flags.window)
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

async function main(): Promise<void> {
  const results: Record<string, Awaited<ReturnType<typeof compare>>> = {}
  if (!flags.json)
    console.log(`CPU per run, network left out, median of ${rounds} interleaved rounds (ms, and ratio to the floor)`)
  for (const workload of chosen) {
    const rows = (results[workload.id] = await compare(workload.id))
    if (flags.json) continue
    const cells = rows.map(
      ({ contestant, cpuMs, ratio }) => `${contestant} ${cpuMs.toPrecision(3)} (${ratio.toFixed(2)}x)`,
    )
    console.log(`${workload.id.padEnd(4)}${workload.title.padEnd(36)}${cells.join('   ')}`)
  }
  const gaps: Record<string, number> = {}
  for (const racer of racers) gaps[racer.name] = await racer.ask({ type: 'gap', rounds: 50 })
  const growth = await measureGrowth(20)
  const abort = await measureAbort(rounds)
  if (flags.json) console.log(JSON.stringify({ rounds, results, gapMs: gaps, growth, abort }, undefined, 2))
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

if (flags.help) console.log(usage)
else await main()
for (const { child } of racers) child.disconnect()
