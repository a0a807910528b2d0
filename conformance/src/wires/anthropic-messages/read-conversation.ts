import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText, without } from '../../json.ts'
import { itemsIn } from '../read/conversation-parts.ts'
import type { Conversation, DeclaredTool, Item, SentFile } from '../read/conversation.ts'
import { choiceView } from '../read/tool-view.ts'

/** Messages: content blocks in two roles. */
export function readConversation(body: JsonObject): Omit<Conversation, 'opaque'> {
  const system = typeof body['system'] === 'string' ? [body['system']] : arrayOf(body['system']).map(blockText)
  return {
    items: [
      ...system.filter((text) => text !== '').map((text): Item => ({ type: 'system', text })),
      ...itemsIn('messages', body['messages'], (message) => messageItems(objectOf(message))),
    ],
    tools: arrayOf(body['tools']).map((tool) => toolOf(objectOf(tool))),
    choice: choiceView(body['tool_choice']),
    previous: undefined,
    settings: without(body, 'messages', 'system', 'tools', 'tool_choice', 'model', 'stream'),
  }
}

function blockText(block: unknown): string {
  return memberText(objectOf(block), 'text')
}

function toolOf(declaration: JsonObject): DeclaredTool {
  const isFunction = isObject(declaration['input_schema'])
  return {
    name: textOf(declaration['name']) ?? textOf(declaration['mcp_server_name']) ?? memberText(declaration, 'type'),
    schema: isFunction ? objectOf(declaration['input_schema']) : undefined,
    description: textOf(declaration['description']),
    strict: typeof declaration['strict'] === 'boolean' ? declaration['strict'] : undefined,
    declaration,
  }
}

function messageItems({ role, content }: JsonObject): readonly Item[] {
  const by = role === 'assistant' ? 'model' : 'user'
  if (role === 'system')
    return typeof content === 'string' ? [{ type: 'system', text: content }] : arrayOf(content).map(systemItem)
  if (typeof content === 'string')
    return content === '' ? [] : [{ type: by === 'user' ? 'user' : 'text', text: content }]
  return itemsIn('.content', content, (block) => [blockItem(objectOf(block), by)])
}

/** A system prompt amid the conversation, or a change that only this API has. */
function systemItem(value: unknown): Item {
  const block = objectOf(value)
  if (block['type'] === 'text') return { type: 'system', text: memberText(block, 'text') }
  return { type: 'block', by: 'user', kind: String(block['type']), block }
}

function blockItem(block: JsonObject, by: 'user' | 'model'): Item {
  switch (block['type']) {
    case 'text':
      return { type: by === 'user' ? 'user' : 'text', text: memberText(block, 'text') }
    case 'tool_use':
      return { type: 'call', id: textOf(block['id']), toolName: memberText(block, 'name'), input: block['input'] ?? {} }
    case 'tool_result': {
      const { content } = block
      const files = arrayOf(content).flatMap((part) => fileOf(objectOf(part)) ?? [])
      const id = textOf(block['tool_use_id'])
      const isError = block['is_error'] === true
      return { type: 'result', id, toolName: undefined, output: contentText(content), isError, files }
    }
    case 'thinking':
      return { type: 'reasoning', text: memberText(block, 'thinking') }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '' }
    default: {
      const file = fileOf(block)
      if (file !== undefined) return { type: 'file', by, file }
      return { type: 'block', by, kind: String(block['type']), block }
    }
  }
}

/** Images and documents; what the API keeps (`file`) and texts with titles stay blocks. */
function fileOf(block: JsonObject): SentFile | undefined {
  const source = objectOf(block['source'])
  if (block['type'] !== 'image' && block['type'] !== 'document') return undefined
  const filename = textOf(block['title'])
  const mediaType = textOf(source['media_type']) ?? (block['type'] === 'document' ? 'application/pdf' : 'image/*')
  const [data, url] = [textOf(source['data']), textOf(source['url'])]
  if (source['type'] === 'base64' && data !== undefined) return { mediaType, data, url: undefined, filename }
  return source['type'] === 'url' && url !== undefined ? { mediaType, data: undefined, url, filename } : undefined
}
