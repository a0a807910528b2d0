import { expect, test } from 'vitest'
import type { Clock } from '../contract/clock.ts'
import {
  createRunningTools,
  enter,
  inTime,
  leave,
  prolong,
  startTime,
  startTogether,
  stopTools,
  timedOut,
  timeLeft,
  type RunningTools,
  type ToolRun,
} from './running-tools.ts'
import { fakeClock } from '../testing/index.ts'

/** A tool that is waited for, and what became of waiting. */
function begin(tools: RunningTools, timeout: number) {
  const controller = new AbortController()
  const run: ToolRun = { controller, timeout, deadline: undefined, expire: () => void leave(tools, run) }
  enter(tools, run)
  startTime(run, tools)
  return { run, isOver: () => run.controller.signal.aborted }
}

test('tools side by side share one timer, and each ends when its own time is over', () => {
  const clock = fakeClock()
  const tools = createRunningTools(clock)
  const [slow, quick, middle] = [begin(tools, 300), begin(tools, 100), begin(tools, 200)]
  const over = (): readonly boolean[] => [slow, quick, middle].map(({ isOver }) => isOver())
  expect(clock.open).toBe(1)
  clock.advance(100)
  expect(over()).toEqual([false, true, false])
  clock.advance(99)
  expect(over()).toEqual([false, true, false])
  clock.advance(1)
  expect(over()).toEqual([false, true, true])
  clock.advance(100)
  expect(over()).toEqual([true, true, true])
  expect(clock.open).toBe(0)
})

test('a tool that began later has its whole time, although the timer rings for an earlier one', () => {
  const clock = fakeClock()
  const tools = createRunningTools(clock)
  const early = begin(tools, 100)
  clock.advance(60)
  const late = begin(tools, 100)
  clock.advance(40)
  expect([early.isOver(), late.isOver()]).toEqual([true, false])
  clock.advance(59)
  expect(late.isOver()).toBe(false)
  clock.advance(1)
  expect(late.isOver()).toBe(true)
})

test('tools that begin in one tick have their whole time from when the last of them has begun', () => {
  const clock = fakeClock()
  const tools = createRunningTools(clock)
  const begun: ReturnType<typeof begin>[] = []
  startTogether(tools, () => {
    begun.push(begin(tools, 100))
    clock.advance(60)
    begun.push(begin(tools, 0), begin(tools, 100))
  })
  const late = begin(tools, 50)
  const over = (): readonly boolean[] => [...begun, late].map(({ isOver }) => isOver())
  clock.advance(99)
  expect(over()).toEqual([false, false, false, true])
  clock.advance(1)
  expect(over()).toEqual([true, false, true, true])
})

test('a tool without a limit, and one whose reports prolong nothing, are not ended with another that is over', () => {
  const clock = fakeClock()
  const tools = createRunningTools(clock)
  const [endless, plain, quick, shortest] = [begin(tools, 0), begin(tools, 200), begin(tools, 100), begin(tools, 1)]
  prolong(plain.run, tools)
  clock.advance(1)
  expect(shortest.isOver()).toBe(true)
  clock.advance(99)
  expect([endless, plain, quick].map(({ isOver }) => isOver())).toEqual([false, false, true])
  clock.advance(100)
  expect([endless.isOver(), plain.isOver(), clock.open]).toEqual([false, true, 0])
  expect(plain.run.controller.signal.reason).toMatchObject({ name: 'TimeoutError', message: /200 ms/ })
})

test('what is waited for in time leaves no timer, and says how long it took, by a clock that is set back as well', async () => {
  const real = fakeClock(1_000_000)
  const shifts = [0]
  const clock: Clock = { ...real, now: () => real.now() - (shifts.at(-1) ?? 0) }
  const tools = createRunningTools(clock)
  expect(await inTime(Promise.resolve('at once'), 100, tools)).toEqual({ value: 'at once', ms: 0 })
  const late = inTime(new Promise(() => undefined), 100, tools)
  real.advance(100)
  expect(await late).toEqual({ value: timedOut, ms: 100 })
  const work = new Promise((resolve) => void real.after(30, () => resolve('later')))
  const back = inTime(work, 100, tools)
  shifts.push(500_000)
  real.advance(30)
  expect(await back).toEqual({ value: 'later', ms: 0 })
  expect([tools.newest, real.open]).toEqual([undefined, 0])
})

test.each([
  [0, 50, 0],
  [100, undefined, 100],
  [100, 30, 70],
  [100, 100, 1],
  [100, 500, 1],
])('of %s ms, with %s spent, %s are left: 0 is no limit, so what is used up leaves 1', (limit, spent, left) => {
  expect(timeLeft(limit, spent)).toBe(left)
})

test('the timer goes with the last tool', () => {
  const clock = fakeClock()
  const tools = createRunningTools(clock)
  const [first, second] = [begin(tools, 100), begin(tools, 200)]
  leave(tools, first.run)
  expect(clock.open).toBe(1)
  leave(tools, second.run)
  expect(clock.open).toBe(0)
})

test('tools that are given up learn why, and leave no timer', { tags: ['D20'] }, () => {
  const clock = fakeClock()
  const tools = createRunningTools(clock)
  const { run } = begin(tools, 100)
  const reason = new Error('nobody waits')
  stopTools(tools, reason)
  expect(run.controller.signal.reason).toBe(reason)
  expect(clock.open).toBe(0)
})

test('a clock that is set back gives a tool at most its time once more', () => {
  const real = fakeClock(1_000_000)
  let shift = 0
  const clock: Clock = { now: () => real.now() - shift, after: (ms, callback) => real.after(ms, callback) }
  const tools = createRunningTools(clock)
  const first = begin(tools, 100)
  shift = 500_000
  const second = begin(tools, 100)
  real.advance(100)
  expect(second.isOver()).toBe(true)
  real.advance(100)
  expect(first.isOver()).toBe(true)
})
