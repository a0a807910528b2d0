import {
  AdapterError,
  fillSlots,
  objectOf,
  ownMetadata,
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
import type { WireAssistant, WireAssistantBlock, WireCall, WireContent, WireMessage } from './vendor-types.ts'
import { wireToolName } from './names.ts'

/** One message as elements of the `messages` array, joined by commas. */
export function encodeMessage(message: Message, context: HistoryContext, origin: Origin): string {
  switch (message.role) {
    case 'system':
      return encodeSystemMessage(message.content)
    case 'user':
      return print({ role: 'user', content: userContent(message.content, origin) })
    case 'assistant':
      return encodeAssistant(message, context, origin)
    case 'tool':
      return message.content.map((result) => encodeResult(result, context)).join(',')
    default:
      return message satisfies never
  }
}

/** Instructions come here too. */
export function encodeSystemMessage(content: string): string {
  return print({ role: 'system', content })
}

function print(message: WireMessage | WireAnswer): string {
  return JSON.stringify(message)
}

function userContent(content: string | readonly UserPart[], origin: Origin): string | readonly WireContent[] {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : imageOf(part, origin)))
}

function imageOf({ mediaType, data, url }: FilePart, origin: Origin): WireContent {
  if (mediaType.startsWith('image/')) {
    return { type: 'image_url', image_url: { url: url ?? `data:${mediaType};base64,${data}` } }
  }
  const message = `a file of type '${mediaType}' cannot be sent; Cohere takes images, and texts as \`providerOptions.cohere.documents\``
  throw new AdapterError({ ...origin, code: 'unsupported', message })
}

/** An answer as it goes back; blocks of kinds that we do not know go as they came. */
type WireAnswer = Omit<WireAssistant, 'content'> & { readonly content?: readonly (WireAssistantBlock | JsonObject)[] }

/** `''` when nothing of it can be said to Cohere: an empty message is refused. */
function encodeAssistant(message: AssistantMessage, { warn }: HistoryContext, { provider }: Origin): string {
  const content: (WireAssistantBlock | JsonObject)[] = []
  const calls: WireCall[] = []
  let plan = ''
  const slots: AssistantSlots = {
    provider,
    label: 'Cohere',
    text(text) {
      if (text !== '') content.push({ type: 'text', text } satisfies WireAssistantBlock)
    },
    reasoning(part) {
      if (objectOf(ownMetadata(part, provider))['plan'] === true) plan += part.text
      else if (part.text !== '') content.push({ type: 'thinking', thinking: part.text } satisfies WireAssistantBlock)
    },
    opaque: ({ providerMetadata }) => void content.push(objectOf(providerMetadata.data)),
    call({ toolCallId: id, toolName }, input) {
      const invoked = { name: wireToolName(toolName), arguments: JSON.stringify(input) }
      calls.push({ id, type: 'function', function: invoked })
    },
  }
  fillSlots(message, slots, warn)
  // A plan belongs to calls; without them it was only thought.
  if (calls.length === 0 && plan !== '')
    content.unshift({ type: 'thinking', thinking: plan } satisfies WireAssistantBlock)
  if (content.length === 0 && calls.length === 0) return ''
  return print({
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(calls.length > 0 && plan !== '' && { tool_plan: plan }),
    ...(calls.length > 0 && { tool_calls: calls }),
  })
}

function encodeResult({ toolCallId, output }: ToolResultPart, context: HistoryContext): string {
  return print({ role: 'tool', tool_call_id: toolCallId, content: resultContent(output, context) })
}

/** Each text of a result is a source of its own for citations. */
function resultContent(output: ToolOutput, context: HistoryContext): string | { type: 'text'; text: string }[] {
  if (output.type !== 'content') return toolOutputText(output)
  return output.value.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const message = 'Cohere takes only text in results; a text stands in place of the file'
    context.warn({ type: 'coerced', path: 'tool.content[].output', message })
    return { type: 'text', text: `[${part.mediaType} file, not shown]` }
  })
}
