import { fork } from 'node:child_process'
import { once } from 'node:events'
import { measureAbort } from './abort.ts'
import { workloads } from './answers.ts'
import { contestants } from './contestants/index.ts'
import { measureDecoders } from './decoders.ts'
import { limits, measureImports, measureSizes, type Size } from './footprint.ts'
import { measureGrowth } from './growth.ts'
import { measureInputs, type InputCost } from './inputs.ts'
import { printRatio } from './measure.ts'
import { measureMemory } from './memory.ts'
import { measureParts } from './parts.ts'
import { benchOptions, type BenchOptions, type Topic } from './options.ts'
import { measureTelemetry, measureTelemetryGrowth, ways as telemetryWays } from './telemetry.ts'
import { compare, startRacer, type Racer, type Row } from './racer.ts'

const topics: Readonly<Record<Topic, (options: BenchOptions) => Promise<unknown>>> = {
  cpu,
  loopback,
  footprint,
  parts,
  memory,
  decoders,
  inputs,
  telemetry,
}

async function telemetry(options: BenchOptions): Promise<unknown> {
  const costs = await measureTelemetry(options.rounds, options.windowMs, options.only)
  print(options, 'CPU of a run with telemetry over one without [95 %]')
  for (const { workload, ratios } of costs) {
    const cells = telemetryWays.map((way) => `${way} ${printRatio(ratios[way])}`)
    print(options, `${workload.padEnd(4)}${cells.join('   ')}`)
  }
  const growth = await measureTelemetryGrowth()
  print(options, `heap after 10,000 runs, against the same without the policy: ${growth.toFixed(3)}x`)
  return { costs, growth }
}

async function main(options: BenchOptions): Promise<void> {
  const results = await topics[options.topic](options)
  if (options.json) console.log(JSON.stringify({ rounds: options.rounds, [options.topic]: results }, undefined, 2))
}

/** Runs the work with a process per contestant. */
async function race<Result>({ hasPeers }: BenchOptions, work: (racers: readonly Racer[]) => Promise<Result>) {
  const racers = contestants.slice(0, hasPeers ? undefined : 2).map(({ name }) => startRacer(name))
  try {
    return await work(racers)
  } finally {
    for (const { child } of racers) child.disconnect()
  }
}

function print({ json }: BenchOptions, line: string): void {
  if (!json) console.log(line)
}

function printRows(options: BenchOptions, title: string, rows: readonly Row[], unit = 'ms'): void {
  const cells = rows.map(
    ({ contestant, value, ratio }) => `${contestant} ${value.toPrecision(3)} ${unit} ${printRatio(ratio)}`,
  )
  print(options, `${title.padEnd(40)}${cells.join('   ')}`)
}

/** The workloads in turn. */
async function times(options: BenchOptions, racers: readonly Racer[], origin?: string) {
  const { rounds, windowMs, only } = options
  const results: Record<string, readonly Row[]> = {}
  for (const { id, title } of workloads.filter((one) => only.includes(one.id))) {
    // The first round warms up: as long as a server that has been running for a while.
    const rows = await compare(racers, rounds, (racer, round) =>
      racer.ask({ type: 'time', workload: id, windowMs: round < 0 ? windowMs * 10 : windowMs, origin }),
    )
    results[id] = rows
    printRows(options, `${id.padEnd(4)}${title}`, rows)
  }
  return results
}

function cpu(options: BenchOptions) {
  const { rounds } = options
  print(
    options,
    `CPU per run, network left out, median of ${rounds} interleaved rounds: ms, and ratio to the floor [95 %]`,
  )
  return race(options, async (racers) => {
    const results = await times(options, racers)
    const gapMs: Record<string, number> = {}
    for (const racer of racers) gapMs[racer.name] = await racer.ask({ type: 'gap', rounds: 50 })
    const growth = await measureGrowth(20)
    const abort = await measureAbort(rounds)
    const { earlyMs, lateMs, factor } = growth
    const cells = Object.entries(gapMs).map(([name, ms]) => `${name} ${(ms * 1000).toFixed(0)} us`)
    print(
      options,
      `last byte of a streamed turn to the next request, tool included (median): ${cells.join('   ')}
cost per step of one conversation of 400 steps, body bytes not read: step 10-30 ${earlyMs.toFixed(4)} ms, step 380-400 ${lateMs.toFixed(4)} ms, ${factor.toFixed(2)}x
an abort over loopback ends the run (median): in a stream that hangs ${abort.inStreamMs.toFixed(1)} ms, in a tool that never returns ${abort.inToolMs.toFixed(1)} ms`,
    )
    return { results, gapMs, growth, abort }
  })
}

async function loopback(options: BenchOptions) {
  const server = fork(new URL('answer-server.ts', import.meta.url))
  try {
    const [origin] = (await once(server, 'message')) as [string]
    print(
      options,
      `wall time per run over HTTP on loopback, the server in another process: ms, and ratio to the floor [95 %]`,
    )
    return await race(options, (racers) => times(options, racers, origin))
  } finally {
    server.disconnect()
  }
}

async function footprint(options: BenchOptions) {
  const { rounds, hasPeers } = options
  print(options, 'cold import, CPU in a process of its own: ms, and ratio to the floor [95 %]')
  const cold = await measureImports(rounds, hasPeers)
  printRows(options, 'W8  import', cold)
  const sizes = await measureSizes(hasPeers)
  print(options, 'W9  bundle of a minimal program: bytes minified, and gzipped')
  for (const { title, bytes, gzip } of sizes) {
    print(options, `    ${title.padEnd(36)}${String(bytes).padStart(9)}${String(gzip).padStart(9)}`)
  }
  const own = sizes.filter(({ title }) => title === 'steploop' || title.startsWith('  + '))
  if (options.isChecked) check(cold[1]?.ratio.low ?? Number.NaN, own)
  return { cold, sizes }
}

async function parts(options: BenchOptions) {
  print(options, 'a minimal program without the modules that are for one thing: bytes less, gzipped')
  const prices = await measureParts()
  for (const { title, gzip } of prices) print(options, `    ${title.padEnd(76)}${String(gzip).padStart(6)}`)
  return prices
}

/** Nothing that depends on how busy the machine is: bytes, and a ratio of which the lower end counts. */
function check(importRatio: number, sizes: readonly Size[]): void {
  const gzip = sizes.find(({ title }) => title === 'steploop')?.gzip ?? Number.NaN
  const wide = sizes.find((size) => size.wide !== undefined)
  const findings = [
    ...(importRatio <= limits.importRatio
      ? []
      : [`a cold import costs ${importRatio.toFixed(1)} times the floor's, more than ${limits.importRatio}`]),
    ...(gzip <= limits.gzip ? [] : [`a minimal program has ${gzip} bytes, more than ${limits.gzip}`]),
    ...(wide === undefined ? [] : [`${wide.title}: ${wide.wide} makes the whole program two bytes a character`]),
  ]
  for (const finding of findings)
    console.error(`${finding}: find out what came in, or raise the limit in bench/footprint.ts`)
  if (findings.length > 0) process.exitCode = 1
}

async function memory(options: BenchOptions) {
  const { rounds, only } = options
  const results: Record<string, readonly Row[]> = {}
  print(options, 'growth of a process in its first run, at its peak: MB, and ratio to the floor [95 %]')
  for (const { id, title } of workloads.filter((one) => ['W5', 'W7'].includes(one.id) && only.includes(one.id))) {
    const names = contestants.slice(0, options.hasPeers ? undefined : 2)
    const rows = await compare(
      names,
      rounds,
      async ({ name }) => {
        const racer = startRacer(name)
        try {
          return await racer.ask({ type: 'memory', workload: id })
        } finally {
          racer.child.disconnect()
        }
      },
      0,
    )
    results[id] = rows
    printRows(options, `${id.padEnd(4)}${title}`, rows, 'MB')
  }
  const kept = await measureMemory()
  print(
    options,
    `what a step of one conversation keeps: ${kept.earlyStepKb.toFixed(2)} kB in the first 100 steps, ${kept.lateStepKb.toFixed(2)} kB in the last 100 of 1,000
a reader that stops after 10 deltas: ${kept.chunksAhead} chunks were taken from the network`,
  )
  return { results, kept }
}

async function decoders(options: BenchOptions) {
  const results = await measureDecoders(options.rounds, 256)
  print(
    options,
    'recorded streams in chunks of 256 bytes, from bytes to events: MB for each second of CPU, and CPU to that of parsing alone [95 %]',
  )
  for (const { name, streams, speed, ratio } of results) {
    print(
      options,
      `    ${name.padEnd(20)}${String(streams).padStart(4)} streams${speed.toFixed(1).padStart(9)} MB/s   ${printRatio(ratio)}`,
    )
  }
  return results
}

async function inputs(options: BenchOptions) {
  const costs = await measureInputs(options.rounds)
  print(
    options,
    `inputs that are made to be slow: ms of CPU for 1/4, 1/2 and 1 MB, median of ${options.rounds}\n${costs.map(row).join('\n')}`,
  )
  return costs
}

function row({ title, ms, growth }: InputCost): string {
  const cells = ms.map((time) => time.toFixed(1).padStart(9)).join('')
  return `${title.padEnd(48)}${cells}   growth ${growth.toFixed(1)}${(ms.at(-1) ?? 0) > 100 ? '   over 100 ms' : ''}`
}

const asked = benchOptions(process.argv.slice(2))
if (asked !== undefined) await main(asked)
