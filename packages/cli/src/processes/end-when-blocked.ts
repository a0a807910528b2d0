import { writeSync } from 'node:fs'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'

/** Says that a thread runs this file for `endWhenBlocked`. */
interface ThreadJob {
  /** Grows while the other thread gets to anything. */
  readonly beats: Int32Array
  /** Seconds of CPU: what loops without a pause uses them, also where other processes hold the cores. */
  readonly cpu: number
  /** Seconds by the clock, for what stands still. */
  readonly clock: number
}

let watcher: Worker | undefined

/**
 * Ends this process when code of others (an adapter, a simulator) lets nothing else happen for so many seconds of CPU, or by the clock, while
 * a case runs: a loop without a pause cannot be stopped, and nobody would ever be told. A thread of its own watches.
 */
export function endWhenBlocked(cpu = 60, clock = 300): void {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  setInterval(() => Atomics.add(beats, 0, 1), 250).unref()
  const job: ThreadJob = { beats, cpu, clock }
  watcher = new Worker(fileURLToPath(import.meta.url), { workerData: job })
  watcher.unref()
}

/** Says which case runs from now on, or that none does. */
export function watchForBlock(running: string | undefined): void {
  // A list of what is handed over, here nothing: threads have no origin.
  watcher?.postMessage(running, [])
}

/** Seconds of CPU that this process has used. */
function usedCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function watch({ beats, cpu, clock }: ThreadJob): void {
  let running: unknown
  let seen = -1
  let silent = 0
  let cpuBefore = 0
  const beginAnew = (): void => {
    silent = 0
    cpuBefore = usedCpu()
  }
  parentPort?.on('message', (address: unknown) => {
    running = address
    beginAnew()
  })
  setInterval(() => {
    const now = Atomics.load(beats, 0)
    if (now === seen && running !== undefined) silent += 1
    else beginAnew()
    seen = now
    const loops = usedCpu() - cpuBefore >= cpu
    if (silent === 0 || (silent < clock && !loops)) return
    const reason = loops
      ? 'the adapter, or the simulator of the subject, loops without a pause'
      : 'the adapter, or the simulator of the subject, waits in a call that lets nothing else run, or other programs leave this one no CPU'
    // In a thread `process.stderr` goes through the one that is blocked.
    writeSync(
      2,
      `steploop: ${String(running)} has been running for ${silent} s in which nothing else can run, so the process ends: ${reason}.\n`,
    )
    process.kill(process.pid, 'SIGKILL')
  }, 1_000)
}

const job: unknown = workerData
if (!isMainThread && typeof job === 'object' && job !== null && 'beats' in job) watch(job as ThreadJob)
