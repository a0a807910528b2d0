import type { LanguageModelV4FilePart, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import {
  isObject,
  objectOf,
  type FilePart,
  type TextPart,
  type ToolErrorValue,
  type ToolOutput,
} from '@steploop/core/adapter'

/** What a tool gave back. Errors of the AI SDK are texts or any JSON; ours have a code and a message. */
export function decodeOutput(
  output: LanguageModelV4ToolResultOutput,
  convert: (file: LanguageModelV4FilePart) => FilePart,
): ToolOutput {
  switch (output.type) {
    case 'text':
      return { type: 'text', value: output.value }
    case 'json':
      return { type: 'json', value: output.value }
    case 'execution-denied':
      return failure('denied', output.reason ?? 'The call was not allowed.')
    case 'error-text':
      return failure('tool-failed', output.value)
    case 'error-json': {
      const inner = objectOf(output.value)['error']
      if (isErrorValue(inner)) return { type: 'error', value: inner }
      return failure('tool-failed', typeof output.value === 'string' ? output.value : JSON.stringify(output.value))
    }
    case 'content':
      return {
        type: 'content',
        value: output.value.flatMap((part) => contentOf(part, convert)),
      }
    default:
      return output satisfies never
  }
}

type Content = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]

/** Custom parts belong to a package, and mean nothing to an adapter. */
function contentOf(
  part: Content,
  convert: (file: LanguageModelV4FilePart) => FilePart,
): readonly (TextPart | FilePart)[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }]
  return part.type === 'file' ? [convert(part)] : []
}

function failure(code: ToolErrorValue['code'], message: string): ToolOutput {
  return { type: 'error', value: { code, message } }
}

/** An error that `encodeOutput` made, or that has its shape by chance: then it says the same. */
function isErrorValue(value: unknown): value is ToolErrorValue {
  return isObject(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
}
