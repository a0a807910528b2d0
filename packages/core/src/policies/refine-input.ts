import { isObject } from '../json.ts'
import type { Policy, StepLoopOptions } from '../loop-options.ts'
import type { Message } from '../messages.ts'
import { lastPrompt } from './compose.ts'
import { checkSettings, checkToolNames } from './settings.ts'

export interface RefineInputOptions {
  /** Name of the tool whose input is completed. */
  readonly tool: string
  /** Fields to fill in. Those that the model gave are never overwritten, and `undefined` ones are left out. */
  readonly fill: (prompt: string, messages: readonly Message[]) => Readonly<Record<string, unknown>>
}

/**
 * Completes the input of a tool from the conversation, for example time limits of a search from what the user asked.
 * Throws `LoopError` `invalid-options` for options that do not exist, and where the loop has no such tool.
 */
export function refineInput(settings: RefineInputOptions): Policy {
  checkSettings('refineInput', settings, { tool: 'name', fill: 'function' }, ['tool', 'fill'])
  const { tool, fill } = settings
  return (options) => {
    checkToolNames('refineInput', [tool], options)
    const earlier = options.refineInput
    const hook: StepLoopOptions['refineInput'] = async (call, context) => {
      const given = (await earlier?.(call, context)) ?? call.input
      if (call.toolName !== tool || !isObject(given)) return given
      const { messages } = context
      const missing = Object.entries(fill(lastPrompt(messages), messages)).filter(
        ([name, value]) => value !== undefined && given[name] === undefined,
      )
      return missing.length === 0 ? given : { ...given, ...Object.fromEntries(missing) }
    }
    return { ...options, refineInput: hook }
  }
}
