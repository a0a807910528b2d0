import { LoopError } from '../../src/contract/errors.ts'
import type { RunInput } from '../../src/options/loop-options.ts'
import type { Message } from '../../src/contract/messages.ts'
import type { RunResult } from '../../src/contract/run-result.ts'
import type { Transcript, ToolAnswer } from '../../src/contract/transcript.ts'
import type { Consumption } from './consume.ts'
import type { EditDraw, HookDraw, LoopDraw, NextDraw } from './draw.ts'
import type { Attempt, Execution, AbortRecord } from './world.ts'

/** What the application's callbacks did and saw. */
export interface AppLog {
  /** Acts of hooks that took place, with the run. */
  readonly acts: { readonly run: number; readonly act: HookDraw['act'] | 'edit-throw' }[]
  /** Runs whose messages were replaced by an edit. */
  readonly editedRuns: Set<number>
  /** Steps of the current run whose request was edited otherwise, or whose model was. */
  readonly editedSteps: { readonly run: number; readonly step: number; readonly edit: EditDraw['edit'] }[]
  /** Copies of transcripts at the end of a step, and how many requests there had been. */
  readonly snapshots: { readonly run: number; readonly attempts: number; readonly snapshot: Transcript }[]
  /** What the middleware saw begin, and whether it saw the end of it. */
  readonly around: Around[]
}

export interface Around {
  readonly run: number
  readonly what: 'run' | 'turn' | 'tool'
  /** Of a call. */
  readonly toolCallId?: string | undefined
  over: boolean
}

/** How a run begins, and what is known of it beforehand. */
export interface Continuation {
  readonly kind: 'fresh' | 'resumed' | 'misuse'
  readonly input: RunInput
  /** Messages before the run. */
  readonly start: readonly Message[]
  readonly transcript?: Transcript | undefined
  readonly answers: Readonly<Record<string, ToolAnswer>>
  readonly draw?: NextDraw | undefined
}

export type Outcome =
  | { readonly type: 'result'; readonly result: RunResult }
  | { readonly type: 'error'; readonly error: unknown }
  /** The consumer left, and sees no outcome. */
  | { readonly type: 'left' }

/** One run, as far as it can be seen from outside. */
export interface RunRecord {
  readonly run: number
  readonly continuation: Continuation
  readonly seen: Consumption
  readonly outcome: Outcome
  readonly abort: AbortRecord | undefined
  /** After the abort, the run settled before anything else moved. */
  readonly settledAtOnce: boolean
  /** Nothing could go on any more, so that it was aborted from outside. */
  readonly stuck: boolean
  readonly hung: boolean
  readonly startTime: number
  readonly endTime: number
  /** What stands open when the run has settled. */
  readonly openTimers: number
  /** Pairs that have to be equal: the next request of a transcript and of its JSON. */
  readonly comparisons: readonly { readonly what: string; readonly left: string; readonly right: string }[]
}

export interface Observation {
  readonly draw: LoopDraw
  readonly runs: readonly RunRecord[]
  readonly attempts: readonly Attempt[]
  readonly executions: readonly Execution[]
  readonly log: AppLog
  readonly unhandled: readonly unknown[]
}

export function transcriptOf(outcome: Outcome): Transcript | undefined {
  if (outcome.type === 'result') return outcome.result.transcript
  return outcome.type === 'error' && LoopError.isInstance(outcome.error) ? outcome.error.transcript : undefined
}

/** What a store gives back. */
export function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
