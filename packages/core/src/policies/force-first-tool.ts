import type { Adapter } from '../contract/adapter.ts'
import type { Policy } from '../options/loop-options.ts'
import type { Message } from '../contract/messages.ts'
import { addPrepareStep, lastPrompt, sinceUser, withInstructions } from './compose.ts'
import { checkSettings, checkToolNames } from './settings.ts'

export interface ForceFirstToolOptions {
  /** Name of the tool to force. */
  readonly tool: string
  /**
   * Whether this conversation needs it. `prompt` is the text of the user's last message; the system prompt is the first of `messages`.
   * Default: always.
   */
  readonly when?: ((prompt: string, messages: readonly Message[]) => boolean) | undefined
}

/**
 * Forces a tool on the first step after a message of the user, for example a search when the prompt asks for news; not again when a
 * suspended run goes on. A provider that cannot be forced gets `auto`, by its adapter's capabilities, and models of xAI are never forced,
 * whatever gateway is before them.
 * Throws `LoopError` `invalid-options` for options that do not exist, and where the loop has no such tool.
 */
export function forceFirstTool(settings: ForceFirstToolOptions): Policy {
  checkSettings('forceFirstTool', settings, { tool: 'name', when: 'function' }, ['tool'])
  const { tool, when = () => true } = settings
  return (options) => {
    checkToolNames('forceFirstTool', [tool], options)
    return addPrepareStep(options, ({ step, messages, instructions, model }) => {
      const present = options.tools !== undefined && Object.hasOwn(options.tools, tool)
      if (step > 0 || !present || sinceUser(messages).length > 0 || isOfXai(model)) return undefined
      const wanted = when(lastPrompt(messages), withInstructions(messages, instructions))
      return wanted ? { toolChoice: { type: 'tool', toolName: tool } } : undefined
    })
  }
}

/** Whether it is a model of xAI's, as `xai`, `openrouter` (`x-ai/grok-4`), `azure` or a gateway (`xai.grok-4`, `grok-4-fast`) name it. */
function isOfXai({ provider, model }: Adapter): boolean {
  return provider === 'xai' || /(?:^|[/.:])(?:x-?ai|grok)(?:[-/.:]|$)/i.test(model)
}
