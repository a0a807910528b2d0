import type { ToolCallPart, ToolOutput, ToolResultPart } from '@steploop/core'
import { badRequest } from './api-error.ts'
import { isObject, textOf, type JsonObject } from './json.ts'
import { namespacedName } from './read-tools.ts'

/** The call of a client's tool. Throws `ApiError` 400 for an item that has no id or no name. */
export function callOf(data: JsonObject, param: string): ToolCallPart {
  const id = textOf(data['call_id'])
  const name = textOf(data['name'])
  if (id === undefined || id === '') throw badRequest('A call needs its `call_id`.', { param: `${param}.call_id` })
  if (name === undefined || name === '') throw badRequest('A call needs its `name`.', { param: `${param}.name` })
  const namespace = textOf(data['namespace'])
  const inputText =
    data['type'] === 'custom_tool_call' ? customInput(data['input']) : (textOf(data['arguments']) ?? '{}')
  const toolName = namespace === undefined ? name : namespacedName(namespace, name)
  return { type: 'tool-call', toolCallId: id, toolName, ...parsed(inputText), inputText, owner: 'client' }
}

/** A custom tool takes a text; the model writes it into the one member of an object. */
function customInput(input: unknown): string {
  return JSON.stringify({ input: textOf(input) ?? '' })
}

/** The text that a custom call is about. */
export function customText(inputText: string): string {
  const { input } = parsed(inputText)
  return (isObject(input) ? textOf(input['input']) : undefined) ?? inputText
}

function parsed(inputText: string): Pick<ToolCallPart, 'input' | 'invalid'> {
  try {
    const input: unknown = JSON.parse(inputText === '' ? '{}' : inputText)
    if (isObject(input)) return { input }
  } catch {
    return { input: undefined, invalid: 'unparsable' }
  }
  return { input: undefined, invalid: 'unparsable' }
}

/** A call that was carried out here, with its result; `undefined` where the item does not say what came of it. */
export function gatewayPair(
  data: JsonObject,
): { readonly call: ToolCallPart; readonly result: ToolResultPart } | undefined {
  const id = textOf(data['id'])
  const shown = shownCall(data)
  if (id === undefined || shown === undefined) return undefined
  const { toolName, inputText, output } = shown
  return {
    call: { type: 'tool-call', toolCallId: id, toolName, ...parsed(inputText), inputText, owner: 'loop' },
    result: { type: 'tool-result', toolCallId: id, toolName, output },
  }
}

function shownCall(data: JsonObject): { toolName: string; inputText: string; output: ToolOutput } | undefined {
  switch (data['type']) {
    case 'mcp_call': {
      const { output, error } = data
      const name = textOf(data['name']) ?? ''
      const label = textOf(data['server_label'])
      const failed = textOf(error) ?? (error == null ? undefined : JSON.stringify(error))
      const value = textOf(output) ?? failed
      if (value === undefined) return undefined
      const toolName = label === undefined ? name : namespacedName(label, name)
      return { toolName, inputText: textOf(data['arguments']) ?? '{}', output: { type: 'text', value } }
    }
    case 'web_search_call': {
      const action = isObject(data['action']) ? data['action'] : {}
      if (action['sources'] == null) return undefined
      const inputText = JSON.stringify({ query: textOf(action['query']) ?? '' })
      return { toolName: 'web_search', inputText, output: { type: 'json', value: action['sources'] } }
    }
    case 'file_search_call': {
      if (data['results'] == null) return undefined
      const inputText = JSON.stringify({ queries: data['queries'] ?? [] })
      return { toolName: 'file_search', inputText, output: { type: 'json', value: data['results'] } }
    }
    default:
      return undefined
  }
}
