import { systemClock, type Clock } from '@steploop/core/adapter'
import type { StagedClock } from '../scenario-tools.ts'

/** Limits of tools and runs are whole tens of seconds in every scenario; pauses before another attempt never are. */
const isLimit = (ms: number): boolean => ms > 0 && ms % 10_000 === 0

/** How long a whole answer is read on, and how long its connection may take to close: the provider is there, and time stands still. */
const ofConnections: ReadonlySet<number> = new Set([2000, 100])

const start = Date.UTC(2026, 0, 1)

/** `onWait` is told of each pause. */
export function stagedClock(onWait: (ms: number) => void): StagedClock {
  let now = start
  const timers = new Set<{ readonly due: number; readonly callback: () => void }>()
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { due: now + ms, callback }
      timers.add(timer)
      if (!isLimit(ms) && !ofConnections.has(ms)) {
        onWait(ms)
        setImmediate(() => {
          if (!timers.delete(timer)) return
          now = Math.max(now, timer.due)
          callback()
        })
      }
      return () => timers.delete(timer)
    },
    elapse(ms) {
      now += ms
      for (const timer of timers) {
        if (timer.due > now) continue
        timers.delete(timer)
        timer.callback()
      }
    },
  }
}

/** Pauses are over at once. What may be a limit as well as a long pause that a server asks for takes its time. */
export function instantClock(onWait: (ms: number) => void): Clock {
  const staged = stagedClock(onWait)
  return {
    now: () => staged.now(),
    after: (ms, callback) => (isLimit(ms) ? systemClock : staged).after(ms, callback),
  }
}
