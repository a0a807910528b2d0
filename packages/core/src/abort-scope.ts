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
  /** Something was started that may go on when the run is over. */
  expectLeftovers(): void
  /** The run is over: timers and listeners are gone, and what may still be busy learns that nobody waits for it any more. */
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
  let leftovers = false
  let waiting: ((reason: AbortReason) => void) | undefined
  const abort = (why: AbortReason): void => {
    if (scope.reason !== undefined) return
    scope.reason = why
    waiting?.(why)
    controller.abort(why.cause)
    onAbort?.()
  }
  const onOuter = (): void => abort(new AbortReason('aborted', outer?.reason))
  const cancelTimer =
    timeout === undefined || timeout <= 0
      ? undefined
      : clock.after(timeout, () => abort(new AbortReason('timeout', timeoutError(timeout))))
  const scope = {
    signal: controller.signal,
    // A plain field: an accessor of a literal is a new hidden class each time, and those outlive the run in the old generation.
    reason: undefined as AbortReason | undefined,
    abort,
    race<T>(promise: PromiseLike<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        if (scope.reason !== undefined) reject(scope.reason)
        waiting = reject
        promise.then(resolve, reject)
      })
    },
    expectLeftovers() {
      leftovers = true
    },
    close() {
      cancelTimer?.()
      outer?.removeEventListener('abort', onOuter)
      waiting = undefined
      // Not for nothing: an abort costs as much as a small answer.
      if (leftovers && scope.reason === undefined) controller.abort(runOver)
    },
  }
  if (outer?.aborted) onOuter()
  else outer?.addEventListener('abort', onOuter, { once: true })
  return scope
}

/** One for all runs: an error with its stack costs more than a small run. */
const runOver = new Error('The run is over.')

function timeoutError(timeout: number): Error {
  const error = new Error(`The run took longer than its \`timeout\` of ${timeout} ms.`)
  error.name = 'TimeoutError'
  return error
}
