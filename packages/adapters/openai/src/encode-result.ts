import {
  arrayOf,
  objectOf,
  textOf,
  toolOutputText,
  type JsonObject,
  type Origin,
  type ToolOutput,
} from '@steploop/core/adapter'
import type { ResponseFunctionCallOutputItemList, ResponseInputItem } from 'openai/resources/responses/responses'
import { dataUrl, inputContent } from './encode-content.ts'

/** An answer to a call. */
export interface Answer {
  readonly output: ToolOutput
  readonly call_id: string
  /** The raw call item; empty for calls of another provider or written by hand, which went out as function calls. */
  readonly item: JsonObject
  readonly origin: Origin
}

// Kinds with a structured answer take it from a JSON output with the API's own field names (`{ output: [...] }` for a shell, `{ tools }` for a
// tool search, `{ approve }` for an approval); a plain text is put where the kind has room for one.

export function answerFunction({ output, call_id, item, origin }: Answer): ResponseInputItem {
  return { type: 'function_call_output', call_id, output: outputContent(output, origin), ...callerOf(item) }
}

export function answerCustom(answer: Answer): ResponseInputItem {
  return {
    ...(answerFunction(answer) as ResponseInputItem.FunctionCallOutput),
    type: 'custom_tool_call_output',
  } as ResponseInputItem
}

/** The item has no `call_id`: its `id` is that of the call. */
export function answerLocalShell({ output, call_id }: Answer): ResponseInputItem {
  return { type: 'local_shell_call_output', id: call_id, output: toolOutputText(output) }
}

export function answerPatch({ output, call_id, item }: Answer): ResponseInputItem {
  const given = jsonOf(output)
  const status = output.type === 'error' || given['status'] === 'failed' ? 'failed' : 'completed'
  const log = textOf(given['output']) ?? toolOutputText(output)
  return { type: 'apply_patch_call_output', call_id, status, output: log, ...callerOf(item) }
}

export function answerSearch({ output, call_id }: Answer): ResponseInputItem {
  const tools = arrayOf(jsonOf(output)['tools']) as []
  return { type: 'tool_search_output', call_id, execution: 'client', status: 'completed', tools }
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

export function answerShell({ output, call_id, item }: Answer): ResponseInputItem {
  const chunks = output.type === 'json' && Array.isArray(output.value) ? output.value : jsonOf(output)['output']
  const text = toolOutputText(output)
  const failed = output.type === 'error'
  const chunk = {
    stdout: failed ? '' : text,
    stderr: failed ? text : '',
    outcome: { type: 'exit' as const, exit_code: failed ? 1 : 0 },
  }
  const maximum = objectOf(item['action'])['max_output_length']
  return {
    type: 'shell_call_output',
    call_id,
    output: Array.isArray(chunks) ? (chunks as (typeof chunk)[]) : [chunk],
    // The limit that the model asked for goes back with the answer.
    ...(typeof maximum === 'number' && { max_output_length: maximum }),
    ...callerOf(item),
  }
}

export function answerComputer({ output, call_id, item }: Answer): ResponseInputItem {
  const given = jsonOf(output)
  const image = output.type === 'content' ? output.value.find((part) => part.type === 'file') : undefined
  const image_url = image?.data === undefined ? image?.url : dataUrl(image.mediaType, image.data)
  const file_id = textOf(given['file_id'])
  const url = image_url ?? textOf(given['image_url'])
  const checks = arrayOf(given['acknowledged_safety_checks'] ?? item['pending_safety_checks'])
  return {
    type: 'computer_call_output',
    call_id,
    output: {
      type: 'computer_screenshot',
      ...(url !== undefined && { image_url: url }),
      ...(file_id !== undefined && { file_id }),
    },
    // Whoever answers a call with pending checks has seen them: the call's input shows them.
    ...(checks.length > 0 && { acknowledged_safety_checks: checks as { id: string }[] }),
  }
}

export function answerApproval({ output, call_id }: Answer): ResponseInputItem {
  const given = jsonOf(output)
  const approve = given['approve'] === true || given['approved'] === true
  const reason = output.type === 'error' ? output.value.message : textOf(given['reason'])
  return {
    type: 'mcp_approval_response',
    approval_request_id: call_id,
    approve,
    ...(reason !== undefined && { reason }),
  }
}

function jsonOf(output: ToolOutput): JsonObject {
  return objectOf(output.type === 'json' ? output.value : undefined)
}
