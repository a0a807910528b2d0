import type { Clock } from '../contract/clock.ts'

export interface FakeClock extends Clock {
  /** Moves the time on and calls back what is due, in order. */
  advance(ms: number): void
  /** Timers that are neither due nor cancelled: 0 after a clean run. */
  readonly open: number
}

/** A clock that moves only when it is told, so that tests of timeouts and retries need no time. */
export function fakeClock(start = 0): FakeClock {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
  let now = start
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= end).toSorted((left, right) => left.at - right.at)[0]
        if (due === undefined) break
        timers.delete(due)
        now = Math.max(now, due.at)
        due.callback()
      }
      now = end
    },
    get open() {
      return timers.size
    },
  }
}
