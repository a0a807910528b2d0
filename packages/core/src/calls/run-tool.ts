import { failedRunOutput } from './call-answers.ts'
import { errorText } from '../wire/error-text.ts'
import { middlewareFailed } from '../options/make-middleware.ts'
import type { Middleware } from '../options/middleware.ts'
import type { Message, ToolCallPart, ToolOutput } from '../contract/messages.ts'
import { readProgress, type ProgressEvent } from './progress.ts'
import {
  createToolRun,
  givenTime,
  leave,
  prolong,
  startTime,
  type RunningTools,
  type ToolRun,
} from './running-tools.ts'
import type { FunctionTool, ToolContext } from '../tools/tool.ts'
import { isThenable } from '../tools/thenable.ts'
import { errorOutput, outputOf, safeOutput } from '../wire/tool-output.ts'
import { timeoutOutput } from './resolve-input.ts'

export interface RunToolOptions {
  readonly call: ToolCallPart
  readonly tool: FunctionTool<never>
  /** Validated, and not shared with other code. */
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
  /** Absent when the events are not read. */
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
 * answered with `tool-timeout` when its time is over; what it returns later is dropped. By hand: an `async` function around a race would be
 * three promises for each call.
 */
function executeTool(options: RunToolOptions): Promise<ToolOutcome> {
  const { call, tool, input, timeout, signal, running } = options
  const run = createToolRun(timeout, tool.maxTotalTimeout)
  running.runs.add(run)
  return new Promise((resolve) => {
    const end = (outcome: ToolOutcome): void => {
      leave(running, run)
      resolve(outcome)
    }
    const failed = (cause: unknown): void => end(failedOutcome(options, cause))
    const returned = (result: unknown): void => {
      try {
        // Else it is too late: the call was answered.
        if (running.runs.has(run))
          end({ output: tool.toModelOutput === undefined ? outputOf(result) : safeOutput(tool.toModelOutput(result)) })
      } catch (cause) {
        failed(cause)
      }
    }
    if (signal.aborted) return end({ output: errorOutput('aborted', 'The run was aborted before this call began.') })
    try {
      const execute = tool.execute as (input: unknown, context: ToolContext) => unknown
      const { idempotencyKey, transcriptId, messages } = options
      const { toolCallId } = call
      const result = execute(input, {
        toolCallId,
        transcriptId,
        idempotencyKey,
        messages,
        signal: run.controller.signal,
        report: reporter(options, run),
      })
      if (!isThenable(result)) return returned(result)
      startTime(run, running, () => end({ output: timeoutOutput(call, givenTime(run)) }))
      // A promise is taken as it is; how anything else settles is the engine's to decide.
      Promise.resolve(result).then(returned, failed)
    } catch (cause) {
      failed(cause)
    }
  })
}

function failedOutcome({ signal }: RunToolOptions, cause: unknown): ToolOutcome {
  if (signal.aborted) return { output: errorOutput('aborted', 'The run was aborted before this call was done.') }
  return { output: errorOutput('tool-failed', errorText(cause) || 'The tool failed without a message.'), cause }
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
