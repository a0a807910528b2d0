import type { AbortReason } from './state/abort-scope.ts'
import { AdapterError, LoopError } from '../contract/errors.ts'
import { makeResult } from './make-result.ts'
import type { RunResult } from '../contract/run-result.ts'
import { stepNumber, transcriptOf, type RunState } from './state/run-state.ts'
import { errorText } from '../wire/error-text.ts'

/** What became of a run that could not go on: a time that is over is a limit like the others, anything else a `LoopError`. */
export function failedRun(run: RunState, cause: unknown): RunResult {
  const timedOut = abortIn(run, cause)?.code === 'timeout'
  if (!timedOut || run.config.onLimit === 'throw') throw loopError(run, cause)
  return makeResult(run, { status: 'incomplete', stopReason: 'timeout' })
}

/** Not asked for its class: a proxy that an adapter throws may throw at that. */
function abortIn({ scope }: Pick<RunState, 'scope'>, cause: unknown): AbortReason | undefined {
  return cause === scope.reason ? scope.reason : undefined
}

/** What the turn that failed had said. */
function partialText({ unfinished }: Pick<RunState, 'unfinished'>): string | undefined {
  const parts = unfinished?.turn().message.content ?? []
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('') || undefined
}

/** Whatever ended the run, with the transcript so far: every call in it is answered, or goes on waiting. */
function loopError(run: RunState, cause: unknown): LoopError {
  const transcript = transcriptOf(run)
  const step = stepNumber(run)
  const reached = { transcript, step, steps: run.steps.slice(), usage: run.usage, partialText: partialText(run) }
  const aborted = abortIn(run, cause)
  if (aborted !== undefined) {
    const message = aborted.code === 'timeout' ? String(aborted.cause) : `The run was aborted in step ${step}.`
    return new LoopError(aborted.code, message, { ...reached, cause: aborted.cause })
  }
  if (LoopError.isInstance(cause)) {
    return new LoopError(cause.code, cause.message, {
      ...reached,
      toolCall: cause.toolCall,
      cause: cause.cause ?? cause,
    })
  }
  const kind = AdapterError.isInstance(cause) ? '' : ' with an error that is no AdapterError'
  return new LoopError('turn-failed', `Step ${step} failed${kind}: ${errorText(cause)}`, { ...reached, cause })
}
