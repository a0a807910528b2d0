import type { LoopControl } from '../hooks.ts'
import type { Policy } from '../loop-options.ts'
import type { Message } from '../messages.ts'
import { structuredToolName } from '../structured.ts'
import type { ToolContext } from '../tool.ts'
import { addHook, addPrepareStep, mapTools, sinceUser } from './compose.ts'
import { checkSettings } from './settings.ts'

export interface FinalizeAfterToolsOptions {
  /** Steps with tools before the answer is asked for. Default 1. */
  readonly steps?: number | undefined
  /** What the model is told, once. */
  readonly message?: string | undefined
}

const request = 'Please use the tool results above to answer my original question.'

/**
 * Asks for the answer, without tools, after the first batches of calls for one message of the user, whether a run was suspended in between
 * or not; calls that come all the same are answered with an error. It cuts multi-step runs short, which is its point. Throws `LoopError` `invalid-options` for options that do not exist.
 */
export function finalizeAfterTools(settings: FinalizeAfterToolsOptions = {}): Policy {
  checkSettings('finalizeAfterTools', settings, { steps: 'count', message: 'text' })
  const { steps: batches = 1, message = request } = settings
  const nudge: Message = { role: 'user', content: message, synthetic: true }
  return (options) => {
    const nudged = addHook(options, 'onStepEnd', ({ messages }): LoopControl | undefined => {
      const justDone = batchesIn(messages) === batches && isBatch(messages.at(-1))
      return justDone ? { type: 'continue', messages: [nudge] } : undefined
    })
    const cut = mapTools(nudged, (tool) => {
      const execute = tool.execute as (input: unknown, context: ToolContext) => unknown
      return {
        ...tool,
        execute: (input: unknown, context: ToolContext) => {
          // Not every provider can be told to call nothing, nor does every model obey.
          if (batchesIn(context.messages) < batches) return execute(input, context)
          throw new RangeError('No more tools are run. Answer with the results that you have.')
        },
      }
    })
    return addPrepareStep(cut, ({ steps, messages }) => {
      if (batchesIn(messages) < batches) return undefined
      // The run that made the last batch was suspended in it.
      const late = steps.length === 0 && messages.at(-1)?.role === 'tool'
      return { toolChoice: 'none', ...(late && { messages: [...messages, nudge] }) }
    })
  }
}

function batchesIn(messages: readonly Message[]): number {
  return sinceUser(messages).filter(isBatch).length
}

/** Results, but not only that of the object of a run with `output`. */
function isBatch(message: Message | undefined): boolean {
  return message?.role === 'tool' && message.content.some(({ toolName }) => toolName !== structuredToolName)
}
