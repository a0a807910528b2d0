import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'

/** Says that a thread runs this file for `endWithParent`: tests run in threads too. */
interface ThreadJob {
  readonly endWithParent: number
}

const everyMs = 250

/**
 * Ends this process when the one that started it is gone, however that went and whatever this one is doing: a thread of its own watches, since
 * an adapter that loops without a pause lets nothing else happen. (Where parents are not told by the system, as on Windows, it sees nothing.)
 */
export function endWithParent(): void {
  const job: ThreadJob = { endWithParent: process.ppid }
  new Worker(fileURLToPath(import.meta.url), { workerData: job }).unref()
}

function watch(parent: number): void {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  }, everyMs)
}

const parent: unknown = Reflect.get(Object(workerData), 'endWithParent')
if (!isMainThread && typeof parent === 'number') watch(parent)
