import {
  AdapterError,
  objectOf,
  ownMetadata,
  toolOutputText,
  type FilePart,
  type HistoryContext,
  type Message,
  type ToolOutput,
  type ToolResultPart,
  type UserPart,
} from '@steploop/core/adapter'
import type {
  ChatCompletionDeveloperMessageParam,
  ChatCompletionSystemMessageParam,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from 'openai/resources/chat/completions'
import type { Fields } from './dialect.ts'
import { encodeAssistant, wireCallId, type EncodeOptions } from './encode-assistant.ts'
import { textInPlaceOfFiles } from './encode-file.ts'

/** One message as elements of the `messages` array, joined by commas. */
export function encodeMessage(message: Message, context: HistoryContext, options: EncodeOptions): string {
  switch (message.role) {
    case 'system':
      return encodeSystemMessage(message.content, options)
    case 'user':
      return encodeUser(message.content, options)
    case 'assistant':
      return encodeAssistant(message, context, options)
    case 'tool':
      return encodeResults(message.content, context, options)
    default:
      return message satisfies never
  }
}

/** Instructions come here too. */
export function encodeSystemMessage(content: string, { dialect }: EncodeOptions): string {
  const message: ChatCompletionSystemMessageParam | ChatCompletionDeveloperMessageParam = {
    role: dialect.systemRole,
    content,
  }
  return JSON.stringify(message)
}

function encodeUser(content: string | readonly UserPart[], options: EncodeOptions): string {
  if (typeof content === 'string') {
    return JSON.stringify({ role: 'user', content } satisfies ChatCompletionUserMessageParam)
  }
  const [first] = content
  // Not every compatible server takes arrays, so a lone text goes as a string.
  if (content.length === 1 && first?.type === 'text' && first.providerMetadata === undefined)
    return encodeUser(first.text, options)
  return JSON.stringify({ role: 'user', content: content.map((part) => contentPart(part, options)) })
}

/** Fields in a part's own `providerMetadata` (such as `cache_control`, where a provider knows it) go along. */
function contentPart(part: UserPart, options: EncodeOptions): Fields {
  const extra = objectOf(ownMetadata(part, options.provider))
  return part.type === 'text' ? { type: 'text', text: part.text, ...extra } : { ...fileFields(part, options), ...extra }
}

function fileFields(part: FilePart, { provider, model, dialect }: EncodeOptions): Fields {
  const fields = dialect.filePart(part)
  if (fields !== undefined) return fields
  const form = part.data === undefined ? 'as a URL' : 'as data'
  const message = `a file of type '${part.mediaType}' given ${form} cannot be sent; give an image, or its data as base64`
  throw new AdapterError({ provider, model, code: 'unsupported', message })
}

/** In one text: `JSON.stringify` takes half as long again for each by itself. By numbers, as frozen lists are slow to go through otherwise. */
function encodeResults(results: readonly ToolResultPart[], context: HistoryContext, options: EncodeOptions): string {
  const messages: Fields[] = []
  for (let index = 0; index < results.length; index++) {
    const result = results[index]
    if (result !== undefined) messages.push(resultMessage(result, context, options))
  }
  return JSON.stringify(messages).slice(1, -1)
}

function resultMessage(result: ToolResultPart, context: HistoryContext, options: EncodeOptions): Fields {
  const call = context.call(result.toolCallId)?.part
  const tool_call_id = call === undefined ? options.dialect.callId(result.toolCallId) : wireCallId(call, options)
  const content = resultContent(result.output, context, options)
  // Some dialects take a list with images as content, which the vendor's type does not know.
  return { role: 'tool', tool_call_id, content } satisfies Record<keyof ChatCompletionToolMessageParam, unknown>
}

function resultContent(
  output: ToolOutput,
  context: HistoryContext,
  options: EncodeOptions,
): string | readonly Fields[] {
  if (output.type !== 'content' || !output.value.some((part) => part.type === 'file')) return toolOutputText(output)
  if (options.dialect.toolResultImages) return output.value.map((part) => resultPart(part, context, options))
  const message = `${options.provider} takes only text in tool results; a text stands in place of each file`
  context.warn({ type: 'coerced', path: 'tool.content[].output', message })
  return textInPlaceOfFiles(output.value)
}

/** A file in a result is a tool's doing: what cannot be sent of it ends no run. */
function resultPart(part: UserPart, context: HistoryContext, options: EncodeOptions): Fields {
  if (part.type === 'text' || options.dialect.filePart(part) !== undefined) return contentPart(part, options)
  const message = `${options.provider} takes no '${part.mediaType}' in tool results; a text stands in its place`
  context.warn({ type: 'coerced', path: 'tool.content[].output', message })
  return { type: 'text', text: textInPlaceOfFiles([part]) }
}
