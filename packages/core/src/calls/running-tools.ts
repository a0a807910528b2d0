import type { Clock } from '../contract/clock.ts'

/** A tool at work. */
export interface ToolRun {
  readonly controller: AbortController
  /** Milliseconds; 0: none. */
  readonly timeout: number
  /** When its time is over; `undefined` before anything had to be waited for. */
  deadline: number | undefined
  /** Milliseconds in all, where reports prolong the time; `undefined`: they do not. */
  readonly maxTotal?: number | undefined
  /** When all its time is over, however it was prolonged. */
  last?: number | undefined
  /** True while it is waited for. */
  isRunning?: boolean
  /** The neighbours of one that is. */
  before?: ToolRun | undefined
  after?: ToolRun | undefined
  /** Settles what waits for the tool: its time is over. */
  expire(): void
}

/** Tools that work side by side, and one timer for all of them: it rings for the one whose time is over first. */
export interface RunningTools {
  readonly clock: Clock
  /** The one that began last. A chain: to be put into a set, and taken out, would cost a call as much as its signal. */
  newest: ToolRun | undefined
  /** Tools begin one after the other in the same tick: their time begins when the last of them has begun. */
  together: boolean
  /** The deadline for which the timer is set. */
  due: number | undefined
  cancelTimer: (() => void) | undefined
}

/** What a race against the time of a tool gives when the time was over first. */
export const timedOut: unique symbol = Symbol('timed out')

export function createRunningTools(clock: Clock): RunningTools {
  return { clock, newest: undefined, together: false, due: undefined, cancelTimer: undefined }
}

/** The tool is waited for from now on. */
export function enter(tools: RunningTools, run: ToolRun): void {
  const { newest } = tools
  run.isRunning = true
  run.before = newest
  if (newest !== undefined) newest.after = run
  tools.newest = run
}

/** Milliseconds that the tool had, when its time is over. */
export function givenTime({ timeout, maxTotal, deadline, last }: ToolRun): number {
  return deadline === last ? (maxTotal ?? timeout) : timeout
}

/** From now on the time of the tool counts. When it is over, its signal is aborted and its `expire` called. */
export function startTime(run: ToolRun, tools: RunningTools): void {
  if (run.timeout > 0 && !tools.together) startAt(tools.clock.now(), run, tools)
}

function startAt(now: number, run: ToolRun, tools: RunningTools): void {
  run.deadline = now + run.timeout
  if (run.maxTotal !== undefined) run.last = now + run.maxTotal
  setTimer(tools, run.deadline, run.timeout)
}

/** Begins tools in one tick. Their time begins when all of them have begun, so that the clock is asked once. */
export function startTogether(tools: RunningTools, begin: () => void): void {
  tools.together = true
  try {
    begin()
  } finally {
    tools.together = false
    const now = tools.newest === undefined ? 0 : tools.clock.now()
    for (let run = tools.newest; run !== undefined; run = run.before) {
      if (run.deadline === undefined && run.timeout > 0) startAt(now, run, tools)
    }
  }
}

/** The tool has said that it goes on: its time begins anew. The timer finds that out when it rings. */
export function prolong(run: ToolRun, { clock }: RunningTools): void {
  if (run.deadline === undefined || run.last === undefined) return
  run.deadline = Math.max(run.deadline, Math.min(clock.now() + run.timeout, run.last))
}

/**
 * What the application decides on the way to a tool, or `timedOut` when it takes longer than `timeout` (milliseconds; 0: no limit), and how
 * long it was waited for.
 */
export async function inTime<T>(
  work: PromiseLike<T>,
  timeout: number,
  tools: RunningTools,
): Promise<{ readonly value: T | typeof timedOut; readonly ms: number }> {
  const begun = tools.clock.now()
  let run: ToolRun | undefined
  try {
    const value = await new Promise<T | typeof timedOut>((resolve, reject) => {
      run = { controller: new AbortController(), timeout, deadline: undefined, expire: () => resolve(timedOut) }
      enter(tools, run)
      startTime(run, tools)
      work.then(resolve, reject)
    })
    return { value, ms: Math.max(0, tools.clock.now() - begun) }
  } finally {
    if (run !== undefined) leave(tools, run)
  }
}

/** What is left of a call's time, in milliseconds. 0: it has no limit. */
export function timeLeft(limit: number, spentMs = 0): number {
  return limit === 0 ? 0 : Math.max(1, limit - spentMs)
}

/** The tool is done, or given up. False: it was before. */
export function leave(tools: RunningTools, run: ToolRun): boolean {
  if (!run.isRunning) return false
  run.isRunning = false
  const { before, after } = run
  if (before !== undefined) before.after = after
  if (after === undefined) tools.newest = before
  else after.before = before
  // A tool that goes on nevertheless must not keep those beside it.
  run.before = run.after = undefined
  if (tools.newest === undefined) clearTimer(tools)
  return true
}

/** Lists them as they began, by themselves: where one ends, others begin or end. */
function runsOf({ newest }: RunningTools): readonly ToolRun[] {
  const runs: ToolRun[] = []
  for (let run = newest; run !== undefined; run = run.before) runs.unshift(run)
  return runs
}

/** Stops awaiting these tools: their signals are aborted and their timer is gone. */
export function stopTools(tools: RunningTools, reason?: unknown): void {
  clearTimer(tools)
  for (const { controller } of runsOf(tools)) controller.abort(reason)
}

function setTimer(tools: RunningTools, due: number, ms: number): void {
  if (tools.due !== undefined && tools.due <= due) return
  tools.cancelTimer?.()
  tools.due = due
  tools.cancelTimer = tools.clock.after(ms, () => ring(tools, due))
}

function clearTimer(tools: RunningTools): void {
  tools.cancelTimer?.()
  tools.cancelTimer = undefined
  tools.due = undefined
}

/** The clock is not asked again: what it was set for is over, however it was put back meanwhile. */
function ring(tools: RunningTools, due: number): void {
  clearTimer(tools)
  for (const run of runsOf(tools)) {
    if (run.deadline === undefined) continue
    if (run.deadline > due) setTimer(tools, run.deadline, Math.min(run.timeout, run.deadline - due))
    else endTime(run)
  }
}

function endTime(run: ToolRun): void {
  const expired = new Error(`The tool took longer than ${run.timeout} ms.`)
  expired.name = 'TimeoutError'
  run.controller.abort(expired)
  run.expire()
}
