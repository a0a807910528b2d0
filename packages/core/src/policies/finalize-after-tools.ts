import type { Policy, StepEdit } from '../options/loop-options.ts'
import type { Message } from '../contract/messages.ts'
import { structuredToolName } from '../output/structured.ts'
import { addHook, addPrepareStep, isAnswer, sinceUser } from './compose.ts'
import { checkSettings } from './settings.ts'
import type { Step } from '../contract/step.ts'
import type { LoopControl } from '../options/loop-hooks.ts'

export interface FinalizeAfterToolsOptions {
  /** Steps with tools before the answer is asked for. Default 1. */
  readonly steps?: number | undefined
  /** What the model is told. */
  readonly message?: string | undefined
}

const request = 'Please use the tool results above to answer my original question.'

/** After those two the run goes on as if nothing had been asked for. */
const streamed: StepEdit = { activeTools: [], mode: 'stream', fallback: {} }
const attempts: readonly StepEdit[] = [{ toolChoice: 'none', fallback: streamed }, streamed]

/**
 * Asks for the answer after the first batches of calls for one message of the user, whether a run was suspended in between or not: with the
 * tools, of which none may be called; where that fails or gives nothing, as a stream and without tools; where that fails too, the run goes
 * on, and the answer is asked for again after its next batch. It cuts multi-step runs short, which is its point.
 * Throws `LoopError` `invalid-options` for options that do not exist.
 */
export function finalizeAfterTools(settings: FinalizeAfterToolsOptions = {}): Policy {
  checkSettings('finalizeAfterTools', settings, { steps: 'count', message: 'text' })
  const { steps: batches = 1, message = request } = settings
  const nudge: Message = { role: 'user', content: message, synthetic: true }
  return (options) => {
    const nudged = addHook(options, 'onStepEnd', ({ steps, messages }): LoopControl | undefined => {
      if (batchesIn(messages) < batches) return undefined
      const made = attemptsIn(steps)
      const due = made === 0 ? messages.at(-1)?.role === 'tool' : made <= attempts.length && isEmpty(steps.at(-1))
      return due ? { type: 'continue', messages: [nudge] } : undefined
    })
    return addPrepareStep(nudged, ({ steps, messages }) => {
      if (batchesIn(messages) < batches) return undefined
      // The run that made the last batch was suspended in it.
      const late = steps.length === 0 && messages.at(-1)?.role === 'tool'
      return { ...attempts[attemptsIn(steps)], ...(late && { messages: [...messages, nudge] }) }
    })
  }
}

/** Without those in which only the object of a run with `output` was given, and those that were not run. */
function batchesIn(messages: readonly Message[]): number {
  return sinceUser(messages).filter(
    (message) =>
      message.role === 'tool' && message.content.some((part) => part.toolName !== structuredToolName && wasRun(part)),
  ).length
}

function wasRun({ output }: Step['toolResults'][number]): boolean {
  return output.type !== 'error' || output.value.code !== 'not-executed'
}

/** Turns since the last batch. */
function attemptsIn(steps: readonly Step[]): number {
  return steps.length - 1 - steps.findLastIndex(({ toolResults }) => toolResults.some(wasRun))
}

function isEmpty(step: Step | undefined): boolean {
  const { content = [] } = step?.message ?? {}
  return step?.finishReason !== 'content-filter' && !content.some((part) => isAnswer(part) || part.type === 'tool-call')
}
