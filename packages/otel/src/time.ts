/** Milliseconds from the epoch to the origin of `performance.now()`. */
let origin = Date.now() - performance.now()

/** A clock that was put right, or slept, by more than this makes a new origin; less would let spans slip out of their parents. */
const tolerated = 5

/**
 * The origin for the times of one run, and of runs within it: an SDK reads a clock of whole milliseconds for each span by itself, so that
 * some would begin before their parents.
 */
export function currentOrigin(): number {
  const now = Date.now() - performance.now()
  if (Math.abs(now - origin) > tolerated) origin = now
  return origin
}

export function secondsBetween(start: number, end: number): number {
  return Math.max(0, end - start) / 1000
}
