import { fork, type ChildProcess } from 'node:child_process'
import {
  HarnessError,
  mergeReports,
  runConformance,
  type ConformanceOptions,
  type MergeOptions,
  type Progress,
  type Report,
} from '@steploop/conformance'
import { divertOutput } from './foreign-output.ts'
import { loadConfig } from './load-config.ts'

/** What a worker process is asked for: one subject after the other. */
interface WorkerOrder {
  readonly config: string
  readonly subject: string
  readonly options: WorkerOptions
}

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

/**
 * Runs the subjects in several processes, each subject whole in one of them: what is found is the same as in one process. Ends every process
 * that it started, whatever happens.
 */
export async function runInWorkers(order: WorkersOptions): Promise<Report> {
  const started = performance.now()
  const waiting = [...order.subjects]
  const progress = progressOfAll(order)
  const children: ChildProcess[] = []
  const work = async (): Promise<Report[]> => {
    const child = fork(process.argv[1] ?? '', ['conformance-worker'])
    children.push(child)
    const reports: Report[] = []
    for (let subject = waiting.shift(); subject !== undefined; subject = waiting.shift()) {
      reports.push(await ask(child, { config: order.config, subject, options: order.options }, progress))
    }
    return reports
  }
  try {
    const processes = Math.min(order.processes, order.subjects.length)
    const parts = await Promise.all(Array.from({ length: processes }, work))
    const merged = mergeReports(parts.flat(), { ...order.merge, subjects: order.subjects })
    return { ...merged, durationMs: performance.now() - started }
  } finally {
    for (const child of children) child.kill()
  }
}

function ask(
  child: ChildProcess,
  order: WorkerOrder,
  onProgress: (subject: string, progress: Progress) => void,
): Promise<Report> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    const onMessage = (answer: WorkerAnswer): void => {
      if (answer.type === 'progress') return onProgress(order.subject, answer.progress)
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

/** Counts the cases of all subjects; how many there are is known when each has begun. */
function progressOfAll({ subjects, onProgress }: WorkersOptions): (subject: string, progress: Progress) => void {
  const known = new Map<string, { done: number; total: number }>()
  return (subject, { done, total, address }) => {
    known.set(subject, { done: done + 1, total })
    const all = [...known.values()]
    const begun = all.reduce((sum, one) => sum + one.total, 0)
    onProgress({
      done: all.reduce((sum, one) => sum + one.done, 0),
      // Those that have not begun count like the average of the others.
      total: Math.round((begun / all.length) * subjects.length),
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
