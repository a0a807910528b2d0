import type { LoopControl } from '../hooks.ts'
import type { Policy } from '../loop-options.ts'
import { addHook, addPrepareStep } from './compose.ts'

export interface FinalizeAfterToolsOptions {
  /** Steps with tools before the answer is asked for. Default 1. */
  readonly steps?: number | undefined
  /** What the model is told, once. */
  readonly message?: string | undefined
}

const request = 'Please use the tool results above to answer my original question.'

/** Asks for the answer, without tools, after the first batches of calls. It cuts multi-step runs short, which is its point. */
export function finalizeAfterTools(settings: FinalizeAfterToolsOptions = {}): Policy {
  const { steps: batches = 1, message = request } = settings
  return (options) => {
    const nudged = addHook(options, 'onStepEnd', ({ steps }): LoopControl | undefined => {
      const done = steps.filter((step) => step.toolResults.length > 0).length
      const justDone = done === batches && (steps.at(-1)?.toolResults.length ?? 0) > 0
      return justDone ? { type: 'continue', messages: [{ role: 'user', content: message }] } : undefined
    })
    return addPrepareStep(nudged, ({ steps }) =>
      steps.filter((step) => step.toolResults.length > 0).length >= batches ? { toolChoice: 'none' } : undefined,
    )
  }
}
