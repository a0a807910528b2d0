import { invalid, printed } from './invalid-option.ts'
import type { Adapter, TurnContext, TurnEvent, TurnRequest } from '../contract/adapter.ts'
import { systemClock, type Clock } from '../contract/clock.ts'
import { AdapterError } from '../contract/errors.ts'
import { closeQuietly } from '../http/response-body.ts'
import type { Policy } from './loop-options.ts'

/**
 * The option `turnTimeout` as a policy: gives every request of a run at most `ms` milliseconds, from its beginning to the end of its answer; 0: no limit. What the reader of a
 * stream takes for what he has got does not count. A turn that takes longer fails as `timeout`, which is retried like other failures that
 * may pass. It is raced: an adapter that ignores its signal does not hold the loop. It comes last of the policies: the models of later ones, and of `next()` between steps, it does not see.
 *
 * Throws `LoopError` `invalid-options` for what is no number.
 */
export function limitTurnTime(ms: number): Policy {
  if (typeof ms !== 'number' || Number.isNaN(ms)) {
    throw invalid(`\`limitTurnTime\` got ${printed(ms)}. Give milliseconds, 0 for no limit.`)
  }
  return (options) => {
    if (ms <= 0) return options
    const clock = options.clock ?? systemClock
    const known = new WeakSet<Adapter>()
    const limited = (adapter: Adapter): Adapter => {
      // Asked for again, by an edit say, a limited adapter stays as it is.
      if (known.has(adapter)) return adapter
      const made = withLimit(adapter, ms, clock)
      known.add(made)
      return made
    }
    const { prepareStep, fallbacks } = options
    return {
      ...options,
      model: limited(options.model),
      ...(fallbacks && { fallbacks: fallbacks.map(limited) }),
      ...(prepareStep && {
        prepareStep: async (context) => {
          const edit = await prepareStep(context)
          return edit?.model === undefined ? edit : { ...edit, model: limited(edit.model) }
        },
      }),
    }
  }
}

function withLimit(adapter: Adapter, ms: number, clock: Clock): Adapter {
  const { provider, model, capabilities } = adapter
  return {
    provider,
    model,
    capabilities,
    turn: (request, context) => limitedTurn({ adapter, request, context, ms, clock }),
  }
}

interface LimitedTurn {
  readonly adapter: Adapter
  readonly request: TurnRequest
  readonly context: TurnContext
  readonly ms: number
  readonly clock: Clock
}

async function* limitedTurn(limited: LimitedTurn): AsyncGenerator<readonly TurnEvent[], undefined> {
  const { adapter, request, context, ms, clock } = limited
  const { provider, model } = adapter
  const controller = new AbortController()
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => undefined)
  const end = (error: AdapterError, reason: unknown): void => {
    over.reject(error)
    controller.abort(reason)
  }
  const forward = (): void => end(new AdapterError({ provider, model, code: 'aborted' }), context.signal?.reason)
  if (context.signal?.aborted) forward()
  else context.signal?.addEventListener('abort', forward)
  const message = `the turn took longer than its limit of ${ms} ms`
  const watch = startWatch(clock, ms, () => {
    const error = new AdapterError({ provider, model, code: 'timeout', message })
    end(error, error)
  })
  let events: AsyncIterator<readonly TurnEvent[]> | undefined
  try {
    events = adapter.turn(request, { ...context, signal: controller.signal })[Symbol.asyncIterator]()
    for (;;) {
      const next = await Promise.race([over.promise, events.next()])
      if (next.done) return undefined
      watch.pause()
      yield next.value
      watch.resume()
    }
  } finally {
    watch.stop()
    context.signal?.removeEventListener('abort', forward)
    // Not awaited: what ignores its signal may ignore this too.
    closeQuietly(() => events?.return?.())
  }
}

interface Watch {
  pause(): void
  resume(): void
  stop(): void
}

/** Calls back after `ms`, pauses left out. One timer for many short pauses: when it rings, they are added. */
function startWatch(clock: Clock, ms: number, ring: () => void): Watch {
  let pausedAt: number | undefined
  /** Spent in pauses since the timer was set. */
  let paused = 0
  let cancel: (() => void) | undefined
  const endPause = (): boolean => {
    if (pausedAt === undefined) return false
    // A clock that is set back adds nothing.
    paused += Math.max(0, clock.now() - pausedAt)
    pausedAt = undefined
    return true
  }
  const set = (left: number): void => {
    paused = 0
    cancel = clock.after(left, () => {
      cancel = undefined
      // What is left when it rings in a pause begins with the end of the pause.
      if (endPause()) return
      if (paused > 0) set(paused)
      else ring()
    })
  }
  set(ms)
  return {
    pause() {
      pausedAt = clock.now()
    },
    resume() {
      endPause()
      if (cancel === undefined) set(paused)
    },
    stop: () => cancel?.(),
  }
}
