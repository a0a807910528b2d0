import { toolOutputText, type AssistantMessage, type Message } from '@steploop/core/adapter'
import type { ConversationItem } from '../request-view.ts'

/** The provider's own tools are called and answered in items of their own, which readers know as `other`. */
export function withoutCallsOf(tools: ReadonlySet<string>, message: Message): Message {
  if (tools.size === 0) return message
  if (message.role === 'tool') {
    return { ...message, content: message.content.filter(({ toolName }) => !tools.has(toolName)) }
  }
  if (message.role !== 'assistant') return message
  return {
    ...message,
    content: message.content.filter((part) => part.type !== 'tool-call' || !tools.has(part.toolName)),
  }
}

export function itemsOf(message: Message, names: ReadonlyMap<string, string>): readonly ConversationItem[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user': {
      const parts =
        typeof message.content === 'string'
          ? [message.content]
          : message.content.map((part) => (part.type === 'text' ? part.text : ''))
      return [{ type: 'user', text: parts.join(''), path: '' }]
    }
    case 'assistant':
      return assistantItems(message, names)
    case 'tool':
      return message.content.map(({ toolCallId, output }) => ({
        type: 'result',
        id: toolCallId,
        text: toolOutputText(output),
        path: '',
      }))
    default:
      return message satisfies never
  }
}

function assistantItems(message: AssistantMessage, names: ReadonlyMap<string, string>): readonly ConversationItem[] {
  return message.content.flatMap((part): readonly ConversationItem[] => {
    if (part.type === 'text' && part.text !== '') return [{ type: 'text', text: part.text, path: '' }]
    if (part.type !== 'tool-call' || part.owner === 'provider') return []
    const toolName = names.get(part.toolName) ?? part.toolName
    return [{ type: 'call', id: part.toolCallId, toolName, input: part.input ?? {}, path: '' }]
  })
}
