import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText, without } from '../../json.ts'
import { argumentsOf, chatTool, itemsIn } from '../read/conversation-parts.ts'
import type { Conversation, Item } from '../read/conversation.ts'
import { fileOfUrl } from '../read/file-of-url.ts'
import { choiceView } from '../read/tool-view.ts'

/** Cohere's chat: texts, thoughts and images in blocks, a plan beside the calls. */
export function readConversation(body: JsonObject): Omit<Conversation, 'opaque'> {
  return {
    items: itemsIn('messages', body['messages'], (message) => messageItems(objectOf(message))),
    tools: arrayOf(body['tools']).map((tool) => chatTool(objectOf(tool))),
    choice: choiceView(body['tool_choice']),
    previous: undefined,
    settings: without(body, 'messages', 'tools', 'tool_choice', 'model', 'stream'),
  }
}

function messageItems(message: JsonObject): readonly Item[] {
  const { content } = message
  switch (message['role']) {
    case 'system':
      return [{ type: 'system', text: contentText(content) }]
    case 'user':
      return blockItems(content, 'user')
    case 'tool': {
      const output = arrayOf(content).some((part) => isObject(objectOf(part)['document']))
        ? content
        : resultText(content)
      return [{ type: 'result', id: textOf(message['tool_call_id']), toolName: undefined, output, files: [] }]
    }
    case 'assistant':
      return [
        ...(textOf(message['tool_plan']) === undefined
          ? []
          : [{ type: 'reasoning' as const, text: memberText(message, 'tool_plan') }]),
        ...blockItems(content, 'model'),
        ...itemsIn('.tool_calls', message['tool_calls'], (call) => {
          const invoked = objectOf(objectOf(call)['function'])
          const input = argumentsOf(invoked['arguments'])
          return [{ type: 'call', id: textOf(objectOf(call)['id']), toolName: memberText(invoked, 'name'), input }]
        }),
      ]
    default:
      return [{ type: 'block', by: 'user', kind: String(message['role']), block: message }]
  }
}

/** Each text of a result is a source of its own. */
function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  return arrayOf(content)
    .map((block) => memberText(objectOf(block), 'text'))
    .join('\n')
}

function blockItems(content: unknown, by: 'user' | 'model'): readonly Item[] {
  const type = by === 'user' ? 'user' : 'text'
  if (typeof content === 'string') return content === '' && by === 'model' ? [] : [{ type, text: content }]
  return itemsIn('.content', content, (value): readonly Item[] => {
    const block = objectOf(value)
    const file = isObject(block['image_url']) ? fileOfUrl(textOf(block['image_url']['url']), 'image/*') : undefined
    if (file !== undefined) return [{ type: 'file', by, file }]
    if (block['type'] === 'thinking') return [{ type: 'reasoning', text: memberText(block, 'thinking') }]
    if (block['type'] !== 'text') return [{ type: 'block', by, kind: String(block['type']), block }]
    const text = memberText(block, 'text')
    return text === '' && by === 'model' ? [] : [{ type, text }]
  })
}
