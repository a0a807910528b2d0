import type { Policy } from '../options/loop-options.ts'
import type { Message } from '../contract/messages.ts'
import type { ToolContext } from '../tools/tool.ts'
import { mapTools, sinceUser } from './compose.ts'
import { checkSettings, checkToolNames } from './settings.ts'

/**
 * Limits how often each of the named tools runs for one message of the user, also when the run is suspended in between. A call beyond is
 * answered with an error that says so, and the run goes on; with `onToolError: 'throw'` it ends the run like any error of a tool. Calls of
 * the model count, run or not. What the loop and its policies tell the model (`synthetic` messages) does not begin the count anew.
 *
 * Throws `LoopError` `invalid-options` for limits that are no numbers from 0, and for names of tools that the loop does not run.
 */
export function limitToolCalls(limits: Readonly<Record<string, number>>): Policy {
  const names = Object.keys(limits ?? {})
  checkSettings('limitToolCalls', limits, Object.fromEntries(names.map((name) => [name, 'count'])), names)
  return (options) => {
    checkToolNames('limitToolCalls', names, options, 'run')
    return mapTools(options, (tool, name) => {
      const most = Object.hasOwn(limits, name) ? limits[name] : undefined
      if (most === undefined) return tool
      const execute = tool.execute as (input: unknown, context: ToolContext) => unknown
      return {
        ...tool,
        // Not before its turn has ended: until then it is not known how many calls come before this one.
        effect: 'write',
        execute: (input: unknown, context: ToolContext) => {
          if (callsBefore(context, name) < most) return execute(input, context)
          throw new RangeError(`'${name}' may be called ${most} times, and was. Go on with the results that you have.`)
        },
      }
    })
  }
}

/** Calls of the tool since the last words of the user, up to this one. */
function callsBefore({ messages, toolCallId }: ToolContext, name: string): number {
  return sinceUser(messages)
    .flatMap((message) => callsOf(message, name))
    .indexOf(toolCallId)
}

function callsOf(message: Message, name: string): readonly string[] {
  if (message.role !== 'assistant') return []
  return message.content.flatMap((part) =>
    part.type === 'tool-call' && part.toolName === name ? [part.toolCallId] : [],
  )
}
