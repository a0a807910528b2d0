import { arrayOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { memberText, without } from '../../json.ts'
import type { Conversation, Item } from '../read/conversation.ts'
import { argumentsOf, chatTool, itemsIn } from '../read/conversation-parts.ts'

/** Ollama's own chat: texts, images beside them, calls without ids. */
export function readConversation(body: JsonObject): Omit<Conversation, 'opaque'> {
  return {
    items: itemsIn('messages', body['messages'], (message) => messageItems(objectOf(message))),
    tools: arrayOf(body['tools']).map((tool) => chatTool(objectOf(tool))),
    choice: undefined,
    previous: undefined,
    settings: without(body, 'messages', 'tools', 'model', 'stream'),
  }
}

function messageItems(message: JsonObject): readonly Item[] {
  const text = memberText(message, 'content')
  const files = arrayOf(message['images']).map((image) => {
    return { mediaType: undefined, data: textOf(image), url: undefined, filename: undefined }
  })
  switch (message['role']) {
    case 'system':
      return [{ type: 'system', text }]
    case 'tool': {
      const toolName = textOf(message['tool_name']) ?? textOf(message['name'])
      return [{ type: 'result', id: textOf(message['tool_call_id']), toolName, output: text, files }]
    }
    case 'assistant': {
      const thoughts = textOf(message['thinking'])
      return [
        ...(thoughts === undefined ? [] : [{ type: 'reasoning' as const, text: thoughts }]),
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...itemsIn('.tool_calls', message['tool_calls'], (call) => {
          const invoked = objectOf(objectOf(call)['function'])
          const id = textOf(objectOf(call)['id'])
          return [{ type: 'call', id, toolName: memberText(invoked, 'name'), input: argumentsOf(invoked['arguments']) }]
        }),
      ]
    }
    case 'user':
      return [
        ...(text === '' ? [] : [{ type: 'user' as const, text }]),
        ...files.map((file) => ({ type: 'file' as const, by: 'user' as const, file })),
      ]
    default:
      return [{ type: 'block', by: 'user', kind: String(message['role']), block: message }]
  }
}
