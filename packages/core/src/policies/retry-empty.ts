import type { Policy } from '../options/loop-options.ts'
import type { AssistantMessage, Message } from '../contract/messages.ts'
import { addHook, isAnswer, sinceUser } from './compose.ts'
import { checkSettings, checkToolNames } from './settings.ts'
import type { LoopControl } from '../options/loop-hooks.ts'

export interface RetryEmptyOptions {
  /** Empty answers to one message of the user that are asked for again. Default 1. */
  readonly maxRetries?: number | undefined
  /** What the model is told. Default: asks it to answer or to call a tool, or says which tool it did not call. */
  readonly message?: string | undefined
  /** The answer when the retries are used up. Default: the empty answer stays. */
  readonly giveUpText?: string | undefined
  /** Retries, too, when this tool was forced on the first step and the model answered without calling it. */
  readonly ignoredTool?: string | undefined
}

const nudge = 'You gave no answer. Answer the question, or call a tool.'

/**
 * Asks again when the model gives neither text, a refusal or a file nor calls. Never after a tool was called: its results would be worked on
 * twice, so that there is only the `giveUpText`. The object of a run with `output` is an answer too.
 * Throws `LoopError` `invalid-options` for options that do not exist, and where the loop has no tool `ignoredTool`.
 */
export function retryEmpty(settings: RetryEmptyOptions = {}): Policy {
  const known = { maxRetries: 'count', message: 'text', giveUpText: 'text', ignoredTool: 'name' } as const
  checkSettings('retryEmpty', settings, known)
  const { maxRetries = 1, message = nudge, giveUpText, ignoredTool } = settings
  const again: Message = { role: 'user', content: message, synthetic: true }
  const missed = `You did not call '${ignoredTool}'. Call it, or answer the question again.`
  const ignored: Message = { ...again, content: settings.message ?? missed }
  return (options) => {
    if (ignoredTool !== undefined) checkToolNames('retryEmpty', [ignoredTool], options)
    return addHook(options, 'onStepEnd', ({ messages }): LoopControl | undefined => {
      const turns = sinceUser(messages).filter((turn) => turn.role === 'assistant')
      const last = turns.at(-1)
      if (last === undefined || hasCall(last)) return undefined
      const called = turns.some(hasCall)
      const answered = last.content.some(isAnswer)
      if (answered && (called || ignoredTool === undefined || turns.length > 1)) return undefined
      if (!called && turns.length <= maxRetries) return { type: 'continue', messages: [answered ? ignored : again] }
      return answered || giveUpText === undefined ? undefined : { type: 'override', response: giveUpText }
    })
  }
}

/** Core's own call, which gives the object of a run with `output`, counts. */
function hasCall({ content }: AssistantMessage): boolean {
  return content.some(({ type }) => type === 'tool-call')
}
