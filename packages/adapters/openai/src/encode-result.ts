import {
  arrayOf,
  isObject,
  objectOf,
  textOf,
  toolOutputText,
  type JsonObject,
  type Origin,
  type ToolOutput,
  type ToolResultPart,
} from '@steploop/core/adapter'
import type { ResponseFunctionCallOutputItemList, ResponseInputItem } from 'openai/resources/responses/responses'
import { inputContent } from './encode-content.ts'

/**
 * The answer to a call, in the item type that its kind of call demands. `item` is the raw call item, `undefined` for calls of another
 * provider or written by hand, which went out as function calls.
 *
 * Kinds with a structured answer take it from a JSON output with the API's own field names (`{ output: [...] }` for a shell, `{ tools }`
 * for a tool search, `{ approve }` for an approval); a plain text is put where the kind has room for one.
 */
export function outputItem(
  { output }: ToolResultPart,
  call_id: string,
  item: JsonObject = {},
  origin: Origin,
): ResponseInputItem {
  const given = jsonOf(output)
  switch (item['type']) {
    case 'custom_tool_call':
      return {
        type: 'custom_tool_call_output',
        call_id,
        output: outputContent(output, origin) as string,
        ...callerOf(item),
      }
    case 'local_shell_call':
      // The item has no `call_id`: its `id` is that of the call.
      return { type: 'local_shell_call_output', id: call_id, output: toolOutputText(output) }
    case 'shell_call':
      return { type: 'shell_call_output', call_id, ...shellOutput(output, given, item), ...callerOf(item) }
    case 'apply_patch_call': {
      const status = output.type === 'error' || given['status'] === 'failed' ? 'failed' : 'completed'
      const log = textOf(given['output']) ?? toolOutputText(output)
      return { type: 'apply_patch_call_output', call_id, status, output: log, ...callerOf(item) }
    }
    case 'computer_call':
      return { type: 'computer_call_output', call_id, ...computerOutput(output, given, item) }
    case 'tool_search_call': {
      const tools = arrayOf(given['tools']) as []
      return { type: 'tool_search_output', call_id, execution: 'client', status: 'completed', tools }
    }
    case 'mcp_approval_request':
      return { type: 'mcp_approval_response', approval_request_id: call_id, ...approval(output, given) }
    default:
      return { type: 'function_call_output', call_id, output: outputContent(output, origin), ...callerOf(item) }
  }
}

function outputContent(output: ToolOutput, origin: Origin): string | ResponseFunctionCallOutputItemList {
  if (output.type !== 'content' || output.value.every((part) => part.type === 'text')) return toolOutputText(output)
  return inputContent(output.value, origin) as ResponseFunctionCallOutputItemList
}

/** A call that a program made is answered to that program (docs/wire.md#responses-fields-of-calls). */
function callerOf(item: JsonObject): { caller?: { type: 'program'; caller_id: string } } {
  const caller = objectOf(item['caller'])
  const caller_id = textOf(caller['caller_id'])
  return caller['type'] === 'program' && caller_id !== undefined ? { caller: { type: 'program', caller_id } } : {}
}

function shellOutput(
  output: ToolOutput,
  given: JsonObject,
  item: JsonObject,
): Pick<ResponseInputItem.ShellCallOutput, 'output' | 'max_output_length'> {
  const chunks = output.type === 'json' && Array.isArray(output.value) ? output.value : given['output']
  const text = toolOutputText(output)
  const failed = output.type === 'error'
  const chunk = {
    stdout: failed ? '' : text,
    stderr: failed ? text : '',
    outcome: { type: 'exit' as const, exit_code: failed ? 1 : 0 },
  }
  const maximum = objectOf(item['action'])['max_output_length']
  return {
    output: Array.isArray(chunks) ? (chunks as (typeof chunk)[]) : [chunk],
    // The limit that the model asked for goes back with the answer.
    ...(typeof maximum === 'number' && { max_output_length: maximum }),
  }
}

function computerOutput(
  output: ToolOutput,
  given: JsonObject,
  item: JsonObject,
): Pick<ResponseInputItem.ComputerCallOutput, 'output' | 'acknowledged_safety_checks'> {
  const image = output.type === 'content' ? output.value.find((part) => part.type === 'file') : undefined
  const image_url = image?.data === undefined ? image?.url : `data:${image.mediaType};base64,${image.data}`
  const file_id = textOf(given['file_id'])
  const url = image_url ?? textOf(given['image_url'])
  const checks = arrayOf(given['acknowledged_safety_checks'] ?? item['pending_safety_checks'])
  return {
    output: {
      type: 'computer_screenshot',
      ...(url !== undefined && { image_url: url }),
      ...(file_id !== undefined && { file_id }),
    },
    // Whoever answers a call with pending checks has seen them: the call's input shows them.
    ...(checks.length > 0 && { acknowledged_safety_checks: checks as { id: string }[] }),
  }
}

function approval(output: ToolOutput, given: JsonObject): { approve: boolean; reason?: string } {
  const approve = given['approve'] === true || given['approved'] === true
  const reason = output.type === 'error' ? output.value.message : textOf(given['reason'])
  return { approve, ...(reason !== undefined && { reason }) }
}

function jsonOf(output: ToolOutput): JsonObject {
  return output.type === 'json' && isObject(output.value) ? output.value : {}
}
