import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, without } from '../../json.ts'
import { itemsIn } from '../read/conversation-parts.ts'
import type { Conversation, DeclaredTool, Item, SentFile } from '../read/conversation.ts'
import { choiceView } from '../read/tool-view.ts'

/** generateContent: parts in two roles. Members may be written with underscores, as in all JSON of protocol buffers. */
export function readConversation(given: JsonObject): Omit<Conversation, 'opaque'> {
  const body = camelMembers(given)
  const system = body['systemInstruction']
  const text = typeof system === 'string' ? system : contentText(objectOf(system)['parts'])
  const { functionCallingConfig, ...toolConfig } = camelMembers(objectOf(body['toolConfig']))
  const rest = without(body, 'contents', 'systemInstruction', 'tools', 'toolConfig', 'model')
  return {
    items: [
      ...(text === '' ? [] : [{ type: 'system' as const, text }]),
      ...itemsIn('contents', listOf(body['contents']), (content) => contentItems(objectOf(content))),
    ],
    tools: listOf(body['tools']).flatMap((tool) => toolsOf(objectOf(tool))),
    choice: functionCallingConfig === undefined ? undefined : choiceView(camelMembers(objectOf(functionCallingConfig))),
    previous: undefined,
    settings: Object.keys(toolConfig).length > 0 ? { ...rest, toolConfig } : rest,
  }
}

/** A lone message stands for a list of one. */
function listOf(value: unknown): readonly unknown[] {
  return isObject(value) ? [value] : arrayOf(value)
}

function camelMembers(object: JsonObject): JsonObject {
  const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [camel(name), value]))
}

function toolsOf(given: JsonObject): readonly DeclaredTool[] {
  const { functionDeclarations, ...hosted } = camelMembers(given)
  const own = Object.entries(hosted).map(([name, value]): DeclaredTool => {
    const declaration = { [name]: value }
    return { name, schema: undefined, description: undefined, strict: undefined, declaration }
  })
  const functions = arrayOf(functionDeclarations).map((value): DeclaredTool => {
    const declaration = camelMembers(objectOf(value))
    const schema = objectOf(declaration['parametersJsonSchema'] ?? declaration['parameters'])
    const description = textOf(declaration['description'])
    return { name: String(declaration['name']), schema, description, strict: undefined, declaration }
  })
  return [...functions, ...own]
}

function contentItems({ role, parts }: JsonObject): readonly Item[] {
  const by = role === 'model' ? 'model' : 'user'
  const all = listOf(parts).map((part) => camelMembers(objectOf(part)))
  return itemsIn('.parts', all, (value) => {
    const part = objectOf(value)
    return isOfServer(part, by, all) ? [blockItem(part, by)] : partItem(part, by)
  })
}

/** What the provider asked a server itself has its answer in the model's own turn. */
function isOfServer({ functionCall, functionResponse }: JsonObject, by: 'user' | 'model', all: readonly JsonObject[]) {
  if (by === 'user') return false
  const { id, name } = objectOf(functionCall)
  const answers = all.map((part) => objectOf(part['functionResponse']))
  return (
    isObject(functionResponse) ||
    (name !== undefined && answers.some((one) => one['id'] === id && one['name'] === name))
  )
}

function blockItem(part: JsonObject, by: 'user' | 'model'): Extract<Item, { type: 'block' }> {
  const kind = Object.keys(part).find((name) => name !== 'thoughtSignature' && name !== 'thought')
  return { type: 'block', by, kind: kind ?? '', block: part }
}

function partItem(part: JsonObject, by: 'user' | 'model'): readonly Item[] {
  const { functionCall, functionResponse, text, thought } = part
  if (isObject(functionCall)) {
    const id = textOf(functionCall['id'])
    return [{ type: 'call', id, toolName: String(functionCall['name']), input: functionCall['args'] ?? {} }]
  }
  if (isObject(functionResponse)) {
    const files = arrayOf(functionResponse['parts']).flatMap((inner) => fileOf(camelMembers(objectOf(inner))) ?? [])
    const { id, name, response } = functionResponse
    // The API reads `error` in the place of an output, and any other words as well (https://ai.google.dev/api/caching#FunctionResponse).
    const isError = (isObject(response) && 'error' in response && !('output' in response)) || undefined
    return [{ type: 'result', id: textOf(id), toolName: textOf(name), output: outputOf(response), files, isError }]
  }
  if (typeof text === 'string') {
    if (thought === true) return [{ type: 'reasoning', text }]
    return text === '' ? [] : [{ type: by === 'user' ? 'user' : 'text', text }]
  }
  const file = fileOf(part)
  if (file !== undefined) return [{ type: 'file', by, file }]
  const block = blockItem(part, by)
  return block.kind === '' ? [] : [block]
}

/** What is no object stands in `output`; an object is the response itself. */
function outputOf(response: unknown): unknown {
  const { output, ...others } = objectOf(response)
  return output !== undefined && Object.keys(others).length === 0 ? output : (response ?? {})
}

function fileOf({ inlineData, fileData }: JsonObject): SentFile | undefined {
  if (!isObject(inlineData) && !isObject(fileData)) return undefined
  const { mimeType, data, fileUri, displayName } = camelMembers(objectOf(inlineData ?? fileData))
  return { mediaType: textOf(mimeType), data: textOf(data), url: textOf(fileUri), filename: textOf(displayName) }
}
