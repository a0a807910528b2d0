import { turnOver } from '../../http/http-exchange.ts'
import type { Clock } from '../../contract/clock.ts'

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
  /** In place of a race, for what hands its ends to functions: what is called as soon as the scope is aborted. One at a time. */
  leaveBy(leave: ((reason: AbortReason) => void) | undefined): void
  /**
   * The run waits for its reader, until `wake`: the caller's signal, which may live as long as the process, does not keep it alive meanwhile.
   * A run that its reader has dropped is collected like any garbage, and its listener goes.
   */
  rest(): void
  wake(): void
  /** The end of the run is awaited, whether it is read on or not: it does not rest any more. */
  pin(): void
  /** Something was started that may go on when the run is over. */
  expectLeftovers(): void
  /** The run is over: timers and listeners are gone, and what may still be busy learns that it is not awaited any more. */
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
  readonly onAbort?: ((reason: AbortReason) => void) | undefined
}): AbortScope {
  const { signal: outer, timeout, clock, onAbort } = options
  const controller = new AbortController()
  let leftovers = false
  let pinned = false
  let entry: Abortable | undefined
  let waiting: ((reason: AbortReason) => void) | undefined
  const abort = (why: AbortReason): void => {
    if (scope.reason !== undefined) return
    scope.reason = why
    waiting?.(why)
    controller.abort(why.cause)
    onAbort?.(why)
  }
  const cancelTimer =
    timeout === undefined || timeout <= 0
      ? undefined
      : clock.after(timeout, () => abort(new AbortReason('timeout', timeoutError(timeout))))
  const scope: AbortScope & { reason: AbortReason | undefined } = {
    signal: controller.signal,
    // A plain field: an accessor of a literal is a new hidden class each time, and those outlive the run in the old generation.
    reason: undefined,
    abort,
    race: (promise) =>
      new Promise((resolve, reject) => {
        if (scope.reason !== undefined) reject(scope.reason)
        waiting = reject
        promise.then(resolve, reject)
      }),
    leaveBy: (called) => void (waiting = called),
    rest: () => hold(entry, pinned ? scope : undefined),
    wake: () => hold(entry, scope),
    pin() {
      pinned = true
      hold(entry, scope)
    },
    expectLeftovers() {
      leftovers = true
    },
    close() {
      cancelTimer?.()
      if (entry !== undefined && outer !== undefined) unlisten(outer, entry)
      waiting = undefined
      // Not for nothing: an abort costs as much as a small answer.
      if (leftovers && scope.reason === undefined) controller.abort(turnOver())
    },
  }
  if (outer?.aborted) abort(new AbortReason('aborted', outer.reason))
  else if (outer !== undefined) entry = listen(outer, scope)
  return scope
}

/** What the caller's signal holds of a scope: all of it, or a hint while the run rests. */
interface Abortable {
  readonly hint: { deref(): AbortScope | undefined }
  held: AbortScope | undefined
  /** The listener of the signal that it belongs to. */
  readonly listener: SharedListener
}

/** One listener for all runs with the same signal, which may be that of a whole server. */
interface SharedListener {
  readonly runs: Set<Abortable>
  handleEvent(): void
}

const listeners = new WeakMap<AbortSignal, SharedListener>()

/** Some edge runtimes have neither: there a run that was dropped is kept as long as its signal. */
const collectable = typeof WeakRef === 'function' && typeof FinalizationRegistry === 'function'
const forgotten = collectable ? new FinalizationRegistry<() => void>((remove) => remove()) : undefined

function hold(entry: Abortable | undefined, scope: AbortScope | undefined): void {
  if (entry !== undefined) entry.held = scope
}

/** Apart from the listener: closures of one function hold whatever one of them holds. */
function hintOf(scope: AbortScope): Abortable['hint'] {
  return collectable ? new WeakRef(scope) : { deref: () => scope }
}

function listen(outer: AbortSignal, scope: AbortScope): Abortable {
  const listener = listeners.get(outer) ?? createListener(outer)
  listeners.set(outer, listener)
  if (listener.runs.size === 0) outer.addEventListener('abort', listener)
  const entry: Abortable = { hint: hintOf(scope), held: scope, listener }
  listener.runs.add(entry)
  if (forgotten !== undefined) forgotten.register(scope, removal(outer, entry), entry)
  return entry
}

function createListener(outer: AbortSignal): SharedListener {
  const runs = new Set<Abortable>()
  return {
    runs,
    handleEvent() {
      for (const { held, hint } of runs) (held ?? hint.deref())?.abort(new AbortReason('aborted', outer.reason))
    },
  }
}

/** Makes what takes the entry out. It is kept until the scope is gone, so it must hold nothing of it. */
function removal(outer: AbortSignal, entry: Abortable): () => void {
  const [signal, own] = [new WeakRef(outer), new WeakRef(entry)]
  return () => {
    const [there, left] = [signal.deref(), own.deref()]
    if (there !== undefined && left !== undefined) leave(there, left)
  }
}

function leave(outer: AbortSignal, entry: Abortable): void {
  const { runs } = entry.listener
  runs.delete(entry)
  if (runs.size === 0) outer.removeEventListener('abort', entry.listener)
}

function unlisten(outer: AbortSignal, entry: Abortable): void {
  leave(outer, entry)
  forgotten?.unregister(entry)
}

function timeoutError(timeout: number): Error {
  const error = new Error(`The run took longer than its \`timeout\` of ${timeout} ms.`)
  error.name = 'TimeoutError'
  return error
}
