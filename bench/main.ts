import { parseArgs } from 'node:util'
import { workloads } from './answers.ts'
import { aiSdk } from './contestants/ai-sdk.ts'
import { floor } from './contestants/floor.ts'
import { openaiRunTools } from './contestants/openai-run-tools.ts'
import { steploop } from './contestants/steploop.ts'
import { measureGrowth } from './growth.ts'
import { cpuPerRun, median, programOf } from './measure.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '11' },
    window: { type: 'string', default: '150' },
    only: { type: 'string' },
    'no-peers': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)
const contestants = flags['no-peers'] ? [floor, steploop] : [floor, steploop, openaiRunTools, aiSdk]
const chosen = workloads.filter(({ id }) => flags.only === undefined || flags.only.split(',').includes(id))

/** Rounds are interleaved: a contestant is compared with the floor of the same round. */
async function compare(workload: (typeof workloads)[number]) {
  const samples = contestants.map((): { ms: number[]; ratio: number[] } => ({ ms: [], ratio: [] }))
  const programs = contestants.map((contestant) => programOf(contestant, workload))
  for (const run of programs) for (let warm = 0; warm < 5; warm++) await run()
  for (let round = 0; round < rounds; round++) {
    let floorMs = Number.NaN
    for (const [index, run] of programs.entries()) {
      const ms = await cpuPerRun(run, Number(flags.window))
      if (index === 0) floorMs = ms
      samples[index]?.ms.push(ms)
      samples[index]?.ratio.push(ms / floorMs)
    }
  }
  return samples.map(({ ms, ratio }, index) => ({
    contestant: contestants[index]?.name ?? '',
    cpuMs: median(ms),
    ratio: median(ratio),
  }))
}

const results: Record<string, Awaited<ReturnType<typeof compare>>> = {}
if (!flags.json)
  console.log(`CPU per run, in process, median of ${rounds} interleaved rounds (ms, and ratio to the floor)`)
for (const workload of chosen) {
  const rows = (results[workload.id] = await compare(workload))
  if (flags.json) continue
  const cells = rows.map(
    ({ contestant, cpuMs, ratio }) => `${contestant} ${cpuMs.toPrecision(3)} (${ratio.toFixed(2)}x)`,
  )
  console.log(`${workload.id.padEnd(4)}${workload.title.padEnd(36)}${cells.join('   ')}`)
}
const growth = await measureGrowth(20)
if (flags.json) console.log(JSON.stringify({ rounds, results, growth }, undefined, 2))
else {
  const { earlyMs, lateMs, factor } = growth
  console.log(
    `cost per step of one conversation of 400 steps, body bytes not read: step 10-30 ${earlyMs.toFixed(4)} ms, step 380-400 ${lateMs.toFixed(4)} ms, ${factor.toFixed(2)}x`,
  )
}
