import type { LoopControl } from '../hooks.ts'
import type { Policy } from '../loop-options.ts'
import type { AssistantMessage, Message } from '../messages.ts'
import { addHook, sinceUser } from './compose.ts'
import { checkSettings, checkToolNames } from './settings.ts'

export interface RetryEmptyOptions {
  /** Empty answers to one message of the user that are asked for again. Default 1. */
  readonly maxRetries?: number | undefined
  /** What the model is told. Default: asks it to answer or to call a tool. */
  readonly message?: string | undefined
  /** The answer when the retries are used up. Default: the empty answer stays. */
  readonly giveUpText?: string | undefined
  /** Also retry when this tool was forced on the first step and the model answered without calling it. */
  readonly ignoredTool?: string | undefined
}

const nudge = 'You gave no answer. Answer the question, or call a tool.'

/**
 * Asks again when the model gives neither text, a refusal or a file nor calls. Never after a tool was called: its results would be worked on
 * twice; the object of a run with `output` is an answer too.
 * Throws `LoopError` `invalid-options` for options that do not exist, and where the loop has no tool `ignoredTool`.
 */
export function retryEmpty(settings: RetryEmptyOptions = {}): Policy {
  const known = { maxRetries: 'count', message: 'text', giveUpText: 'text', ignoredTool: 'name' } as const
  checkSettings('retryEmpty', settings, known)
  const { maxRetries = 1, message = nudge, giveUpText, ignoredTool } = settings
  const again: Message = { role: 'user', content: message, synthetic: true }
  return (options) => {
    if (ignoredTool !== undefined) checkToolNames('retryEmpty', [ignoredTool], options)
    return addHook(options, 'onStepEnd', ({ messages }): LoopControl | undefined => {
      const turns = sinceUser(messages).filter((turn) => turn.role === 'assistant')
      if (turns.length === 0 || turns.some(hasCall)) return undefined
      const ignored = ignoredTool !== undefined && turns.length === 1
      if (turns.at(-1)?.content.some(isAnswer) && !ignored) return undefined
      if (turns.length <= maxRetries) return { type: 'continue', messages: [again] }
      return giveUpText === undefined ? undefined : { type: 'override', response: giveUpText }
    })
  }
}

/** Core's own call, which gives the object of a run with `output`, counts. */
function hasCall({ content }: AssistantMessage): boolean {
  return content.some(({ type }) => type === 'tool-call')
}

function isAnswer(part: AssistantMessage['content'][number]): boolean {
  return part.type === 'file' || ((part.type === 'text' || part.type === 'refusal') && part.text !== '')
}
