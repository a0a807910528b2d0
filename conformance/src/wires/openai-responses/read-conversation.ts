import { arrayOf, isObject, objectOf, textOf, type JsonObject, type ToolChoice } from '@steploop/core/adapter'
import { contentText, memberText, without } from '../../json.ts'
import type { Conversation, DeclaredTool, Item, SentFile } from '../read/conversation.ts'
import { fileOfUrl } from '../read/file-of-url.ts'
import { argumentsOf, itemsIn } from '../read/conversation-parts.ts'
import { choiceView } from '../read/tool-view.ts'

/** Responses: a flat list of items. */
export function readConversation(body: JsonObject): Omit<Conversation, 'opaque'> {
  const { input } = body
  const instructions = textOf(body['instructions'])
  const said: readonly Item[] =
    typeof input === 'string'
      ? [{ type: 'user', text: input, path: 'input' }]
      : itemsIn('input', input, (item) => itemsOf(objectOf(item)))
  return {
    items: [...(instructions === undefined ? [] : [{ type: 'system' as const, text: instructions }]), ...said],
    tools: arrayOf(body['tools']).map((tool) => toolOf(objectOf(tool))),
    choice: choiceOf(body['tool_choice']),
    previous: textOf(body['previous_response_id']),
    settings: without(body, ...own),
  }
}

const own = ['input', 'instructions', 'tools', 'tool_choice', 'previous_response_id', 'model', 'stream']

function toolOf(declaration: JsonObject): DeclaredTool {
  const isFunction = declaration['type'] === 'function'
  return {
    name: textOf(declaration['name']) ?? textOf(declaration['server_label']) ?? memberText(declaration, 'type'),
    schema: isFunction ? objectOf(declaration['parameters']) : undefined,
    description: textOf(declaration['description']),
    strict: typeof declaration['strict'] === 'boolean' ? declaration['strict'] : undefined,
    declaration,
  }
}

/** A hosted tool is chosen by its type. */
function choiceOf(value: unknown): ToolChoice | undefined {
  const { type, name } = objectOf(value)
  if (type === 'allowed_tools') return undefined
  return typeof type === 'string' && name === undefined ? { type: 'tool', toolName: type } : choiceView(value)
}

function itemsOf(item: JsonObject): readonly Item[] {
  switch (item['type'] ?? 'message') {
    case 'message':
      return messageItems(item)
    case 'function_call':
    case 'custom_tool_call': {
      const id = textOf(item['call_id'])
      const input = argumentsOf(item['arguments'] ?? item['input'])
      return [{ type: 'call', id, toolName: memberText(item, 'name'), input, kind: customKind(item) }]
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [resultOf(item)]
    case 'reasoning':
      return [{ type: 'reasoning', text: contentText(item['summary']) || contentText(item['content']) }]
    default:
      return [{ type: 'block', by: isCallers(item) ? 'user' : 'model', kind: String(item['type']), block: item }]
  }
}

function customKind({ type }: JsonObject): string | undefined {
  return type === 'custom_tool_call' || type === 'custom_tool_call_output' ? type : undefined
}

/** The caller's answers to calls of the provider's own kinds. */
function isCallers(item: JsonObject): boolean {
  const type = String(item['type'])
  return (
    type === 'mcp_approval_response' ||
    type === 'additional_tools' ||
    (type.endsWith('_output') && item['id'] == null && item['execution'] !== 'server')
  )
}

function resultOf(item: JsonObject): Item {
  const { output } = item
  const id = textOf(item['call_id'])
  const files = arrayOf(output).flatMap((part) => fileOf(objectOf(part)) ?? [])
  const isParts = Array.isArray(output) || typeof output === 'string'
  const said = isParts ? contentText(output) : output
  return { type: 'result', id, toolName: undefined, output: said, files, kind: customKind(item) }
}

function messageItems(item: JsonObject): readonly Item[] {
  const { role, content } = item
  if (role === 'system' || role === 'developer') return [{ type: 'system', text: contentText(content) }]
  const by = role === 'assistant' ? 'model' : 'user'
  const type = by === 'user' ? 'user' : 'text'
  if (typeof content === 'string') return [{ type, text: content }]
  return itemsIn('.content', content, (value) => {
    const part = objectOf(value)
    if (part['type'] === 'refusal') return [{ type: 'refusal', text: memberText(part, 'refusal') }]
    if (typeof part['text'] === 'string') return [{ type, text: part['text'] }]
    const file = fileOf(part)
    return file === undefined
      ? [{ type: 'block', by, kind: memberText(part, 'type'), block: part }]
      : [{ type: 'file', by, file }]
  })
}

function fileOf(part: JsonObject): SentFile | undefined {
  const filename = textOf(part['filename'])
  const url = textOf(part['image_url']) ?? textOf(part['file_data']) ?? textOf(part['file_url'])
  if (isObject(part['image_url'])) return fileOfUrl(textOf(part['image_url']['url']), 'image/*')
  return url === undefined
    ? undefined
    : fileOfUrl(url, part['type'] === 'input_image' ? 'image/*' : 'application/pdf', filename)
}
