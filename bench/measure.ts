import type { Workload } from './answers.ts'
import type { Contestant } from './contestants/contestant.ts'
import { scriptedFetch } from './scripted-fetch.ts'

/** Process CPU (user and system) of one run in milliseconds, over as many runs as fill `windowMs`. */
export async function cpuPerRun(contestant: Contestant, workload: Workload, windowMs: number): Promise<number> {
  const begin = process.cpuUsage()
  const end = performance.now() + windowMs
  let runs = 0
  do {
    await runOnce(contestant, workload)
    runs++
  } while (performance.now() < end)
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1000 / runs
}

export async function runOnce(contestant: Contestant, { answers, stream, concurrency }: Workload): Promise<void> {
  const maxSteps = Math.max(1, answers.length - 1)
  const one = (): Promise<void> =>
    contestant.run({ fetch: scriptedFetch(answers, { stream }), stream, maxSteps: maxSteps + 1 })
  await (concurrency === 1 ? one() : Promise.all(Array.from({ length: concurrency }, one)))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
