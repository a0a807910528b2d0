import { expect, test } from 'vitest'
import type { Clock } from '../contract/clock.ts'
import {
  createRunningTools,
  enter,
  leave,
  startTime,
  stopTools,
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
