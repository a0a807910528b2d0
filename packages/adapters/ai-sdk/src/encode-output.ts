import type { JSONValue, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import { toJsonValue, type ToolOutput } from '@steploop/core/adapter'
import { encodeFile } from './encode-file.ts'
import type { PromptContext } from './prompt-context.ts'

/** Packages that put an error into an envelope of their own; others send it as it is. */
const wrapping = new Set(['openai', 'azure', 'google', 'vertex'])

/** What a tool gave back. An error reaches the model in the shape that all adapters send: `{"error":{"code","message"}}`. */
export function encodeOutput(output: ToolOutput, context: PromptContext): LanguageModelV4ToolResultOutput {
  switch (output.type) {
    case 'text':
      return { type: 'text', value: output.value }
    case 'json':
      return { type: 'json', value: jsonOf(output.value) }
    case 'error':
      return {
        type: 'error-json',
        value: jsonOf(wrapping.has(context.namespace) ? output.value : { error: output.value }),
      }
    case 'content':
      return {
        type: 'content',
        value: output.value.map((part) =>
          part.type === 'text' ? { type: 'text', text: part.text } : encodeFile(part, context),
        ),
      }
    default:
      return output satisfies never
  }
}

/** Plain JSON is what `toJsonValue` makes. */
function jsonOf(value: unknown): JSONValue {
  return toJsonValue(value) as JSONValue
}
