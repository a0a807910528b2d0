import { fork, type ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  HarnessError,
  mergeReports,
  partsOfSubject,
  runConformance,
  type ConformanceOptions,
  type MergeOptions,
  type Progress,
  type Report,
} from '@steploop/conformance'
import { divertOutput } from './foreign-output.ts'
import { loadConfig } from './load-config.ts'

/** What a worker process is asked for, one after the other: a subject, or a part of one. */
interface WorkerOrder {
  readonly config: string
  readonly subject: string
  readonly options: WorkerOptions
}

type Share = Pick<WorkerOrder, 'subject' | 'options'>

/** Options that are data, so that they can go to another process. */
export type WorkerOptions = Omit<ConformanceOptions, 'only' | 'onProgress' | 'scenarios'>

type WorkerAnswer =
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'report'; readonly report: Report }
  | { readonly type: 'failed'; readonly message: string; readonly code: HarnessError['code'] | undefined }

interface WorkersOptions {
  readonly config: string
  /** In the order of the report. */
  readonly subjects: readonly string[]
  readonly processes: number
  readonly options: WorkerOptions
  readonly merge: MergeOptions
  readonly onProgress: (progress: Progress) => void
}

/** The program, as source or as built, whoever runs it. */
const program = fileURLToPath(new URL(`main${extname(import.meta.url)}`, import.meta.url))

/** How many processes the subjects can be shared among. */
export function mostProcesses(subjects: number, shard?: WorkerOptions['shard']): number {
  return shard === undefined ? subjects * partsOfSubject : subjects
}

/**
 * Runs the subjects in several processes, in parts that share nothing: what is found is the same as in one process. Ends every process that
 * it started, whatever happens.
 */
export async function runInWorkers(order: WorkersOptions): Promise<Report> {
  const started = performance.now()
  const shares = sharesOf(order)
  const progress = progressOfAll(shares.length, order.onProgress)
  const processes = Math.min(order.processes, shares.length)
  const children: ChildProcess[] = []
  const work = async (): Promise<Report[]> => {
    const child = fork(program, ['conformance-worker'])
    children.push(child)
    const reports: Report[] = []
    for (let share = shares.shift(); share !== undefined; share = shares.shift()) {
      const { shard: _, ...report } = await ask(child, { config: order.config, ...share }, progress)
      reports.push(report)
    }
    return reports
  }
  try {
    const parts = await Promise.all(Array.from({ length: processes }, work))
    const merged = mergeReports(parts.flat(), { ...order.merge, subjects: order.subjects })
    const { shard } = order.options
    return { ...merged, ...(shard !== undefined && { shard }), durationMs: performance.now() - started }
  } finally {
    for (const child of children) child.kill()
  }
}

/** A shard of a run stays whole. */
function sharesOf({ subjects, options }: WorkersOptions): Share[] {
  if (options.shard !== undefined) return subjects.map((subject) => ({ subject, options }))
  const shards = Array.from({ length: partsOfSubject }, (_, part) => ({ index: part + 1, count: partsOfSubject }))
  return subjects.flatMap((subject) => shards.map((shard) => ({ subject, options: { ...options, shard } })))
}

function ask(
  child: ChildProcess,
  order: WorkerOrder,
  onProgress: (share: WorkerOrder, progress: Progress) => void,
): Promise<Report> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    const onMessage = (answer: WorkerAnswer): void => {
      if (answer.type === 'progress') return onProgress(order, answer.progress)
      stop()
      if (answer.type === 'report') resolve(answer.report)
      else if (answer.code !== undefined) reject(new HarnessError(answer.code, answer.message))
      else reject(new Error(answer.message))
    }
    const onExit = (code: number | null, signal: string | null): void => {
      stop()
      reject(
        new Error(
          `the process that ran '${order.subject}' ended with ${signal ?? code}; run it alone with --workers 1`,
        ),
      )
    }
    child.on('message', onMessage)
    child.once('exit', onExit)
    child.send(order)
  })
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

/** The other side: runs the subjects that the parent names, until the parent ends this process or goes away. */
export function answerOrders(): void {
  divertOutput()
  process.on('message', (order: WorkerOrder) => {
    void answerOrder(order).then(send)
  })
  process.once('disconnect', () => process.exit())
  // Ctrl-C reaches every process of the run, and the parent ends this one with SIGTERM: it says so, not each of them.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit())
}

/** To a parent that may have gone away, which is no failure of this process. */
function send(answer: WorkerAnswer): void {
  process.send?.(answer, undefined, undefined, () => undefined)
}

async function answerOrder({ config, subject, options }: WorkerOrder): Promise<WorkerAnswer> {
  const onProgress = (progress: Progress): void => send({ type: 'progress', progress })
  try {
    const { subjects } = await loadConfig(config)
    return { type: 'report', report: await runConformance(subjects, { ...options, only: [subject], onProgress }) }
  } catch (error) {
    if (error instanceof HarnessError) return { type: 'failed', message: error.message, code: error.code }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { type: 'failed', message, code: undefined }
  }
}
