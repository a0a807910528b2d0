import type { FinishReason } from '../contract/adapter.ts'
import type { ToolCallPart, ToolOutput } from '../contract/messages.ts'
import { errorOutput } from '../wire/tool-output.ts'

export function limitOutput(): ToolOutput {
  return errorOutput('limit-reached', 'The run has no calls left, so this one was not run.')
}

export function truncatedOutput(finishReason: FinishReason | undefined): ToolOutput {
  const cut =
    finishReason === 'length'
      ? 'The limit of output tokens cut the call off'
      : 'The call was cut off before its arguments were complete'
  return errorOutput('truncated-call', `${cut}, so it was not run. Call again, with shorter arguments.`)
}

export function tooManyOutput(most: number): ToolOutput {
  return errorOutput('too-many-calls', `At most ${most} calls are run per step. Call again for the rest.`)
}

/** @param names of the tools that the model could have called */
export function unknownOutput(call: ToolCallPart, names: readonly string[]): ToolOutput {
  const available = names.length === 0 ? 'There are no tools.' : `Available tools: ${names.join(', ')}.`
  return errorOutput('unknown-tool', `There is no tool '${call.toolName}'. ${available}`)
}

/** @param timeout milliseconds that a hook or a policy had to decide on the call */
export function undecidedOutput({ toolName }: ToolCallPart, timeout: number): ToolOutput {
  return errorOutput(
    'tool-timeout',
    `Nobody decided within ${timeout} ms whether '${toolName}' may run, so it was not run.`,
  )
}

export function abortedOutput(): ToolOutput {
  return errorOutput('aborted', 'The run was aborted before this call was done.')
}

/** For a call that was neither run nor answered before its run failed. */
export function failedRunOutput(): ToolOutput {
  return errorOutput('aborted', 'The run ended before this call was done.')
}

/** For a call that was not begun when a hook ended the run. */
export function endedOutput(): ToolOutput {
  return errorOutput('not-executed', 'The run was ended before this call was run.')
}
