import { arrayOf, isObject, objectOf } from '@steploop/core/adapter'
import { without } from '../../json.ts'
import type { CallItem, Item, ResultItem } from '../read/conversation.ts'
import type { RequestView } from '../../request-view.ts'
import { toolView } from '../read/tool-view.ts'
import { viewOf } from '../read/view-of.ts'
import { readConversation } from './read-conversation.ts'

/**
 * Ollama's native chat: `messages` by role, arguments as objects, and no ids. A result answers the call at its position in the message before,
 * so both get that position as their id; a result that names another tool, or says another id than the server gave, answers none.
 */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const { format, ...head } = without(fields, 'messages')
  const { items, ...read } = readConversation(fields)
  return {
    ...viewOf({ ...read, items: numbered(items.filter(({ type }) => type !== 'reasoning')) }),
    head: format === undefined ? head : { ...head, response_format: format },
    tools: arrayOf(fields['tools']).map((tool) => toolView(objectOf(objectOf(tool)['function']), 'parameters')),
    outputSchema: isObject(format) ? format : undefined,
  }
}

function numbered(items: readonly Item[]): readonly Item[] {
  const open: (CallItem & Item)[] = []
  return items.map((item) => {
    if (item.type === 'text' || item.path?.endsWith('.tool_calls[0]')) open.length = 0
    if (item.type === 'call') {
      open.push(item)
      return { ...item, id: item.path }
    }
    if (item.type !== 'result') return item
    const call = open.shift()
    return {
      ...item,
      id: call !== undefined && answers(item, call) ? call.path : `${item.path}, which answers no call`,
    }
  })
}

function answers(result: ResultItem, call: CallItem): boolean {
  return call.toolName === (result.toolName ?? '') && call.id === result.id
}
