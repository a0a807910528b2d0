import type { Workload } from './answers.ts'
import type { Contestant } from './contestants/contestant.ts'
import { scriptedFetch } from './scripted-fetch.ts'

/** One program of a contestant per run that goes on at the same time, made once. */
export function programOf(contestant: Contestant, { answers, stream, concurrency }: Workload): () => Promise<unknown> {
  const maxSteps = Math.max(1, answers.length - 1) + 1
  const one = (): (() => Promise<void>) =>
    contestant.prepare({ fetch: scriptedFetch(answers, { stream }), stream, maxSteps })
  if (concurrency === 1) return one()
  const all = Array.from({ length: concurrency }, one)
  return () => Promise.all(all.map((run) => run()))
}

/** Process CPU (user and system) of one run in milliseconds, over as many runs as fill `windowMs`. */
export async function cpuPerRun(run: () => Promise<unknown>, windowMs: number): Promise<number> {
  const begin = process.cpuUsage()
  const end = performance.now() + windowMs
  let runs = 0
  do {
    await run()
    runs++
  } while (performance.now() < end)
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1000 / runs
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
