import type { TurnRequest } from '../../../src/contract/adapter.ts'
import type { Message } from '../../../src/contract/messages.ts'
import { createTime, type Time } from '../world.ts'
import type { ChangeKind, DecisionDraw, OutcomeDraw, TurnDraw, Writer } from './draw.ts'
import { isJson, print, scribble } from './print.ts'

/** One request to the model, copied when it was made. */
export interface RequestRecord {
  readonly at: number
  readonly run: number
  /** Among all requests; names the turn of the script that answers. */
  readonly number: number
  readonly turn: TurnDraw
  readonly messages: readonly Message[]
  readonly toolChoice: TurnRequest['toolChoice']
  readonly tools: readonly string[]
  readonly continuation: TurnRequest['continuation']
  /** Its turn ended well. */
  finished: boolean
  finishedAt: number
}

/** Somebody was asked about an input. */
export interface JudgedRecord {
  readonly at: number
  readonly run: number
  readonly by: 'predicate' | 'denyCall' | 'hook'
  readonly tool: string
  /** A predicate is not told. */
  readonly id: string | undefined
  /** Printed when it came, before anybody wrote to it. */
  readonly value: string
  readonly isJson: boolean
  /** The call may run, as far as this judge goes. */
  readonly passes: boolean
}

export interface ExecutionRecord {
  readonly at: number
  readonly run: number
  readonly tool: string
  readonly id: string
  readonly key: string
  readonly value: string
  /** As far as JSON can say it: what a person is shown of it. */
  readonly json: string
  readonly isJson: boolean
  readonly outcome: OutcomeDraw
  /** The last request before it, should the run have made one. */
  readonly request: RequestRecord | undefined
  /** The turn of that request was still going on. */
  readonly early: boolean
}

export interface HookRecord {
  readonly at: number
  readonly run: number
  readonly name: string
  readonly act: string | undefined
}

/** The observer outside of the loop: it keeps what everybody saw, did and said, and when. */
export interface Ledger {
  readonly draw: DecisionDraw
  readonly time: Time
  readonly requests: RequestRecord[]
  readonly judged: JudgedRecord[]
  readonly executed: ExecutionRecord[]
  readonly hooks: HookRecord[]
  /** The run under way, and the options that it has of its own. */
  run: number
  change: ChangeKind
  abort: () => void
  /** Numbers the events. */
  next(): number
}

export function createLedger(draw: DecisionDraw): Ledger {
  let at = 0
  return {
    draw,
    time: createTime(),
    requests: [],
    judged: [],
    executed: [],
    hooks: [],
    run: 0,
    change: 'none',
    abort: () => undefined,
    next: () => ++at,
  }
}

interface Judgement {
  readonly by: JudgedRecord['by']
  readonly tool: string
  readonly id?: string
  readonly input: unknown
  readonly passes: boolean
}

/** Writes down what somebody is asked about now. */
export function judge(ledger: Ledger, { by, tool, id, input, passes }: Judgement): void {
  const seen = { value: print(input), isJson: isJson(input) }
  ledger.judged.push({ at: ledger.next(), run: ledger.run, by, tool, id, ...seen, passes })
}

/** Somebody writes to what was given, if this draw has it so. */
export function mayWrite({ draw }: Ledger, who: Writer, ...given: readonly unknown[]): void {
  const { writer } = draw.app
  if (writer === who || writer === 'everybody') for (const value of given) scribble(value)
}
