import { arrayOf, isObject, objectOf, textOf, type JsonObject, type ToolChoice } from '@steploop/core/adapter'
import { memberText, without } from '../../json.ts'
import { itemsIn } from '../read/conversation-parts.ts'
import type { Conversation, DeclaredTool, Item, SentFile } from '../read/conversation.ts'

/** Converse: blocks in two roles, each named by its only member. Cache points say nothing: they move with the end of the conversation. */
export function readConversation(body: JsonObject): Omit<Conversation, 'opaque'> {
  const { tools, toolChoice } = objectOf(body['toolConfig'])
  const system = arrayOf(body['system']).map((block) => memberText(objectOf(block), 'text'))
  return {
    items: [
      ...system.filter((text) => text !== '').map((text): Item => ({ type: 'system', text })),
      ...itemsIn('messages', body['messages'], (message) => messageItems(objectOf(message))),
    ],
    tools: arrayOf(tools).flatMap((tool) => toolOf(objectOf(tool))),
    choice: choiceOf(toolChoice),
    previous: undefined,
    settings: without(body, 'messages', 'system', 'toolConfig', 'modelId'),
  }
}

function choiceOf(said: unknown): ToolChoice | undefined {
  if (!isObject(said)) return undefined
  if (isObject(said['tool'])) return { type: 'tool', toolName: memberText(said['tool'], 'name') }
  return 'any' in said ? 'required' : 'auto'
}

function toolOf(declaration: JsonObject): readonly DeclaredTool[] {
  if ('cachePoint' in declaration) return []
  const { toolSpec, systemTool } = declaration
  const spec = objectOf(toolSpec)
  return [
    {
      name: isObject(toolSpec) ? memberText(spec, 'name') : memberText(objectOf(systemTool), 'name'),
      schema: isObject(toolSpec) ? objectOf(objectOf(spec['inputSchema'])['json']) : undefined,
      description: textOf(spec['description']),
      strict: typeof spec['strict'] === 'boolean' ? spec['strict'] : undefined,
      declaration,
    },
  ]
}

function messageItems({ role, content }: JsonObject): readonly Item[] {
  const by = role === 'assistant' ? 'model' : 'user'
  return itemsIn('.content', content, (member) => {
    const block = objectOf(member)
    return 'cachePoint' in block ? [] : [blockItem(block, by)]
  })
}

function blockItem(block: JsonObject, by: 'user' | 'model'): Item {
  const { text, toolUse, toolResult, reasoningContent, citationsContent } = block
  const kind = by === 'user' ? 'user' : 'text'
  if (typeof text === 'string') return { type: kind, text }
  if (isObject(citationsContent)) {
    const pieces = arrayOf(citationsContent['content']).map((piece) => memberText(objectOf(piece), 'text'))
    return { type: kind, text: pieces.join('') }
  }
  if (isObject(toolUse) && toolUse['type'] !== 'server_tool_use') {
    const { input = {} } = toolUse
    return { type: 'call', id: textOf(toolUse['toolUseId']), toolName: memberText(toolUse, 'name'), input }
  }
  if (isObject(toolResult) && by === 'user') return resultItem(toolResult)
  if (isObject(reasoningContent)) {
    return { type: 'reasoning', text: memberText(objectOf(reasoningContent['reasoningText']), 'text') }
  }
  const file = fileOf(block)
  return file === undefined
    ? { type: 'block', by, kind: Object.keys(block).join(' '), block }
    : { type: 'file', by, file }
}

/** One piece of JSON is the result; texts are its text. */
function resultItem(result: JsonObject): Item {
  const content = arrayOf(result['content']).map(objectOf)
  const [only] = content
  const isJson = content.length === 1 && only !== undefined && 'json' in only
  const said = content.map((piece) => ('json' in piece ? JSON.stringify(piece['json']) : memberText(piece, 'text')))
  const files = content.flatMap((piece) => fileOf(piece) ?? [])
  const output = isJson ? only['json'] : said.join('')
  const isError = result['status'] === 'error'
  return { type: 'result', id: textOf(result['toolUseId']), toolName: undefined, output, isError, files }
}

const mediaTypes: Readonly<Record<string, string | undefined>> = {
  pdf: 'application/pdf',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  txt: 'text/plain',
  md: 'text/markdown',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  flv: 'video/x-flv',
  mpg: 'video/mpeg',
  wmv: 'video/x-ms-wmv',
  three_gp: 'video/3gpp',
}

/** What is cited, or stands as a text, has no form in other formats and stays a block. */
function fileOf({ image, document, video }: JsonObject): SentFile | undefined {
  const given = image ?? document ?? video
  if (!isObject(given) || 'citations' in given || 'context' in given) return undefined
  const format = memberText(given, 'format')
  const source = objectOf(given['source'])
  const [data, url] = [textOf(source['bytes']), textOf(objectOf(source['s3Location'])['uri'])]
  if (data === undefined && url === undefined) return undefined
  const mediaType = mediaTypes[format] ?? `${image === undefined ? 'video' : 'image'}/${format}`
  return { mediaType, data, url, filename: textOf(given['name']) }
}
