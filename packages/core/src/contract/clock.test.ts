import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StepLoop, tool } from '../index.ts'
import { systemClock } from '../adapter.ts'
import { scriptedAdapter } from '../testing/index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

const days = 24 * 3600 * 1000

test.each([1, 500, 2 ** 31 - 1, 2 ** 31, 60 * days])(
  'the system clock calls back after %d ms, and not before',
  (ms) => {
    const callback = vi.fn()
    systemClock.after(ms, callback)
    vi.advanceTimersByTime(ms - 1)
    expect(callback).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(callback).toHaveBeenCalledOnce()
  },
)

test('the system clock never calls back after an infinite time, nor when it was cancelled', () => {
  const callback = vi.fn()
  systemClock.after(Infinity, callback)
  const cancel = systemClock.after(60 * days, callback)
  vi.advanceTimersByTime(30 * days)
  cancel()
  vi.advanceTimersByTime(100 * days)
  expect([callback.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
})

test('an infinite time limit is none', async () => {
  const slow = tool({
    inputSchema: { type: 'object' },
    execute: () =>
      new Promise((resolve) => {
        setTimeout(() => resolve('done'), 5 * days)
      }),
  })
  const model = scriptedAdapter([[{ type: 'call', toolName: 'slow', input: {} }], 'ok'])
  const loop = new StepLoop({ model, tools: { slow }, toolTimeout: Infinity, timeout: Infinity })
  const running = loop.generate('x')
  await vi.advanceTimersByTimeAsync(5 * days)
  expect((await running).toolResults).toMatchObject([{ output: { type: 'text', value: 'done' } }])
})
