import { arrayOf, numberOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { memberText } from '../../json.ts'
import { createPartList, type PartList } from '../read/part-list.ts'
import { firstText, lastText } from '../read/payload.ts'
import type { ResponseView } from '../read/response-view.ts'

/** Chat: a message with all in it, or its blocks and calls by index. */
export function readResponse(payloads: readonly JsonObject[]): ResponseView {
  const list = createPartList()
  for (const payload of payloads) {
    const isEvent = typeof payload['type'] === 'string'
    if (isEvent) readEvent(payload, list)
    else readMessage(objectOf(payload['message']), list)
  }
  const ends = payloads.map((payload) => (payload['type'] === 'message-end' ? objectOf(payload['delta']) : payload))
  const usage = ends.map((end) => objectOf(end['usage'])).findLast((one) => 'tokens' in one)
  const tokens = objectOf(usage?.['tokens'])
  const text = numberOf(tokens['input_tokens'])
  const output = numberOf(tokens['output_tokens'])
  return {
    id: firstText(payloads, 'id'),
    model: undefined,
    parts: list.parts(),
    finish: lastText(ends, 'finish_reason'),
    usage:
      usage === undefined
        ? undefined
        : {
            input: text === undefined ? undefined : text + (numberOf(tokens['image_tokens']) ?? 0),
            output,
            cached: numberOf(usage['cached_tokens']),
            reasoning: numberOf(tokens['reasoning_tokens']),
          },
    error: lastText(payloads, 'message') ?? lastText(ends, 'error'),
  }
}

function readMessage(message: JsonObject, list: PartList): void {
  for (const [index, block] of arrayOf(message['content']).entries()) readBlock(objectOf(block), String(index), list)
  list.append('reasoning', 'plan', memberText(message, 'tool_plan'))
  for (const [index, call] of arrayOf(message['tool_calls']).entries()) readCall(objectOf(call), String(index), list)
}

function readEvent(event: JsonObject, list: PartList): void {
  const message = objectOf(objectOf(event['delta'])['message'])
  const index = String(event['index'])
  list.append('reasoning', 'plan', memberText(message, 'tool_plan'))
  if (!Array.isArray(message['content'])) readBlock(objectOf(message['content']), index, list)
  if (!Array.isArray(message['tool_calls']) && 'tool_calls' in message)
    readCall(objectOf(message['tool_calls']), index, list)
}

function readBlock(block: JsonObject, index: string, list: PartList): void {
  list.append('reasoning', index, memberText(block, 'thinking'))
  list.append('text', index, memberText(block, 'text'))
}

function readCall(call: JsonObject, index: string, list: PartList): void {
  const invoked = objectOf(call['function'])
  list.call(index, {
    id: textOf(call['id']),
    toolName: textOf(invoked['name']),
    inputText: memberText(invoked, 'arguments'),
  })
}
