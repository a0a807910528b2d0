import type { Policy } from '../loop-options.ts'
import type { Message } from '../messages.ts'
import { addPrepareStep, hasUserSpoken, lastPrompt } from './compose.ts'
import { checkSettings, checkToolNames } from './settings.ts'

export interface ForceFirstToolOptions {
  /** Name of the tool to force. */
  readonly tool: string
  /** Whether this conversation needs it. `prompt` is the text of the user's last message. Default: always. */
  readonly when?: ((prompt: string, messages: readonly Message[]) => boolean) | undefined
}

/**
 * Forces a tool on the first step after a message of the user, for example a search when the prompt asks for news; not again when a
 * suspended run goes on. A provider that cannot be forced gets `auto`, by its adapter's capabilities.
 * Throws `LoopError` `invalid-options` for options that do not exist, and where the loop has no such tool.
 */
export function forceFirstTool(settings: ForceFirstToolOptions): Policy {
  checkSettings('forceFirstTool', settings, { tool: 'name', when: 'function' }, ['tool'])
  const { tool, when = () => true } = settings
  return (options) => {
    checkToolNames('forceFirstTool', [tool], options)
    return addPrepareStep(options, ({ step, messages }) => {
      const present = options.tools !== undefined && Object.hasOwn(options.tools, tool)
      const wanted = step === 0 && present && hasUserSpoken(messages) && when(lastPrompt(messages), messages)
      return wanted ? { toolChoice: { type: 'tool', toolName: tool } } : undefined
    })
  }
}
