import { abortedOutput, failedRunOutput } from './call-answers.ts'
import { middlewareFailed } from '../options/make-middleware.ts'
import type { Middleware } from '../options/middleware.ts'
import type { RunPlan } from './call-plan.ts'
import type { Message, ToolCallPart, ToolOutput } from '../contract/messages.ts'
import { readProgress, type ProgressEvent } from './progress.ts'
import {
  enter,
  givenTime,
  leave,
  prolong,
  startTime,
  timeLeft,
  type RunningTools,
  type ToolRun,
} from './running-tools.ts'
import type { ToolContext } from '../tools/tool.ts'
import { isThenable } from '../tools/thenable.ts'
import { outputOf, safeOutput } from '../wire/tool-output.ts'
import { failedInput, timeoutOutput } from './resolve-input.ts'

/** What the calls of a step have in common. */
export interface ToolStep {
  readonly signal: AbortSignal
  readonly transcriptId: string
  /** The conversation up to the call. */
  readonly messages: readonly Message[]
  /** Holds the tool while it runs, for whoever stops waiting for it. */
  readonly running: RunningTools
  /** Milliseconds; 0: none. A tool's own `timeout` wins. */
  readonly toolTimeout: number
  readonly idempotencyKey: (call: ToolCallPart) => string
  /** Gets the reports of tools; absent when the events are not read. */
  readonly emit: ((event: ProgressEvent) => void) | undefined
  /** The application's function around each call, and the step of this one. */
  readonly around?: ToolAround | undefined
}

export interface ToolAround {
  readonly tool: NonNullable<Middleware['tool']>
  readonly step: number
}

type PlannedRun = Pick<RunPlan, 'call' | 'tool' | 'input' | 'spentMs'>

/** What became of a call; `cause` is what the tool threw. */
export interface ToolOutcome {
  readonly output: ToolOutput
  readonly cause?: unknown
  /** The middleware around the call failed, which ends the run. */
  readonly failure?: { readonly cause: unknown } | undefined
}

/**
 * Runs the tool, inside of the application's function if there is one. `settle` is called once, after this has returned, with the `position`
 * of the call in its step.
 */
export function runTool(planned: PlannedRun, position: number, step: ToolStep, settle: Settle): void {
  const { call, tool, input, spentMs } = planned
  const run: CallRun = {
    call,
    tool,
    input,
    timeout: timeLeft(tool.timeout ?? step.toolTimeout, spentMs),
    idempotencyKey: step.idempotencyKey(call),
    position,
    step,
    settle,
    controller: new AbortController(),
    maxTotal: tool.maxTotalTimeout,
    deadline: undefined,
    last: undefined,
    before: undefined,
    after: undefined,
    isRunning: false,
    expire,
  }
  if (step.around === undefined) executeTool(run)
  else void runAround(run, step.around).then((outcome) => settle(outcome, position))
}

/** One function for all calls of a step: `position` is that of the call. */
export type Settle = (outcome: ToolOutcome, position: number) => void

async function runAround(run: CallRun, { tool: around, step }: ToolAround): Promise<ToolOutcome> {
  const { call: toolCall, tool, input, idempotencyKey } = run
  const { transcriptId, signal } = run.step
  let running: Promise<ToolOutcome> | undefined
  let own: ToolOutcome | undefined
  const execute = (): Promise<ToolOutcome> =>
    new Promise((resolve) => {
      run.settle = resolve
      executeTool(run)
    })
  const next = async (): Promise<ToolOutput> => (own = await (running ??= execute())).output
  try {
    const output = await around({ transcriptId, step, toolCall, tool, input, idempotencyKey, signal }, next)
    // What `next` gave may have been written into.
    const safe = safeOutput(output, 'middleware.tool')
    return own?.output === output ? { ...own, output: safe } : { output: safe }
  } catch (cause) {
    return { output: failedRunOutput(), failure: { cause: middlewareFailed('middleware.tool', cause) } }
  }
}

/** A call at work. One object with functions beside it: closures, and a promise of its own, would be ten objects for each call. */
interface CallRun extends ToolRun, Omit<PlannedRun, 'spentMs'> {
  readonly idempotencyKey: string
  readonly position: number
  readonly step: ToolStep
  settle: Settle
}

/**
 * Runs the tool and makes its output safe: whatever goes wrong is the call's error output. A tool that ignores its signal is answered with
 * `tool-timeout` when its time is over; what it returns later is dropped.
 */
function executeTool(run: CallRun): void {
  const { running } = run.step
  enter(running, run)
  const outcome = begin(run)
  // Calls begin one after the other before any of them is done.
  if (outcome !== undefined && leave(running, run))
    void Promise.resolve(outcome).then((begun) => run.settle(begun, run.position))
}

/** Gives the outcome where there is nothing to wait for. */
function begin(run: CallRun): ToolOutcome | undefined {
  const { signal, transcriptId, messages } = run.step
  if (signal.aborted) return { output: abortedOutput() }
  try {
    const execute = run.tool.execute as (input: unknown, context: ToolContext) => unknown
    const result = execute(run.input, {
      toolCallId: run.call.toolCallId,
      transcriptId,
      idempotencyKey: run.idempotencyKey,
      messages,
      signal: run.controller.signal,
      report: (given) => report(run, given),
    })
    if (!isThenable(result)) return returned(run, result)
    startTime(run, run.step.running)
    // A promise is taken as it is; how anything else settles is the engine's to decide.
    Promise.resolve(result).then(
      (value) => {
        // Else it is too late: the call was answered.
        if (run.isRunning) end(run, returned(run, value))
      },
      (cause: unknown) => end(run, failed(run, cause)),
    )
    return undefined
  } catch (cause) {
    return failed(run, cause)
  }
}

function end(run: CallRun, outcome: ToolOutcome): void {
  if (leave(run.step.running, run)) run.settle(outcome, run.position)
}

function expire(this: CallRun): void {
  end(this, { output: timeoutOutput(this.call, givenTime(this)) })
}

function returned({ tool, step }: CallRun, result: unknown): ToolOutcome {
  try {
    return { output: tool.toModelOutput === undefined ? outputOf(result) : safeOutput(tool.toModelOutput(result)) }
  } catch (cause) {
    return failed({ step }, cause)
  }
}

function failed({ step }: Pick<CallRun, 'step'>, cause: unknown): ToolOutcome {
  return step.signal.aborted ? { output: abortedOutput() } : failedInput(cause)
}

/** Tells nothing of a call that is answered, or was stopped. */
function report(run: CallRun, given: unknown): void {
  const { running, emit } = run.step
  if (!run.isRunning || run.controller.signal.aborted) return
  prolong(run, running)
  const progress = emit && readProgress(given)
  const { toolCallId, toolName } = run.call
  if (progress !== undefined) emit?.({ type: 'tool-progress', toolCallId, toolName, ...progress })
}
