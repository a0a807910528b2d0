import { arrayOf, isObject, numberOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText } from '../../json.ts'
import { errorOf } from '../read/payload.ts'
import { createPartList, type PartList } from '../read/part-list.ts'
import type { ResponseView, ResponseUsage } from '../read/response-view.ts'

/** Responses: the `output` of the response object; of a cut stream its finished items, and the deltas of those that are not. */
export function readResponse(payloads: readonly JsonObject[]): ResponseView {
  const list = createPartList()
  const response = payloads.map((payload) => responseOf(payload)).findLast(isObject) ?? {}
  const output = arrayOf(response['output'])
  for (const item of output.length > 0 ? output : streamedItems(payloads)) readItem(objectOf(item), list)
  const failed = objectOf(response['incomplete_details'])['reason']
  return {
    id: textOf(response['id']),
    model: textOf(response['model']),
    parts: list.parts(),
    finish: [textOf(response['status']), textOf(failed)].filter(Boolean).join(', ') || undefined,
    usage: usageOf(response['usage']),
    error: errorOf([...payloads.filter(({ type }) => type === 'error'), response]) ?? bareError(payloads),
  }
}

function responseOf(payload: JsonObject): JsonObject | undefined {
  if (isObject(payload['response'])) return payload['response']
  return payload['object'] === 'response' || 'output' in payload ? payload : undefined
}

function bareError(payloads: readonly JsonObject[]): string | undefined {
  return payloads.length === 1 ? errorOf(payloads) : undefined
}

/** Items by their index: whole where `output_item.done` came, otherwise as far as their deltas go. */
function streamedItems(payloads: readonly JsonObject[]): readonly unknown[] {
  const items = new Map<number, JsonObject>()
  for (const event of payloads) {
    const index = numberOf(event['output_index'])
    if (index === undefined) continue
    const known = items.get(index) ?? {}
    if (isObject(event['item'])) items.set(index, event['item'])
    else if (typeof event['delta'] === 'string') items.set(index, grown(known, String(event['type']), event['delta']))
  }
  return [...items].toSorted(([left], [right]) => left - right).map(([, item]) => item)
}

function grown(item: JsonObject, type: string, delta: string): JsonObject {
  const add = (name: string): JsonObject => ({ ...item, [name]: memberText(item, name) + delta })
  if (type.includes('arguments')) return add('arguments')
  const name = type.includes('reasoning') ? 'summary' : 'content'
  const [first] = arrayOf(item[name])
  return {
    ...item,
    [name]: [
      { type: type.includes('refusal') ? 'refusal' : 'text', text: memberText(objectOf(first), 'text') + delta },
    ],
  }
}

function readItem(item: JsonObject, list: PartList): void {
  const key = textOf(item['id']) ?? String(list.parts().length)
  switch (item['type'] ?? 'message') {
    case 'message':
      for (const part of arrayOf(item['content']).map((one) => objectOf(one))) {
        if (part['type'] === 'refusal') list.append('refusal', key, textOf(part['refusal']) ?? memberText(part, 'text'))
        else list.append('text', key, memberText(part, 'text'))
      }
      return
    case 'reasoning': {
      const text = contentText(item['summary']) || contentText(item['content'])
      if (text === '') list.other('reasoning', key)
      else list.append('reasoning', key, text)
      return
    }
    case 'function_call':
    case 'custom_tool_call':
      list.call(key, {
        id: textOf(item['call_id']),
        toolName: textOf(item['name']),
        inputText: textOf(item['arguments']) ?? textOf(item['input']),
      })
      return
    default:
      list.other(String(item['type']), key)
  }
}

function usageOf(usage: unknown): ResponseUsage | undefined {
  if (!isObject(usage)) return undefined
  return {
    input: numberOf(usage['input_tokens']),
    output: numberOf(usage['output_tokens']),
    cached: numberOf(objectOf(usage['input_tokens_details'])['cached_tokens']),
    reasoning: numberOf(objectOf(usage['output_tokens_details'])['reasoning_tokens']),
  }
}
