import type { ConversationItem, RequestView } from '../../request-view.ts'
import type { Conversation, Item } from './conversation.ts'

/** What a conversation gives of a view. Reasoning, files and blocks are kept for their position. */
export function viewOf({
  items,
  choice,
  previous,
}: Omit<Conversation, 'opaque'>): Omit<RequestView, 'head' | 'tools' | 'outputSchema'> {
  const system = items.flatMap((item) => (item.type === 'system' ? [item.text] : []))
  return {
    toolChoice: choice,
    instructions: system.length === 0 ? undefined : system.join('\n'),
    items: items.flatMap(viewOfItem),
    continuation: previous,
  }
}

function viewOfItem(item: Item): readonly ConversationItem[] {
  const { path = '', kind } = item
  if (kind !== undefined) return [{ type: 'other', kind, path }]
  switch (item.type) {
    case 'system':
      return []
    case 'user':
    case 'text':
      return [{ type: item.type, text: item.text, path }]
    case 'call': {
      const { type, id = '', toolName, input } = item
      return [{ type, id, toolName, input: typeof input === 'string' ? undefined : input, path }]
    }
    case 'result': {
      const { type, id = '', output, isError } = item
      const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
      return [{ type, id, text, ...(isError !== undefined && { isError }), path }]
    }
    case 'refusal':
    case 'reasoning':
    case 'file':
    case 'block':
      return [{ type: 'other', kind: item.type, path }]
    default:
      return item satisfies never
  }
}
