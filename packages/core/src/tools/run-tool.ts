import { failedRunOutput } from './call-answers.ts'
import { errorText } from '../wire/error-text.ts'
import { middlewareFailed } from '../run/make-middleware.ts'
import type { Middleware } from '../run/middleware.ts'
import type { Message, ToolCallPart, ToolOutput } from '../contract/messages.ts'
import { readProgress, type ProgressEvent } from './progress.ts'
import { leave, prolong, raceTime, timedOut, type RunningTools, type ToolRun } from './running-tools.ts'
import type { FunctionTool, ToolContext } from './tool.ts'
import { isThenable } from './thenable.ts'
import { errorOutput, outputOf, safeOutput } from '../wire/tool-output.ts'
import { timeoutOutput } from './resolve-input.ts'

export interface RunToolOptions {
  readonly call: ToolCallPart
  readonly tool: FunctionTool<never>
  /** Validated, and held by nobody else. */
  readonly input: unknown
  /** Milliseconds; 0: none. */
  readonly timeout: number
  readonly signal: AbortSignal
  readonly idempotencyKey: string
  readonly transcriptId: string
  /** The conversation up to the call. */
  readonly messages: readonly Message[]
  /** Holds the tool while it runs, for whoever stops waiting for it. */
  readonly running: RunningTools
  /** Absent when nobody reads the events. */
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined
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

/** Runs the tool, inside of the application's function if there is one. Never rejects. */
export function runTool(options: RunToolOptions): Promise<ToolOutcome> {
  return options.around === undefined ? executeTool(options) : runAround(options, options.around)
}

async function runAround(options: RunToolOptions, { tool: around, step }: ToolAround): Promise<ToolOutcome> {
  const { call: toolCall, tool, input, idempotencyKey, transcriptId, signal } = options
  let running: Promise<ToolOutcome> | undefined
  let own: ToolOutcome | undefined
  const next = async (): Promise<ToolOutput> => (own = await (running ??= executeTool(options))).output
  try {
    const output = await around({ transcriptId, step, toolCall, tool, input, idempotencyKey, signal }, next)
    return own?.output === output ? own : { output: safeOutput(output, 'middleware.tool') }
  } catch (cause) {
    return { output: failedRunOutput(), failure: { cause: middlewareFailed('middleware.tool', cause) } }
  }
}

/**
 * Runs the tool and makes its output safe. Never rejects: whatever goes wrong is the call's error output. A tool that ignores its signal is
 * answered with `tool-timeout` when its time is over; what it returns later is dropped.
 */
async function executeTool(options: RunToolOptions): Promise<ToolOutcome> {
  const { call, tool, input, timeout, signal, running } = options
  const execute = tool.execute as (input: unknown, context: ToolContext) => unknown
  const { maxTotalTimeout: maxTotal } = tool
  const run: ToolRun = { controller: new AbortController(), timeout, maxTotal, deadline: undefined, expire: undefined }
  running.runs.add(run)
  try {
    if (signal.aborted) return { output: errorOutput('aborted', 'The run was aborted before this call began.') }
    const { idempotencyKey, transcriptId, messages } = options
    const { toolCallId } = call
    const context = {
      toolCallId,
      transcriptId,
      idempotencyKey,
      messages,
      signal: run.controller.signal,
      report: reporter(options, run),
    }
    const returned = execute(input, context)
    const result = isThenable(returned) ? await raceTime(returned, run, running) : returned
    if (result === timedOut) {
      const total = run.deadline === run.last ? maxTotal : undefined
      return { output: timeoutOutput(call, total ?? timeout) }
    }
    return { output: tool.toModelOutput === undefined ? outputOf(result) : safeOutput(tool.toModelOutput(result)) }
  } catch (cause) {
    if (signal.aborted) return { output: errorOutput('aborted', 'The run was aborted before this call was done.') }
    return { output: errorOutput('tool-failed', errorText(cause) || 'The tool failed without a message.'), cause }
  } finally {
    leave(running, run)
  }
}

/** Tells nothing of a call that is answered, or was stopped. */
function reporter({ call, running, onProgress }: RunToolOptions, run: ToolRun): ToolContext['report'] {
  const { toolCallId, toolName } = call
  return (given) => {
    if (!running.runs.has(run) || run.controller.signal.aborted) return
    prolong(run, running)
    const progress = onProgress && readProgress(given)
    if (progress !== undefined) onProgress?.({ type: 'tool-progress', toolCallId, toolName, ...progress })
  }
}
