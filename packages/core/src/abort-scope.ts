import type { Clock } from './clock.ts'

/**
 * The one abort of a run: the caller's signal, the total timeout, or the consumer leaving. It is raced, not requested:
 * `race` settles at once, whatever the awaited work does about the signal.
 */
export interface AbortScope {
  /** For adapters and tools. */
  readonly signal: AbortSignal
  readonly reason: AbortReason | undefined
  abort(reason: AbortReason): void
  /** The promise, or a rejection with `AbortReason` as soon as the scope is aborted. One at a time. */
  race<T>(promise: PromiseLike<T>): Promise<T>
  /** The run is over: timers and listeners are gone, and what is still busy learns that nobody waits for it any more. */
  close(): void
}

/** Why a run was stopped; the engine turns it into the `LoopError` of that code. */
export class AbortReason extends Error {
  readonly code: 'aborted' | 'timeout'

  constructor(code: 'aborted' | 'timeout', cause: unknown) {
    super(code, { cause })
    this.code = code
  }
}

export function createAbortScope(options: {
  readonly signal: AbortSignal | undefined
  readonly timeout: number | undefined
  readonly clock: Clock
  /** Called once, as soon as the scope is aborted. */
  readonly onAbort?: (() => void) | undefined
}): AbortScope {
  const { signal: outer, timeout, clock, onAbort } = options
  const controller = new AbortController()
  let reason: AbortReason | undefined
  let waiting: ((reason: AbortReason) => void) | undefined
  const abort = (why: AbortReason): void => {
    if (reason !== undefined) return
    reason = why
    waiting?.(why)
    controller.abort(why.cause)
    onAbort?.()
  }
  const onOuter = (): void => abort(new AbortReason('aborted', outer?.reason))
  if (outer?.aborted) onOuter()
  else outer?.addEventListener('abort', onOuter, { once: true })
  const cancelTimer =
    timeout === undefined || timeout <= 0
      ? undefined
      : clock.after(timeout, () => abort(new AbortReason('timeout', timeoutError(timeout))))
  return {
    signal: controller.signal,
    get reason() {
      return reason
    },
    abort,
    race(promise) {
      return new Promise((resolve, reject) => {
        if (reason !== undefined) reject(reason)
        waiting = reject
        promise.then(resolve, reject)
      })
    },
    close() {
      cancelTimer?.()
      outer?.removeEventListener('abort', onOuter)
      waiting = undefined
      if (reason === undefined) controller.abort(runOver)
    },
  }
}

/** One for all runs: an error with its stack costs more than a small run. */
const runOver = new Error('The run is over.')

function timeoutError(timeout: number): Error {
  const error = new Error(`The run took longer than its \`timeout\` of ${timeout} ms.`)
  error.name = 'TimeoutError'
  return error
}
