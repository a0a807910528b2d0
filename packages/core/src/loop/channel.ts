/**
 * Hands values from the engine to a consumer, one at a time: the engine goes on when the consumer asks for the next one, so nothing is
 * buffered and a slow reader slows the run down.
 */
export interface Channel<Value, Reply = never> {
  /** For the engine: resolves with the consumer's reply when it pulls again. */
  deliver(value: Value): Promise<Reply | undefined>
  /**
   * For the consumer: what `read` makes of the next value, or of `undefined` when there is none any more. A reader and not a `then`, which
   * would cost every value another promise.
   */
  pull<Read>(read: (value: Value | undefined) => Read | Promise<Read>, reply?: Reply): Promise<Read>
  /** For the engine: the consumer is not awaited any more. Values, later ones too, stay to be pulled. */
  release(): void
  /** Ends the channel, with a last value if given. Never waits. */
  close(last?: Value): void
}

export function createChannel<Value, Reply = never>(): Channel<Value, Reply> {
  let offered: Value | undefined
  let last: Value | undefined
  /** Delivered after the release. */
  const late: Value[] = []
  let closed = false
  let released = false
  let wake: ((value: Value | undefined) => void) | undefined
  let proceed: ((reply: Reply | undefined) => void) | undefined
  const hand = (value: Value | undefined): void => {
    const waiting = wake
    wake = undefined
    waiting?.(value)
  }
  return {
    deliver(value) {
      if (closed) return Promise.resolve(undefined)
      if (released) {
        if (wake === undefined) late.push(value)
        else hand(value)
        return Promise.resolve(undefined)
      }
      const replied = new Promise<Reply | undefined>((resolve) => {
        proceed = resolve
      })
      if (wake === undefined) offered = value
      else hand(value)
      return replied
    },
    pull(read, reply) {
      const ready = offered ?? late.shift()
      offered = undefined
      if (ready !== undefined) return Promise.resolve(read(ready))
      if (last !== undefined) {
        const value = last
        last = undefined
        return Promise.resolve(read(value))
      }
      if (closed) return Promise.resolve(read(undefined))
      return new Promise((resolve) => {
        wake = (value) => resolve(read(value))
        const resume = proceed
        proceed = undefined
        resume?.(reply)
      })
    },
    release() {
      released = true
      proceed?.(undefined)
      proceed = undefined
    },
    close(value) {
      closed = true
      if (wake === undefined) last = value
      else hand(value)
      proceed?.(undefined)
      proceed = undefined
    },
  }
}
