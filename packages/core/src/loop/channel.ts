/**
 * Hands values from the engine to a consumer, one at a time: the engine goes on when the consumer asks for the next one, so nothing is
 * buffered and a slow reader slows the run down.
 */
export interface Channel<Value, Read, Reply = never> {
  /**
   * For the engine: `proceed` is called with the consumer's reply when it pulls again, and in its call. No promise: what a delta leads to is
   * the next question to the network.
   */
  deliver(value: Value, proceed: (reply: Reply | undefined) => void): void
  /** For the consumer, which asks one question at a time: what `read` made of the next value. */
  pull(reply?: Reply): Promise<Read>
  /** For the engine: the consumer is not awaited any more. Values, later ones too, stay to be pulled. */
  release(): void
  /** Ends the channel, with a last value if given. Never waits. */
  close(last?: Value): void
}

/**
 * `read` makes of a value, or of `undefined` where there is none any more, what the consumer gets. It is no `then`, which would cost every
 * value another promise.
 */
export function createChannel<Value, Read, Reply = never>(
  read: (value: Value | undefined) => Read | Promise<Read>,
): Channel<Value, Read, Reply> {
  let offered: Value | undefined
  let last: Value | undefined
  /** Delivered after the release. */
  const late: Value[] = []
  let closed = false
  let released = false
  let wake: ((made: Read | Promise<Read>) => void) | undefined
  let proceed: ((reply: Reply | undefined) => void) | undefined
  const keepWake = (resolve: (made: Read | Promise<Read>) => void): void => {
    wake = resolve
  }
  const hand = (value: Value | undefined): void => {
    const waiting = wake
    wake = undefined
    waiting?.(read(value))
  }
  const resume = (reply?: Reply): void => {
    const waiting = proceed
    proceed = undefined
    waiting?.(reply)
  }
  return {
    deliver(value, goOn) {
      if (closed) {
        goOn(undefined)
        return
      }
      if (!released) proceed = goOn
      if (wake !== undefined) hand(value)
      else if (released) late.push(value)
      else offered = value
      if (released) goOn(undefined)
    },
    pull(reply) {
      const ready = offered ?? late.shift()
      offered = undefined
      if (ready !== undefined) return Promise.resolve(read(ready))
      if (last !== undefined) {
        const value = last
        last = undefined
        return Promise.resolve(read(value))
      }
      if (closed) return Promise.resolve(read(undefined))
      const asked = new Promise(keepWake)
      resume(reply)
      return asked
    },
    release() {
      released = true
      resume()
    },
    close(value) {
      closed = true
      if (wake === undefined) last = value
      else hand(value)
      resume()
    },
  }
}
