import {
  objectOf,
  ownMetadata,
  type AssistantMessage,
  type AssistantPart,
  type HistoryContext,
  type Origin,
  type ToolCallPart,
} from '@steploop/core/adapter'
import { printMessage, type WireCall } from './wire-message.ts'

/** What is gathered from the parts of one assistant message: the API has one slot of each kind. */
interface Draft {
  readonly message: AssistantMessage
  readonly context: HistoryContext
  readonly origin: Origin
  text: string
  thinking: string
  readonly calls: WireCall[]
}

/** One assistant message as JSON text; `''` when nothing of it can be said to Ollama. */
export function encodeAssistant(message: AssistantMessage, context: HistoryContext, origin: Origin): string {
  const draft: Draft = { message, context, origin, text: '', thinking: '', calls: [] }
  for (const [index, part] of message.content.entries()) addPart(draft, part, index)
  const { text, thinking, calls } = draft
  const fields = objectOf(objectOf(ownMetadata(message, origin.provider))['fields'])
  const beside = {
    ...fields,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  if (text === '' && Object.keys(beside).length === 0) return ''
  return printMessage({ role: 'assistant', content: text, ...beside })
}

function addPart(draft: Draft, part: AssistantPart, index: number): void {
  const { provider } = draft.origin
  switch (part.type) {
    case 'text':
      draft.text += part.text
      return
    case 'refusal':
      draft.text += part.text
      warn(draft, index, 'coerced', 'Ollama knows no refusals; the refusal is sent as text')
      return
    case 'reasoning':
      if ((draft.message.provider ?? provider) === provider) draft.thinking += part.text
      else warn(draft, index, 'dropped', `reasoning of ${draft.message.provider} is not sent to ${provider}`)
      return
    case 'tool-call':
      if (part.owner !== 'provider') draft.calls.push(callOf(draft, part, index))
      else
        warn(
          draft,
          index,
          'dropped',
          `Ollama takes no calls that a provider ran itself; '${part.toolName}' is left out`,
        )
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

/** Arguments are an object on this wire; ids are sent only where the server gave them (docs/wire.md#ollama). */
function callOf(draft: Draft, part: ToolCallPart, index: number): WireCall {
  const own = objectOf(ownMetadata(part, draft.origin.provider))
  if (part.invalid !== undefined) {
    warn(draft, index, 'coerced', `the arguments of '${part.toolName}' were not usable and are sent back as {}`)
  }
  return {
    ...objectOf(own['call']),
    function: { ...objectOf(own['function']), name: part.toolName, arguments: objectOf(part.input) },
  }
}

function warn(draft: Draft, index: number, type: 'dropped' | 'coerced', message: string): void {
  draft.context.warn({ type, path: `assistant.content[${index}]`, message })
}
