import {
  AdapterError,
  fillSlots,
  joinJson,
  objectOf,
  ownMetadata,
  textOf,
  toolOutputText,
  type AssistantMessage,
  type AssistantSlots,
  type FilePart,
  type HistoryContext,
  type JsonObject,
  type Message,
  type Origin,
  type ToolOutput,
  type ToolResultPart,
  type UserPart,
} from '@steploop/core/adapter'
import type { Message as VendorMessage } from 'ollama'

/** One message as elements of the `messages` array, joined by commas. */
export function encodeMessage(message: Message, context: HistoryContext, origin: Origin): string {
  switch (message.role) {
    case 'system':
      return encodeSystemMessage(message.content)
    case 'user':
      return encodeUser(message.content, origin)
    case 'assistant':
      return encodeAssistant(message, context, origin)
    case 'tool':
      return joinJson(message.content.map((result) => encodeResult(result, context, origin)))
    default:
      return message satisfies never
  }
}

/** Instructions come here too. */
export function encodeSystemMessage(content: string): string {
  return printMessage({ role: 'system', content })
}

/** The content is one text; images stand beside it, in order. */
function encodeUser(content: string | readonly UserPart[], origin: Origin): string {
  if (typeof content === 'string') return printMessage({ role: 'user', content })
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const images = content.flatMap((part) => (part.type === 'file' ? [requiredImage(part, origin)] : []))
  return printMessage({ role: 'user', content: texts.join('\n'), ...(images.length > 0 && { images }) })
}

function requiredImage(part: FilePart, origin: Origin): string {
  const data = imageData(part)
  if (data !== undefined) return data
  const form = part.data === undefined ? 'a URL' : 'data'
  const message = `a file of type '${part.mediaType}' given as ${form} cannot be sent; Ollama takes images as base64 data only`
  throw new AdapterError({ ...origin, code: 'unsupported', message })
}

/** `''` when nothing of it can be said to Ollama. */
function encodeAssistant(message: AssistantMessage, { warn }: HistoryContext, { provider }: Origin): string {
  let [content, thinking] = ['', '']
  const calls: WireCall[] = []
  const slots: AssistantSlots = {
    provider,
    label: 'Ollama',
    text: (text) => void (content += text),
    reasoning: ({ text }) => void (thinking += text),
    // Arguments are an object on this wire; ids are sent only where the server gave them (docs/wire.md#ollama).
    call(part, input) {
      const own = objectOf(ownMetadata(part, provider))
      const invoked = { ...objectOf(own['function']), name: part.toolName, arguments: input }
      calls.push({ ...objectOf(own['call']), function: invoked })
    },
  }
  fillSlots(message, slots, warn)
  const beside = {
    ...objectOf(objectOf(ownMetadata(message, provider))['fields']),
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  if (content === '' && Object.keys(beside).length === 0) return ''
  return printMessage({ role: 'assistant', content, ...beside })
}

/** Results are matched to their calls by position and name; an id goes along where the server gave one. */
function encodeResult(result: ToolResultPart, context: HistoryContext, { provider }: Origin): string {
  const call = context.call(result.toolCallId)?.part
  const id = call === undefined ? undefined : textOf(objectOf(objectOf(ownMetadata(call, provider))['call'])['id'])
  const { content, images } = resultContent(result.output, context)
  return printMessage({
    role: 'tool',
    tool_name: call?.toolName ?? result.toolName,
    content,
    ...(id !== undefined && { tool_call_id: id }),
    ...(images.length > 0 && { images }),
  })
}

function resultContent(output: ToolOutput, { warn }: HistoryContext): { content: string; images: string[] } {
  if (output.type !== 'content') return { content: toolOutputText(output), images: [] }
  const images = output.value.flatMap((part) => (part.type === 'file' ? (imageData(part) ?? []) : []))
  const texts = output.value.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    if (imageData(part) !== undefined) return []
    const message = 'Ollama takes only text and images as base64 data; a text stands in place of the file'
    warn({ type: 'coerced', path: 'tool.content[].output', message })
    return [`[${part.mediaType} file, not shown]`]
  })
  return { content: texts.join('\n'), images }
}

/** The ids are newer than the vendor's types: servers that give them take them back, older ones skip them. */
interface WireCall {
  readonly id?: string
  readonly function: { readonly name: string; readonly arguments: JsonObject }
}

interface WireMessage {
  readonly role: string
  readonly content: string
  readonly thinking?: string
  readonly images?: string[]
  readonly tool_calls?: WireCall[]
  readonly tool_name?: string
  readonly tool_call_id?: string
}

/** Each member has to be one of the vendor's, of a type that fits. */
type Documented = VendorMessage & Record<Exclude<keyof WireMessage, keyof VendorMessage | 'tool_call_id'>, never>

/** `content` is required in every role, be it empty (docs/wire.md#ollama). */
function printMessage(message: WireMessage): string {
  return JSON.stringify(message satisfies Documented)
}

/** The base64 data of an image, the only kind of file that the API takes; `undefined` for the rest. */
function imageData({ mediaType, data }: FilePart): string | undefined {
  return mediaType.startsWith('image/') ? data : undefined
}
