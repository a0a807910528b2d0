import { check } from './invalid-option.ts'
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
  check(typeof ms === 'number' && !Number.isNaN(ms), '`limitTurnTime`', ms, 'Give a number from 0.')
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
  const ring = (): void => {
    const error = new AdapterError({ provider, model, code: 'timeout', message })
    end(error, error)
  }
  let events: AsyncIterator<readonly TurnEvent[]> | undefined
  let since = clock.now()
  let cancel = clock.after(ms, ring)
  try {
    events = adapter.turn(request, { ...context, signal: controller.signal })[Symbol.asyncIterator]()
    for (let left = ms; ;) {
      const next = await Promise.race([over.promise, events.next()])
      if (next.done) return undefined
      cancel()
      // A clock that is set back gives no more time.
      left = Math.min(left, left - (clock.now() - since))
      yield next.value
      since = clock.now()
      // A stream may bring its batches faster than any timer rings.
      if (left < 0) ring()
      else cancel = clock.after(left, ring)
    }
  } finally {
    cancel()
    context.signal?.removeEventListener('abort', forward)
    // Not awaited: what ignores its signal may ignore this too.
    closeQuietly(() => events?.return?.())
  }
}
