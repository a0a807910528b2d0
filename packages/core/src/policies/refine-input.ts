import { isObject } from '../wire/json.ts'
import type { Policy, StepLoopOptions } from '../options/loop-options.ts'
import type { Message } from '../contract/messages.ts'
import { jsonSchemaOf } from '../tools/tool.ts'
import { lastPrompt, withInstructions } from './compose.ts'
import { checkSettings, checkToolNames } from './settings.ts'

export interface RefineInputOptions {
  /** Name of the tool whose input is completed. */
  readonly tool: string
  /**
   * Fields to fill in. Those that the model gave are never overwritten, and `undefined` ones are left out, as are those that the schema of
   * the tool rules out. `prompt` is the text of the user's last message; the system prompt is the first of `messages`.
   */
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
    const takes = fieldsOf(options, tool)
    const hook: StepLoopOptions['refineInput'] = async (call, context) => {
      const given = (await earlier?.(call, context)) ?? call.input
      if (call.toolName !== tool || !isObject(given)) return given
      const { messages, instructions } = context
      const found = fill(lastPrompt(messages), withInstructions(messages, instructions))
      const missing = Object.entries(found).filter(
        ([name, value]) => value !== undefined && given[name] === undefined && takes(name),
      )
      return missing.length === 0 ? given : { ...given, ...Object.fromEntries(missing) }
    }
    return { ...options, refineInput: hook }
  }
}

/** A tool that refuses what it does not know must not fail for what this policy alone gave. */
function fieldsOf({ tools }: StepLoopOptions, name: string): (field: string) => boolean {
  const tool = isObject(tools) ? tools[name] : undefined
  // Others are not run here, and so not completed.
  const schema = tool?.type === 'function' ? jsonSchemaOf(tool.inputSchema, `tool '${name}'`) : {}
  const { properties, additionalProperties } = schema
  return (field) => additionalProperties !== false || (isObject(properties) && Object.hasOwn(properties, field))
}
