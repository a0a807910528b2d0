import type { Adapter, TurnContext, TurnRequest } from '../adapter.ts'
import { systemClock, type Clock } from '../clock.ts'
import { AdapterError, LoopError } from '../errors.ts'
import type { TurnEvent } from '../events.ts'
import type { Policy } from '../loop-options.ts'

/**
 * Gives every request of a run at most `ms` milliseconds, from its beginning to the end of its answer; 0: no limit. A turn that takes
 * longer fails as `timeout`, which is retried like other failures that may pass. It is raced: an adapter that ignores its signal does
 * not hold the loop. It comes last of the policies: the models of later ones, and of `next()` between steps, it does not see.
 *
 * Throws `LoopError` `invalid-options` for what is no number.
 */
export function limitTurnTime(ms: number): Policy {
  if (typeof ms !== 'number' || Number.isNaN(ms)) {
    throw new LoopError('invalid-options', `\`limitTurnTime\` got ${String(ms)}. Give milliseconds, 0 for no limit.`)
  }
  return (options) => {
    if (ms <= 0) return options
    const clock = options.clock ?? systemClock
    const known = new Map<Adapter, Adapter>()
    const limited = (adapter: Adapter): Adapter => {
      const made = known.get(adapter) ?? withLimit(adapter, ms, clock)
      known.set(adapter, made)
      // Asked for again, by an edit say, a limited adapter stays as it is.
      known.set(made, made)
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
  else context.signal?.addEventListener('abort', forward, { once: true })
  const message = `the turn took longer than its limit of ${ms} ms`
  const cancel = clock.after(ms, () => {
    const error = new AdapterError({ provider, model, code: 'timeout', message })
    end(error, error)
  })
  let events: AsyncIterator<readonly TurnEvent[]> | undefined
  try {
    events = adapter.turn(request, { ...context, signal: controller.signal })[Symbol.asyncIterator]()
    for (;;) {
      const next = await Promise.race([over.promise, events.next()])
      if (next.done) return undefined
      yield next.value
    }
  } finally {
    cancel()
    context.signal?.removeEventListener('abort', forward)
    closeQuietly(events)
  }
}

/** Not awaited: what ignores its signal may ignore this too. */
function closeQuietly(events: AsyncIterator<readonly TurnEvent[]> | undefined): void {
  Promise.resolve()
    .then(() => events?.return?.())
    .catch(() => undefined)
}
