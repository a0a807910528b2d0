import { isObject, type JsonObject } from '@steploop/core/adapter'
import { objectAt, textAt } from '../../../simulate/fields.ts'

/** xAI names every call of its own as a function: `name` and `arguments`, an empty `call_id`, and no word of what came of it. */
export function asXaiItem(item: unknown): unknown {
  if (!isObject(item)) return item
  const { type, status } = item
  const id = asXaiId(textAt(item, 'id'))
  const made = { call_id: '', type, id, status }
  switch (type) {
    case 'web_search_call':
      return { arguments: JSON.stringify({ query: objectAt(item, 'action')['query'] }), name: 'web_search', ...made }
    case 'code_interpreter_call':
      return { arguments: JSON.stringify({ code: item['code'] }), name: 'code_execution', ...made }
    default:
      return item
  }
}

/** Event as xAI sends it, where it tells of a call of its own. */
export function asXaiEvent(event: JsonObject): JsonObject {
  const { item, item_id } = event
  return {
    ...event,
    ...(item !== undefined && { item: asXaiItem(item) }),
    ...(typeof item_id === 'string' && { item_id: asXaiId(item_id) }),
  }
}

export function hasHostedItem(event: JsonObject): boolean {
  return isHostedId(textAt(event, 'item_id')) || isHostedId(textAt(objectAt(event, 'item'), 'id'))
}

/** Code comes with the finished item, not in pieces. */
export function isStepOfCode(frame: string): boolean {
  return frame.startsWith('event: response.code_interpreter_call_code.')
}

/** OpenAI's ids of items tell their kind; xAI's are all `fc_`. */
function asXaiId(id: string): string {
  return isHostedId(id) ? `fc_${id.slice(3)}` : id
}

function isHostedId(id: string): boolean {
  return id.startsWith('ws_') || id.startsWith('ci_')
}
