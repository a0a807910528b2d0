import { arrayOf, numberOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { memberText } from '../../json.ts'
import { errorOf, firstText, lastText } from '../read/payload.ts'
import { createPartList, type PartList } from '../read/part-list.ts'
import type { ResponseView, ResponseUsage } from '../read/response-view.ts'

/** Messages: content blocks, or their starts and deltas by index. */
export function readResponse(payloads: readonly JsonObject[]): ResponseView {
  const list = createPartList()
  const messages = payloads.map((payload) => (payload['type'] === 'message' ? payload : objectOf(payload['message'])))
  for (const message of messages)
    for (const [index, block] of arrayOf(message['content']).entries()) readBlock(objectOf(block), String(index), list)
  for (const payload of payloads) readEvent(payload, list)
  const deltas = payloads.map((payload) => objectOf(payload['delta']))
  return {
    id: firstText(messages, 'id'),
    model: firstText(messages, 'model'),
    parts: list.parts(),
    finish: lastText([...messages, ...deltas], 'stop_reason'),
    usage: usageOf([...messages, ...payloads].map((payload) => objectOf(payload['usage']))),
    error: errorOf(payloads),
  }
}

function readEvent(event: JsonObject, list: PartList): void {
  const index = String(event['index'])
  if (event['type'] === 'content_block_start') readBlock(objectOf(event['content_block']), index, list)
  if (event['type'] !== 'content_block_delta') return
  const delta = objectOf(event['delta'])
  list.append('text', index, memberText(delta, 'text'))
  list.append('reasoning', index, memberText(delta, 'thinking'))
  const json = textOf(delta['partial_json'])
  if (json !== undefined) list.call(index, { inputText: json })
}

function readBlock(block: JsonObject, index: string, list: PartList): void {
  switch (block['type']) {
    case 'text':
      return list.append('text', index, memberText(block, 'text'))
    case 'thinking':
      return list.append('reasoning', index, memberText(block, 'thinking'))
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return list.call(index, { id: textOf(block['id']), toolName: textOf(block['name']), input: block['input'] })
    default:
      return list.other(String(block['type']), index)
  }
}

/** Counts are cumulative and the last of each wins; cached tokens are counted apart from `input_tokens`. */
function usageOf(usages: readonly JsonObject[]): ResponseUsage | undefined {
  const last = (name: string): number | undefined =>
    usages.map((usage) => numberOf(usage[name])).findLast((count) => count !== undefined)
  const fresh = last('input_tokens')
  const cached = last('cache_read_input_tokens')
  if (fresh === undefined && last('output_tokens') === undefined) return undefined
  const input = (fresh ?? 0) + (cached ?? 0) + (last('cache_creation_input_tokens') ?? 0)
  return { input, output: last('output_tokens'), cached }
}
