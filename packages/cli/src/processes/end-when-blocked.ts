import { writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'

/** Says that a thread runs this file for `endWhenBlocked`. */
interface ThreadJob {
  readonly shared: Shared
  /** Seconds of CPU: what loops without a pause uses them, also where other processes hold the cores. */
  readonly cpu: number
  /** Seconds by the clock, for what stands still. */
  readonly clock: number
}

/** What both threads see: a message for each case would wake the other one thousands of times. */
interface Shared {
  /** At `beats` what grows while the watched thread gets to anything, at `length` the bytes of `address`: 0 while no case runs. */
  readonly numbers: Int32Array
  readonly address: Uint8Array
}

const beats = 0
const length = 1

let shared: Shared | undefined

/**
 * Ends this process when code of others (an adapter, a simulator) lets nothing else happen for so many seconds of CPU, or by the clock, while
 * a case runs: a loop without a pause cannot be stopped, and nobody would ever be told. A thread of its own watches.
 */
export function endWhenBlocked(cpu = 60, clock = 300): void {
  const numbers = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  shared = { numbers, address: new Uint8Array(new SharedArrayBuffer(1024)) }
  setInterval(() => Atomics.add(numbers, beats, 1), 250).unref()
  const job: ThreadJob = { shared, cpu, clock }
  new Worker(fileURLToPath(import.meta.url), { workerData: job }).unref()
}

/** Says which case runs from now on, or that none does. */
export function watchForBlock(running = ''): void {
  if (shared === undefined) return
  const { numbers, address } = shared
  Atomics.store(numbers, length, new TextEncoder().encodeInto(running, address).written)
  Atomics.add(numbers, beats, 1)
}

/** Seconds of CPU that this process has used. */
function usedCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function watch({ shared: { numbers, address }, cpu, clock }: ThreadJob): void {
  let seen = -1
  let silent = 0
  let cpuBefore = 0
  setInterval(() => {
    const now = Atomics.load(numbers, beats)
    const written = Atomics.load(numbers, length)
    if (now === seen && written > 0) silent += 1
    else {
      silent = 0
      cpuBefore = usedCpu()
    }
    seen = now
    const loops = usedCpu() - cpuBefore >= cpu
    if (silent === 0 || (silent < clock && !loops)) return
    const reason = loops
      ? 'the adapter, or the simulator of the subject, loops without a pause'
      : 'the adapter, or the simulator of the subject, waits in a call that lets nothing else run, or other programs leave this one no CPU'
    // In a thread `process.stderr` goes through the one that is blocked.
    writeSync(
      2,
      `steploop: ${Buffer.from(address.subarray(0, written)).toString()} has been running for ${silent} s in which nothing else can run, so the process ends: ${reason}.\n`,
    )
    process.kill(process.pid, 'SIGKILL')
  }, 1_000)
}

const job: unknown = workerData
if (!isMainThread && typeof job === 'object' && job !== null && 'shared' in job) watch(job as ThreadJob)
