import { flushCompileCache } from 'node:module'
import { HarnessError, type Report } from '@steploop/conformance'
import { mergeReports, partsOfSubject, type MergeOptions, type Progress } from '@steploop/conformance/cli'
import { startWorker, type WorkerProcess } from './worker-process.ts'
import type { WorkerOptions, WorkerOrder } from './worker-messages.ts'

type Share = Pick<WorkerOrder, 'subject' | 'options'>

interface WorkersOptions {
  readonly config: string
  /** In the order of the report. */
  readonly subjects: readonly string[]
  readonly processes: number
  /** How many there are. */
  readonly cases: number
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
 * @throws ProcessEnded when one of them ends too early, HarnessError `config` for a config that gives other cases there
 */
export async function runInWorkers(order: WorkersOptions): Promise<Report> {
  const started = performance.now()
  const shares = sharesOf(order)
  let done = 0
  const onProgress = ({ address }: Progress): void => order.onProgress({ done: done++, total: order.cases, address })
  const processes = Math.min(order.processes, shares.length)
  // What this process has compiled is there for the others.
  flushCompileCache()
  const workers: WorkerProcess<WorkerOrder, Report>[] = []
  const work = async (): Promise<Report[]> => {
    const worker = startWorker<WorkerOrder, Report>('conformance-worker')
    workers.push(worker)
    const reports: Report[] = []
    for (let share = shares.shift(); share !== undefined; share = shares.shift()) {
      reports.push(await worker.ask({ config: order.config, ...share }, onProgress))
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
function mergeShares(reports: readonly Report[], order: WorkersOptions): Report {
  const { subjects, merge, asked, options } = order
  const parts = reports.map((report) => ({ ...report, shard: undefined, planned: undefined, asked }))
  const merged = mergeReports(parts, { ...merge, subjects })
  refuseOther(merged, order)
  const { shard } = options
  const planned = reports.reduce((sum, report) => sum + (report.planned ?? 0), 0)
  return { ...merged, ...(shard !== undefined && { shard, planned }) }
}

/** A config may look at how its process was started; then nobody knows what the run was of. */
function refuseOther({ cases: found }: Report, { config, cases }: WorkersOptions): void {
  if (found.length === cases) return
  throw new HarnessError(
    'config',
    `The config file ${config} gives ${cases} cases here and ${found.length} in the processes that share them. Let it give the same everywhere, or run with --workers 1.`,
    { file: config },
  )
}

/** A shard of a run stays whole. */
function sharesOf({ subjects, options }: WorkersOptions): Share[] {
  if (options.shard !== undefined) return subjects.map((subject) => ({ subject, options }))
  const shards = Array.from({ length: partsOfSubject }, (_, part) => ({ index: part + 1, count: partsOfSubject }))
  return subjects.flatMap((subject) => shards.map((shard) => ({ subject, options: { ...options, shard } })))
}
