import { abortedOutput, failedRunOutput } from './call-answers.ts'
import { middlewareFailed } from '../options/make-middleware.ts'
import type { Middleware } from '../options/middleware.ts'
import type { Message, ToolCallPart, ToolOutput } from '../contract/messages.ts'
import { readProgress, type ProgressEvent } from './progress.ts'
import { givenTime, leave, prolong, startTime, type RunningTools, type ToolRun } from './running-tools.ts'
import type { FunctionTool, ToolContext } from '../tools/tool.ts'
import { isThenable } from '../tools/thenable.ts'
import { errorOutput, outputOf, safeOutput } from '../wire/tool-output.ts'
import { failedInput, timeoutOutput } from './resolve-input.ts'

export interface RunToolOptions {
  readonly call: ToolCallPart
  readonly tool: FunctionTool<never>
  /** Validated, and not shared with other code. */
  readonly input: unknown
  /** Milliseconds; 0: none. */
  readonly timeout: number
  readonly idempotencyKey: string
  readonly step: ToolStep
}

/** What the calls of a step have in common. */
export interface ToolStep {
  readonly signal: AbortSignal
  readonly transcriptId: string
  /** The conversation up to the call. */
  readonly messages: readonly Message[]
  /** Holds the tool while it runs, for whoever stops waiting for it. */
  readonly running: RunningTools
  /** Gets the reports of tools; absent when the events are not read. */
  readonly emit: ((event: ProgressEvent) => void) | undefined
  /** The application's function around each call, and the step of this one. */
  readonly around?: ToolAround | undefined
}

export interface ToolAround {
  readonly tool: NonNullable<Middleware['tool']>
  readonly step: number
}

/** What became of a call; `cause` is what the tool threw. */
export interface ToolOutcome {
  readonly output: ToolOutput
  readonly cause?: unknown
  /** The middleware around the call failed, which ends the run. */
  readonly failure?: { readonly cause: unknown } | undefined
}

/** Runs the tool, inside of the application's function if there is one. `settle` is called once, after this has returned. */
export function runTool(options: RunToolOptions, settle: Settle): void {
  const { around } = options.step
  if (around === undefined) executeTool(options, settle)
  else void runAround(options, around).then(settle)
}

export type Settle = (outcome: ToolOutcome) => void

async function runAround(options: RunToolOptions, { tool: around, step }: ToolAround): Promise<ToolOutcome> {
  const { call: toolCall, tool, input, idempotencyKey } = options
  const { transcriptId, signal } = options.step
  let running: Promise<ToolOutcome> | undefined
  let own: ToolOutcome | undefined
  const execute = (): Promise<ToolOutcome> => new Promise((resolve) => executeTool(options, resolve))
  const next = async (): Promise<ToolOutput> => (own = await (running ??= execute())).output
  try {
    const output = await around({ transcriptId, step, toolCall, tool, input, idempotencyKey, signal }, next)
    return own?.output === output ? own : { output: safeOutput(output, 'middleware.tool') }
  } catch (cause) {
    return { output: failedRunOutput(), failure: { cause: middlewareFailed('middleware.tool', cause) } }
  }
}

/** A call at work. One object with functions beside it: closures, and a promise of its own, would be ten objects for each call. */
interface CallRun extends ToolRun {
  readonly options: RunToolOptions
  readonly settle: Settle
}

/**
 * Runs the tool and makes its output safe: whatever goes wrong is the call's error output. A tool that ignores its signal is answered with
 * `tool-timeout` when its time is over; what it returns later is dropped.
 */
function executeTool(options: RunToolOptions, settle: Settle): void {
  const { timeout, tool } = options
  const { running } = options.step
  const run: CallRun = {
    options,
    settle,
    controller: new AbortController(),
    timeout,
    maxTotal: tool.maxTotalTimeout,
    deadline: undefined,
    last: undefined,
    expire,
  }
  running.runs.add(run)
  const outcome = begin(run)
  // Calls begin one after the other before any of them is done.
  if (outcome !== undefined && leave(running, run)) void Promise.resolve(outcome).then(settle)
}

/** Gives the outcome where there is nothing to wait for. */
function begin(run: CallRun): ToolOutcome | undefined {
  const { options, controller } = run
  const { call, tool, input, idempotencyKey } = options
  const { signal, transcriptId, messages, running } = options.step
  if (signal.aborted) return { output: errorOutput('aborted', 'The run was aborted before this call began.') }
  try {
    const execute = tool.execute as (input: unknown, context: ToolContext) => unknown
    const result = execute(input, {
      toolCallId: call.toolCallId,
      transcriptId,
      idempotencyKey,
      messages,
      signal: controller.signal,
      report: (given) => report(run, given),
    })
    if (!isThenable(result)) return returned(options, result)
    startTime(run, running)
    // A promise is taken as it is; how anything else settles is the engine's to decide.
    Promise.resolve(result).then(
      (value) => {
        // Else it is too late: the call was answered.
        if (running.runs.has(run)) end(run, returned(options, value))
      },
      (cause: unknown) => end(run, failed(options, cause)),
    )
    return undefined
  } catch (cause) {
    return failed(options, cause)
  }
}

function end(run: CallRun, outcome: ToolOutcome): void {
  if (leave(run.options.step.running, run)) run.settle(outcome)
}

function expire(this: CallRun): void {
  end(this, { output: timeoutOutput(this.options.call, givenTime(this)) })
}

function returned(options: RunToolOptions, result: unknown): ToolOutcome {
  const { tool } = options
  try {
    return { output: tool.toModelOutput === undefined ? outputOf(result) : safeOutput(tool.toModelOutput(result)) }
  } catch (cause) {
    return failed(options, cause)
  }
}

function failed({ step }: RunToolOptions, cause: unknown): ToolOutcome {
  return step.signal.aborted ? { output: abortedOutput() } : failedInput(cause)
}

/** Tells nothing of a call that is answered, or was stopped. */
function report(run: CallRun, given: unknown): void {
  const { call, step } = run.options
  const { running, emit } = step
  if (!running.runs.has(run) || run.controller.signal.aborted) return
  prolong(run, running)
  const progress = emit && readProgress(given)
  const { toolCallId, toolName } = call
  if (progress !== undefined) emit?.({ type: 'tool-progress', toolCallId, toolName, ...progress })
}
