import {
  mergeReports,
  partsOfSubject,
  type ConformanceOptions,
  type MergeOptions,
  type Progress,
  type Report,
} from '@steploop/conformance'
import type { WorkerOrder } from './conformance-worker.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

type Share = Pick<WorkerOrder, 'subject' | 'options'>

/** Options that are data, so that they can go to another process. */
export type WorkerOptions = Omit<ConformanceOptions, 'only' | 'onProgress' | 'scenarios'>

interface WorkersOptions {
  readonly config: string
  /** In the order of the report. */
  readonly subjects: readonly string[]
  readonly processes: number
  readonly options: WorkerOptions
  readonly merge: MergeOptions
  /** What the report of the whole says of its options. */
  readonly asked: Report['asked']
  readonly onProgress: (progress: Progress) => void
}

/** How many processes the subjects can be shared among. */
export function mostProcesses(subjects: number, shard?: WorkerOptions['shard']): number {
  return shard === undefined ? subjects * partsOfSubject : subjects
}

/**
 * Runs the subjects in several processes, in parts that share nothing: what is found is the same as in one process. Ends every process that
 * it started, whatever happens.
 *
 * @throws ProcessEnded when one of them ends too early
 */
export async function runInWorkers(order: WorkersOptions): Promise<Report> {
  const started = performance.now()
  const shares = sharesOf(order)
  const progress = progressOfAll(shares.length, order.onProgress)
  const processes = Math.min(order.processes, shares.length)
  const workers: WorkerProcess[] = []
  const work = async (): Promise<Report[]> => {
    const worker = startWorker()
    workers.push(worker)
    const reports: Report[] = []
    for (let share = shares.shift(); share !== undefined; share = shares.shift()) {
      const asked = { config: order.config, ...share }
      reports.push(await worker.ask(asked, (one) => progress(asked, one)))
    }
    return reports
  }
  let isDone = false
  try {
    const parts = await Promise.all(Array.from({ length: processes }, work))
    isDone = true
    return { ...mergeShares(parts.flat(), order), durationMs: performance.now() - started }
  } finally {
    for (const worker of workers) worker.end(isDone ? 'SIGTERM' : 'SIGKILL')
  }
}

/** The shares are shards of their own; to the caller they are one run, or one shard of it. */
function mergeShares(reports: readonly Report[], { subjects, merge, asked, options }: WorkersOptions): Report {
  const parts = reports.map((report) => ({ ...report, shard: undefined, planned: undefined, asked }))
  const merged = mergeReports(parts, { ...merge, subjects })
  const { shard } = options
  const planned = reports.reduce((sum, report) => sum + (report.planned ?? 0), 0)
  return { ...merged, ...(shard !== undefined && { shard, planned }) }
}

/** A shard of a run stays whole. */
function sharesOf({ subjects, options }: WorkersOptions): Share[] {
  if (options.shard !== undefined) return subjects.map((subject) => ({ subject, options }))
  const shards = Array.from({ length: partsOfSubject }, (_, part) => ({ index: part + 1, count: partsOfSubject }))
  return subjects.flatMap((subject) => shards.map((shard) => ({ subject, options: { ...options, shard } })))
}

/** Counts the cases of all shares; how many there are is known when each has begun. */
function progressOfAll(
  shares: number,
  onProgress: (progress: Progress) => void,
): (share: WorkerOrder, progress: Progress) => void {
  const known = new Map<WorkerOrder, { done: number; total: number }>()
  return (share, { done, total, address }) => {
    known.set(share, { done: done + 1, total })
    const all = [...known.values()]
    const begun = all.reduce((sum, one) => sum + one.total, 0)
    onProgress({
      done: all.reduce((sum, one) => sum + one.done, 0),
      // Those that have not begun count like the average of the others.
      total: Math.round((begun / all.length) * shares),
      address,
    })
  }
}
