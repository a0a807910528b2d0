import { flushCompileCache } from 'node:module'
import type { CaseProgress } from '@steploop/conformance/cli'
import { startWorker, type WorkerProcess } from './worker-process.ts'

export interface PoolOptions<Job> {
  /** The hidden command of this program that answers the jobs. */
  readonly command: string
  readonly jobs: readonly Job[]
  readonly processes: number
  readonly onProgress: (progress: CaseProgress) => void
}

/** What a case leaves behind is mostly gone before it would be copied: a twentieth of the CPU time of a run. */
const nodeOptions = ['--min-semi-space-size=16', '--max-semi-space-size=64']

/**
 * Works through jobs with several processes of this program, each taking the next one. Ends every process that it started, whatever happens.
 *
 * @returns results in the order of the jobs
 * @throws ProcessEnded when one of them ends too early
 */
export async function runInPool<Job extends { readonly subject: string }, Result>(
  pool: PoolOptions<Job>,
): Promise<readonly Result[]> {
  // What this process has compiled is there for the others.
  flushCompileCache()
  const workers: WorkerProcess<Job, Result>[] = []
  let isDone = false
  try {
    const results = await inLanes(pool.jobs, pool.processes, (job, lane) => {
      workers[lane] ??= startWorker<Job, Result>(pool.command, { nodeOptions })
      return workers[lane].ask(job, pool.onProgress)
    })
    isDone = true
    return results
  } finally {
    for (const worker of workers) worker.end(isDone ? 'SIGTERM' : 'SIGKILL')
  }
}

/** Works through a list in several lanes, each item once. Gives the results in the order of the list. */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, lane: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const lane = async (_: unknown, number: number): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item, number)
  }
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane))
  return results
}
