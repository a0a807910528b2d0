import type { TurnRequest } from '../../src/contract/adapter.ts'
import type { Clock } from '../../src/contract/clock.ts'
import type { AdapterError } from '../../src/contract/errors.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import type { LoopDraw, OutcomeDraw, TurnDraw } from './draw.ts'

/** One request and what came of it. */
export interface Attempt {
  /** Among all requests; names the turn of the script that answers. */
  readonly attempt: number
  readonly run: number
  readonly at: number
  readonly time: number
  readonly provider: string
  readonly model: string
  readonly request: TurnRequest
  readonly turn: TurnDraw
  /** It gave `turn-end`. */
  finished: boolean
  failed: AdapterError | undefined
  failedTime: number
}

export interface Execution {
  readonly run: number
  readonly at: number
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly idempotencyKey: string
  readonly outcome: OutcomeDraw
  /** The last request before it. */
  readonly attempt: Attempt | undefined
  /** The turn of that request was still going on. */
  readonly early: boolean
  /** Executions under way when this one began, itself included. */
  readonly busy: number
  done: boolean
}

export interface AbortRecord {
  readonly at: number
  readonly what: Moment
}

/** Where an abort strikes. */
export type Moment = 'before' | 'turn' | 'tool' | 'check' | 'hook' | 'consumer' | 'waiting'

/** The outside of a loop: time, what waits in it, and a log of all that happens. */
export interface World {
  readonly draw: LoopDraw
  readonly clock: Clock
  readonly attempts: Attempt[]
  readonly executions: Execution[]
  /** Number of the run under way. */
  run: number
  /** Set while a run may be aborted; called at most once per run. */
  abort: ((moment: Moment) => void) | undefined
  readonly aborted: AbortRecord | undefined
  /** Timers that the loop has open. */
  readonly openTimers: number
  /** Counts an event and aborts where the draw says so. */
  note(what: Moment): number
  /** Resolves when the driver releases it. */
  gate(): Promise<void>
  /** Resolves after milliseconds of the world's time, which the loop does not know of. */
  later(ms: number): Promise<void>
  begin(run: number, abort: (moment: Moment) => void): void
  /** Lets one thing go on: a gate, else the next timer. False when nothing waits. */
  release(): boolean
  strike(what: Moment): void
}

export function createWorld(draw: LoopDraw): World {
  const time = createTime()
  const gates: (() => void)[] = []
  let at = 0
  let counted = 0
  let aborted: AbortRecord | undefined
  const world: World = {
    draw,
    clock: time.clock,
    attempts: [],
    executions: [],
    run: 0,
    abort: undefined,
    get aborted() {
      return aborted
    },
    get openTimers() {
      return time.open
    },
    note(what) {
      at++
      const { abort } = draw
      if (abort?.of === undefined || abort.of === what) counted++
      if (abort?.run === world.run && abort.sharp && counted === abort.at) world.strike(what)
      return at
    },
    gate: () =>
      new Promise((resolve) => {
        gates.push(resolve)
      }),
    later: (ms) =>
      new Promise((resolve) => {
        time.base(ms, resolve)
      }),
    begin(run, abort) {
      world.run = run
      world.abort = abort
      counted = 0
      aborted = undefined
      if (draw.abort?.run === run && draw.abort.at === 0) world.strike('before')
    },
    release() {
      const { abort } = draw
      if (abort?.run === world.run && !abort.sharp && counted >= abort.at) world.strike('waiting')
      const gate = draw.release === 'first' ? gates.shift() : gates.pop()
      if (gate === undefined) return time.advance()
      gate()
      return true
    },
    strike(what) {
      const { abort } = world
      if (abort === undefined) return
      world.abort = undefined
      aborted = { at, what }
      abort(what)
    },
  }
  return world
}

export interface Time {
  readonly clock: Clock
  /** A timer of the world itself. */
  base(ms: number, callback: () => void): void
  /** To the next timer; false when there is none. */
  advance(): boolean
  /** Lets milliseconds pass. */
  pass(ms: number): void
  readonly open: number
}

export function createTime(): Time {
  const fake = fakeClock(1_000_000)
  const due = new Set<{ readonly at: number; readonly loops: boolean }>()
  const after = (ms: number, callback: () => void, loops: boolean): (() => void) => {
    const timer = { at: fake.now() + ms, loops }
    due.add(timer)
    const cancel = fake.after(ms, () => {
      due.delete(timer)
      callback()
    })
    return () => {
      due.delete(timer)
      cancel()
    }
  }
  return {
    clock: { now: () => fake.now(), after: (ms, callback) => after(ms, callback, true) },
    base: (ms, callback) => void after(ms, callback, false),
    advance() {
      if (due.size === 0) return false
      fake.advance(Math.max(0, Math.min(...[...due].map((timer) => timer.at)) - fake.now()))
      return true
    },
    pass: (ms) => fake.advance(ms),
    get open() {
      return [...due].filter((timer) => timer.loops).length
    },
  }
}
