/**
 * Hands values from the engine to a consumer, one at a time: the engine goes on when the consumer asks for the next one, so nothing is
 * buffered and a slow reader slows the run down.
 */
export interface Channel<Value, Read, Reply = never> {
  /**
   * For the engine: `proceed` is called with the consumer's reply when it pulls again, and in its call. Where it asks the network, it gives
   * the promise of that answer, which is the consumer's as well: it has to be fulfilled with what `collect` gives then.
   */
  deliver(value: Value, proceed: (reply?: Reply) => unknown): void
  /** For the engine: what the consumer gets that has such a promise; `undefined` where it has none. */
  collect(): Read | Promise<Read> | undefined
  /** For the consumer, which asks one question at a time: what `read` made of the next value. */
  pull(reply?: Reply): Read | Promise<Read>
  /** For the engine: the consumer is not awaited any more. Values, later ones too, stay to be pulled. */
  release(): void
  /** Ends the channel, with a last value if given. Never waits. */
  close(last?: Value): void
}

type Wake<Read> = (made: Read | Promise<Read>) => void

/**
 * `read` makes of a value, or of `undefined` where there is none any more, what the consumer gets. It is no `then`, which would cost every
 * value another promise.
 */
export function createChannel<Value, Read, Reply = never>(
  read: (value: Value | undefined) => Read | Promise<Read>,
): Channel<Value, Read, Reply> {
  let ready: Value | undefined
  /** Delivered where one is ready already: after the release, or as the last. */
  const late: Value[] = []
  let closed = false
  let released = false
  let wake: Wake<Read> | undefined
  let proceed: ((reply?: Reply) => unknown) | undefined
  /** The consumer has a promise of the engine's. */
  let lent = false
  const keepWake = (resolve: Wake<Read>): void => void (wake = resolve)
  const hand = (value: Value): void => {
    const waiting = wake
    wake = undefined
    if (waiting !== undefined) waiting(read(value))
    else if (ready === undefined) ready = value
    else late.push(value)
  }
  const resume = (reply?: Reply): unknown => {
    const waiting = proceed
    proceed = undefined
    return waiting?.(reply)
  }
  const next = (): Read | Promise<Read> => {
    if (ready === undefined && !closed) return new Promise<Read>(keepWake)
    const value = ready
    ready = late.shift()
    return read(value)
  }
  return {
    deliver(value, goOn) {
      if (!closed) hand(value)
      if (closed || released) goOn()
      else proceed = goOn
    },
    collect() {
      if (!lent) return undefined
      lent = false
      return next()
    },
    pull(reply) {
      const asked = ready === undefined ? resume(reply) : undefined
      if (!(asked instanceof Promise)) return next()
      lent = true
      return asked as Promise<Read>
    },
    release() {
      released = true
      resume()
    },
    close(value) {
      closed = true
      if (value !== undefined) hand(value)
      else wake?.(read(undefined))
    },
  }
}
