import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText, without } from '../../json.ts'
import type { CallItem, Conversation, Item, SentFile } from '../read/conversation.ts'
import { argumentsOf, chatTool, itemsIn } from '../read/conversation-parts.ts'
import { fileOfUrl } from '../read/file-of-url.ts'
import { choiceView } from '../read/tool-view.ts'

/** Chat Completions and its dialects. */
export function readConversation(body: JsonObject): Omit<Conversation, 'opaque'> {
  return {
    items: itemsIn('messages', body['messages'], (message) => messageItems(objectOf(message))),
    tools: arrayOf(body['tools']).map((tool) => chatTool(objectOf(tool))),
    choice: choiceView(body['tool_choice']),
    previous: undefined,
    settings: without(body, 'messages', 'tools', 'tool_choice', 'model', 'stream', 'stream_options'),
  }
}

function messageItems(message: JsonObject): readonly Item[] {
  const { content } = message
  switch (message['role']) {
    case 'system':
    case 'developer':
      return [{ type: 'system', text: contentText(content) }]
    case 'user':
      return partItems(content, 'user')
    case 'tool': {
      const files = arrayOf(content).flatMap((part) => fileOf(objectOf(part)) ?? [])
      const id = textOf(message['tool_call_id'])
      return [{ type: 'result', id, toolName: textOf(message['name']), output: contentText(content), files }]
    }
    case 'assistant':
      return assistantItems(message)
    default:
      return [{ type: 'block', by: 'user', kind: String(message['role']), block: message }]
  }
}

function assistantItems(message: JsonObject): readonly Item[] {
  const details = arrayOf(message['reasoning_details']).map((detail) => memberText(objectOf(detail), 'text'))
  const thoughts = textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? details.join('')
  const refusal = textOf(message['refusal'])
  const legacy = message['function_call']
  const audio = message['audio']
  return [
    ...(thoughts === '' ? [] : [{ type: 'reasoning' as const, text: thoughts }]),
    ...partItems(message['content'], 'model'),
    ...(refusal === undefined ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...itemsIn('.tool_calls', message['tool_calls'], (call) => [callItem(objectOf(call))]),
    ...[legacy, audio].flatMap((block): Item[] =>
      isObject(block) ? [{ type: 'block', by: 'model', kind: block === audio ? 'audio' : 'function_call', block }] : [],
    ),
  ]
}

function callItem(call: JsonObject): CallItem {
  const custom = objectOf(call['custom'])
  const invoked = isObject(call['function']) ? call['function'] : custom
  const given = invoked['arguments'] ?? invoked['input']
  const id = textOf(call['id'])
  return { type: 'call', id, toolName: memberText(invoked, 'name'), input: argumentsOf(given) }
}

function partItems(content: unknown, by: 'user' | 'model'): readonly Item[] {
  const type = by === 'user' ? 'user' : 'text'
  if (typeof content === 'string') return content === '' && by === 'model' ? [] : [{ type, text: content }]
  return itemsIn('.content', content, (value) => [partItem(value, by)])
}

function partItem(value: unknown, by: 'user' | 'model'): Item {
  const part = objectOf(value)
  const type = by === 'user' ? 'user' : 'text'
  const text = textOf(part['text'])
  if (typeof value === 'string') return { type, text: value }
  if (part['type'] === 'refusal') return { type: 'refusal', text: memberText(part, 'refusal') }
  if (part['type'] === 'thinking') return { type: 'reasoning', text: contentText(part['thinking']) }
  if (text !== undefined) return { type, text }
  const file = fileOf(part)
  if (file !== undefined) return { type: 'file', by, file }
  return { type: 'block', by, kind: memberText(part, 'type'), block: part }
}

function fileOf(part: JsonObject): SentFile | undefined {
  const { image_url: image, input_audio: audio, file } = part
  if (typeof image === 'string') return fileOfUrl(image, 'image/*')
  if (isObject(image)) return fileOfUrl(textOf(image['url']), 'image/*')
  if (isObject(audio)) {
    const mediaType = audio['format'] === 'mp3' ? 'audio/mpeg' : `audio/${memberText(audio, 'format')}`
    return { mediaType, data: textOf(audio['data']), url: undefined, filename: undefined }
  }
  if (typeof audio === 'string') return { mediaType: 'audio/*', data: audio, url: undefined, filename: undefined }
  const data = isObject(file) ? textOf(file['file_data']) : undefined
  return isObject(file) && data !== undefined ? fileOfUrl(data, 'application/pdf', textOf(file['filename'])) : undefined
}
