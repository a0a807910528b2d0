import type { Policy } from '../options/loop-options.ts'
import type { ToolOutput } from '../contract/messages.ts'
import { outputOf, toolOutputText } from '../wire/tool-output.ts'
import { mapTools } from './compose.ts'
import { checkSettings, checkToolNames } from './settings.ts'

export interface LimitToolOutputOptions {
  /** UTF-16 units that the model gets of one output. */
  readonly maxCharacters: number
  /** Names of the tools that are limited. Default: all. */
  readonly tools?: readonly string[] | undefined
}

/**
 * Cuts long tool outputs, and says so at the end of what is left. Files in an output stay whole.
 * Throws `LoopError` `invalid-options` for options that do not exist, and for `tools` that the loop does not run.
 */
export function limitToolOutput(settings: LimitToolOutputOptions): Policy {
  checkSettings('limitToolOutput', settings, { maxCharacters: 'count', tools: 'names' }, ['maxCharacters'])
  const { maxCharacters, tools } = settings
  return (options) => {
    checkToolNames('limitToolOutput', tools ?? [], options, 'run')
    return mapTools(options, (tool, name) => {
      if (tools !== undefined && !tools.includes(name)) return tool
      const toModelOutput = tool.toModelOutput ?? outputOf
      return { ...tool, toModelOutput: (result: unknown) => cut(toModelOutput(result), maxCharacters) }
    })
  }
}

function cut(output: ToolOutput, maxCharacters: number): ToolOutput {
  if (output.type === 'error') return output
  const text = toolOutputText(output)
  if (text.length <= maxCharacters) return output
  const start = wellFormedStart(text, maxCharacters)
  const shortened = `${start}\n[cut: ${text.length - start.length} of ${text.length} characters left out]`
  if (output.type !== 'content') return { type: 'text', value: shortened }
  const files = output.value.filter((part) => part.type === 'file')
  return { type: 'content', value: [{ type: 'text', text: shortened }, ...files] }
}

/** Start of a text that does not end in the middle of a character outside the basic plane. */
function wellFormedStart(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}
