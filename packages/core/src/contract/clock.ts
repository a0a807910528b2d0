/** Time, injectable so that tests need none. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    if (ms === Infinity) return () => undefined
    let timer: ReturnType<typeof setTimeout>
    const wait = (left: number): void => {
      timer = left > longest ? setTimeout(() => wait(left - longest), longest) : setTimeout(callback, left)
    }
    wait(ms)
    return () => clearTimeout(timer)
  },
}

/** Platforms keep the delay of a timer in 32 bits, and take a longer one for none at all. */
const longest = 2 ** 31 - 1
