import type { Policy } from '../loop-options.ts'
import type { Message } from '../messages.ts'
import { addPrepareStep, lastPrompt } from './compose.ts'

export interface ForceFirstToolOptions {
  /** Name of the tool to force. */
  readonly tool: string
  /** Whether this conversation needs it. `prompt` is the text of the last user message. Default: always. */
  readonly when?: ((prompt: string, messages: readonly Message[]) => boolean) | undefined
}

/**
 * Forces a tool on the first step of a run, for example a search when the prompt asks for news. It does nothing when the loop has no such
 * tool; a provider that cannot be forced gets `auto`, by its adapter's capabilities.
 */
export function forceFirstTool({ tool, when = () => true }: ForceFirstToolOptions): Policy {
  return (options) =>
    addPrepareStep(options, ({ step, messages }) => {
      const present = options.tools !== undefined && Object.hasOwn(options.tools, tool)
      const wanted = step === 0 && present && when(lastPrompt(messages), messages)
      return wanted ? { toolChoice: { type: 'tool', toolName: tool } } : undefined
    })
}
