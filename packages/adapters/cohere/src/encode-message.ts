import {
  AdapterError,
  objectOf,
  ownMetadata,
  toolOutputText,
  type AssistantMessage,
  type AssistantPart,
  type FilePart,
  type HistoryContext,
  type Message,
  type Origin,
  type ToolOutput,
  type ToolResultPart,
  type UserPart,
} from '@steploop/core/adapter'
import type { WireAssistant, WireCall, WireContent, WireMessage } from './vendor-types.ts'
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

function print(message: WireMessage): string {
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

/** What is gathered from the parts of one assistant message. */
interface Draft {
  readonly message: AssistantMessage
  readonly context: HistoryContext
  readonly origin: Origin
  readonly content: Exclude<NonNullable<WireAssistant['content']>, string>[number][]
  readonly calls: WireCall[]
  plan: string
}

/** `''` when nothing of it can be said to Cohere: an empty message is refused. */
function encodeAssistant(message: AssistantMessage, context: HistoryContext, origin: Origin): string {
  const draft: Draft = { message, context, origin, content: [], calls: [], plan: '' }
  for (const [index, part] of message.content.entries()) addPart(draft, part, index)
  const { content, calls, plan } = draft
  // A plan belongs to calls; without them it was only thought.
  if (calls.length === 0 && plan !== '') content.unshift({ type: 'thinking', thinking: plan })
  if (content.length === 0 && calls.length === 0) return ''
  return print({
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(calls.length > 0 && plan !== '' && { tool_plan: plan }),
    ...(calls.length > 0 && { tool_calls: calls }),
  })
}

function addPart(draft: Draft, part: AssistantPart, index: number): void {
  const { provider } = draft.origin
  switch (part.type) {
    case 'text':
      if (part.text !== '') draft.content.push({ type: 'text', text: part.text })
      return
    case 'refusal':
      draft.content.push({ type: 'text', text: part.text })
      warn(draft, index, 'coerced', 'Cohere knows no refusals; the refusal is sent as text')
      return
    case 'reasoning':
      if ((draft.message.provider ?? provider) !== provider) {
        warn(draft, index, 'dropped', `reasoning of ${draft.message.provider} is not sent to ${provider}`)
      } else if (objectOf(ownMetadata(part, provider))['plan'] === true) draft.plan += part.text
      else if (part.text !== '') draft.content.push({ type: 'thinking', thinking: part.text })
      return
    case 'tool-call':
      if (part.owner === 'provider') {
        warn(
          draft,
          index,
          'dropped',
          `Cohere takes no calls that a provider ran itself; '${part.toolName}' is left out`,
        )
        return
      }
      if (part.invalid !== undefined) {
        warn(draft, index, 'coerced', `the arguments of '${part.toolName}' were not usable and are sent back as {}`)
      }
      draft.calls.push({
        id: part.toolCallId,
        type: 'function',
        function: { name: wireToolName(part.toolName), arguments: JSON.stringify(objectOf(part.input)) },
      })
      return
    case 'file':
      warn(draft, index, 'dropped', 'a file has no place in an assistant message')
      return
    case 'opaque':
      warn(draft, index, 'dropped', `a block of ${part.providerMetadata.provider} means nothing to ${provider}`)
      return
    case 'tool-result': // Goes with its call, which a provider ran.
      return
    default:
      part satisfies never
  }
}

function warn(draft: Draft, index: number, type: 'dropped' | 'coerced', message: string): void {
  draft.context.warn({ type, path: `assistant.content[${index}]`, message })
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
