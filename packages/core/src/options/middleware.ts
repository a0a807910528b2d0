import type { Adapter, Mode, TurnEvent, TurnRequest } from '../contract/adapter.ts'
import type { Message, ToolCallPart, ToolOutput } from '../contract/messages.ts'
import type { PendingCall } from '../contract/transcript.ts'
import type { FunctionTool, ToolSet } from '../tools/tool.ts'
import type { RunResult } from '../contract/run-result.ts'

/** What a run is, when it begins. */
export interface RunInfo {
  /** The conversation: a run that goes on from a transcript has its id. */
  readonly transcriptId: string
  readonly mode: Mode
  /** The model that is asked first, unless `prepareStep` names another. */
  readonly model: Adapter
  readonly instructions: string | undefined
  readonly tools: ToolSet
  /** The history and the input of this run: a snapshot, made when it is read. */
  readonly messages: readonly Message[]
  /** Pending calls of the run that goes on here; empty for any other. */
  readonly pendingCalls: readonly PendingCall[]
  /** The answer is an object of a schema. */
  readonly structured: boolean
  readonly signal: AbortSignal
}

/** One request to a model. */
export interface TurnInfo {
  readonly transcriptId: string
  /** Number of the step, from 0; a run that goes on from its transcript counts on. */
  readonly step: number
  /** Number of the request in its step, from 1: retries and `fallbacks` count. */
  readonly attempt: number
  readonly model: Adapter
  readonly mode: Mode
  /** What the adapter is asked. Its `messages` are one array that grows: copy it to keep it, and never write to it. */
  readonly request: TurnRequest
  readonly signal: AbortSignal
}

/** One call that runs: its input is checked, and whoever had to approve it did. */
export interface ToolCallInfo {
  readonly transcriptId: string
  /** Number of the step, from 0; a run that goes on from its transcript counts on. */
  readonly step: number
  readonly toolCall: ToolCallPart
  readonly tool: FunctionTool<never>
  /** What `execute` gets, not a copy of it: only to be read. */
  readonly input: unknown
  /** Key of the call: the same whenever it is run again. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

/**
 * Functions around what a run does. Each calls `next` for the thing itself, or gives its own answer without it, and hands on what `next`
 * fails with. Limits, retries and hooks stay the loop's.
 */
export interface Middleware {
  /**
   * Around the run, from before its first event to its result; `run-end` and `run-error` come after it. What it throws, unless it is a
   * `LoopError`, ends the run as `hook-failed`. An abort ends the run before `next` was called; from then on `next` rejects, at once.
   */
  readonly run?: ((info: RunInfo, next: () => Promise<RunResult>) => Promise<RunResult>) | undefined
  /**
   * Around each request, one per attempt, whatever brought its model. What it yields are the batches of the turn, as an adapter gives them;
   * what it throws is judged like an adapter's error, so an `AdapterError` may be retried. An abort does not wait for it.
   */
  readonly turn?:
    | ((info: TurnInfo, next: () => AsyncIterable<readonly TurnEvent[]>) => AsyncIterable<readonly TurnEvent[]>)
    | undefined
  /**
   * Around each call that runs, early ones too; calls that are answered without being run are in `result.toolResults`. `next` never rejects:
   * a tool that fails has an error output. What the function throws ends the run as `hook-failed`. `toolTimeout` is the tool's alone; an
   * abort waits for neither.
   */
  readonly tool?: ((info: ToolCallInfo, next: () => Promise<ToolOutput>) => Promise<ToolOutput>) | undefined
}

/** For all runs, or made for each when it is asked for: in the call of `generate`, `stream` or `steps` itself, whoever reads it. */
export type MiddlewareOption = Middleware | (() => Middleware)
