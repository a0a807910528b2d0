import type { JSONValue, LanguageModelV4ToolResult } from '@ai-sdk/provider'
import { isObject, toJsonValue, type ToolCallPart, type ToolResultPart } from '@steploop/core/adapter'

/**
 * The input as the AI SDK parses it again. `undefined`: the call may not be handed over, because it is unfinished or what it holds would
 * pass for whole. Text that does not parse is handed over: the AI SDK answers the model with an error.
 */
export function finalInput({ invalid, input, inputText }: ToolCallPart): string | undefined {
  if (invalid === 'truncated') return undefined
  if (invalid === undefined && isObject(input))
    return inputText.trim().startsWith('{') ? inputText : JSON.stringify(input)
  return inputText
}

/** The result of a call that the provider ran. */
export function resultPart({ toolCallId, toolName, output }: Omit<ToolResultPart, 'type'>): LanguageModelV4ToolResult {
  const value = output.type === 'error' ? { error: output.value } : output.value
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    // JSON by then, and never null.
    result: (toJsonValue(value) ?? '') as NonNullable<JSONValue>,
    ...(output.type === 'error' && { isError: true }),
  }
}
