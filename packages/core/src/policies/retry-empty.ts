import type { LoopControl } from '../hooks.ts'
import type { Policy } from '../loop-options.ts'
import type { Message } from '../messages.ts'
import { addHook } from './compose.ts'

export interface RetryEmptyOptions {
  /** Empty answers that are asked for again, from the first step of the run on. Default 1. */
  readonly maxRetries?: number | undefined
  /** What the model is told. Default: asks it to answer or to call a tool. */
  readonly message?: string | undefined
  /** The answer when the retries are used up. Default: the empty answer stays. */
  readonly giveUpText?: string | undefined
  /** Also retry when this tool was forced on the first step and the model answered without calling it. */
  readonly ignoredTool?: string | undefined
}

const nudge = 'You gave no answer. Answer the question, or call a tool.'

/** Asks again when the model gives neither text nor calls. Never after a tool has run: its results would be worked on twice. */
export function retryEmpty(settings: RetryEmptyOptions = {}): Policy {
  const { maxRetries = 1, message = nudge, giveUpText, ignoredTool } = settings
  const again: Message = { role: 'user', content: message }
  return (options) =>
    addHook(options, 'onStepEnd', ({ steps }): LoopControl | undefined => {
      const last = steps.at(-1)
      if (last === undefined || steps.some((step) => step.toolCalls.length > 0)) return undefined
      const ignored = ignoredTool !== undefined && steps.length === 1 && last.text !== ''
      if (last.text !== '' && !ignored) return undefined
      if (steps.length <= maxRetries) return { type: 'continue', messages: [again] }
      return giveUpText === undefined ? undefined : { type: 'override', response: giveUpText }
    })
}
