import type { Workload } from './answers.ts'
import type { Contestant } from './contestants/contestant.ts'
import { scriptedFetch } from './scripted-fetch.ts'

/** One program of a contestant per run that goes on at the same time, made once. `fetchOf` makes the `fetch` of each. */
export function programOf(
  contestant: Contestant,
  { answers, stream, concurrency }: Workload,
  fetchOf: () => typeof fetch = () => scriptedFetch(answers, { stream }),
): () => Promise<unknown> {
  const maxSteps = Math.max(1, answers.length - 1) + 1
  const one = (): (() => Promise<void>) => contestant.prepare({ fetch: fetchOf(), stream, maxSteps })
  if (concurrency === 1) return one()
  const all = Array.from({ length: concurrency }, one)
  return () => Promise.all(all.map((run) => run()))
}

/** CPU milliseconds of one run, of the process with all its threads, over as many runs as take `windowMs` of it: on a busy machine too. */
export async function cpuPerRun(run: () => Promise<unknown>, windowMs: number): Promise<number> {
  const before = process.cpuUsage()
  let [runs, batch, cpu] = [0, 1, 0]
  while (cpu < windowMs) {
    for (let index = 0; index < batch; index++) await run()
    runs += batch
    const { user, system } = process.cpuUsage(before)
    cpu = (user + system) / 1000
    // To ask for the time costs as much as a small run.
    batch = Math.max(1, Math.min(batch * 2, Math.floor(((windowMs - cpu) / cpu) * runs)))
  }
  return cpu / runs
}

/** Milliseconds of one run by the clock. */
export async function wallPerRun(run: () => Promise<unknown>, windowMs: number): Promise<number> {
  const begin = performance.now()
  let runs = 0
  do {
    await run()
    runs++
  } while (performance.now() < begin + windowMs)
  return (performance.now() - begin) / runs
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** A median, and between which two values it lies in 95 of 100 repetitions, whatever the values are distributed like. */
export interface Estimate {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** The bounds are two of the values, by the normal approximation of their ranks. */
export function estimate(values: readonly number[]): Estimate {
  const sorted = values.toSorted((left, right) => left - right)
  const { length } = sorted
  const spread = 0.98 * Math.sqrt(length)
  const low = sorted[Math.max(0, Math.floor(length / 2 - spread))] ?? Number.NaN
  const high = sorted[Math.min(length - 1, Math.ceil(length / 2 + spread))] ?? Number.NaN
  return { median: median(values), low, high }
}

export function printRatio({ median: ratio, low, high }: Estimate): string {
  return `${ratio.toFixed(2)}x [${low.toFixed(2)}-${high.toFixed(2)}]`
}
