import { expect, test, vi } from 'vitest'
import { instantClock, stagedClock } from './staged-clock.ts'

test('a pause of no time at all is one, and no limit', async () => {
  const waits: number[] = []
  await new Promise<void>((resolve) => void stagedClock((ms) => waits.push(ms)).after(0, resolve))
  expect(waits).toEqual([0])
})

test('pauses are over at once, and what may be a limit takes its time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const waits: number[] = []
  const clock = instantClock((ms) => waits.push(ms))
  await new Promise<void>((resolve) => void clock.after(45_000, resolve))
  const over = vi.fn()
  clock.after(10_000, over)
  await vi.advanceTimersByTimeAsync(9_999)
  expect(over).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(over).toHaveBeenCalledOnce()
  expect(waits).toEqual([45_000])
  vi.useRealTimers()
})
