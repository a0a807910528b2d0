import type { Policy } from '../options/loop-options.ts'
import type { ToolContext } from '../tools/tool.ts'
import { mapTools } from './compose.ts'
import { checkSetting } from './settings.ts'

/**
 * Lets tools run `most` times in all loops and runs that are given this very policy, such as an agent and the agents that it calls as
 * tools. A call beyond is answered with an error that says so, and its run goes on; with `onToolError: 'throw'` it ends it.
 *
 * The policy counts as long as it lives: one for a whole server is a budget that one user can use up for all. Make one per conversation.
 * Throws `LoopError` `invalid-options` for what is no number from 0.
 */
export function shareToolCalls(most: number): Policy {
  checkSetting('`shareToolCalls`', most, 'count')
  let used = 0
  const counted = new WeakSet<ToolContext>()
  return (options) =>
    mapTools(options, (tool) => {
      const execute = tool.execute as (input: unknown, context: ToolContext) => unknown
      return {
        ...tool,
        // Not before its turn has ended: a turn that fails, and is asked for again, must not use up what is shared.
        effect: 'write',
        execute: (input: unknown, context: ToolContext) => {
          // A loop may be given the policy twice, by a preset and by hand say: its call is one call.
          if (counted.has(context)) return execute(input, context)
          counted.add(context)
          if (used++ < most) return execute(input, context)
          throw new RangeError(`The ${most} calls that are shared here are used up. Answer with what you have.`)
        },
      }
    })
}
