import type { JSONValue, LanguageModelV4Message, LanguageModelV4ToolCallPart } from '@ai-sdk/provider'
import {
  isObject,
  objectOf,
  textOf,
  type AssistantMessage,
  type AssistantPart,
  type JsonObject,
  type ToolCallPart,
  type ToolResultPart,
} from '@steploop/core/adapter'
import { acceptableCallId } from './call-id.ts'
import { encodeFile } from './encode-file.ts'
import { metadataOf, ownPayload } from './payload.ts'
import type { HistoryContext } from './prompt-context.ts'

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]

/** `undefined`: the part cannot be sent; a warning says why. */
export function encodeAssistantPart(
  part: AssistantPart,
  message: AssistantMessage,
  context: HistoryContext,
): AssistantContent | undefined {
  const own = ownPayload(part, context.origin)
  switch (part.type) {
    case 'text':
      if (part.text === '' && own['providerMetadata'] === undefined) return undefined
      return { type: 'text', text: part.text, ...metadataOf(own) }
    case 'refusal':
      return refusal(part.text, own, context)
    case 'reasoning':
      return reasoning(part.text, own, message, context)
    case 'file':
      return { ...encodeFile(part, context), ...metadataOf(own) }
    case 'tool-call':
      return toolCall(part, own, context)
    case 'tool-result':
      return providerResult(part, own, context)
    case 'opaque':
      return opaque(own, context)
    default:
      return part satisfies never
  }
}

function dropped(type: AssistantPart['type'], reason: string, { warnings }: HistoryContext): undefined {
  const message = `A ${type} part of an assistant message is left out: ${reason}.`
  warnings.push({ type: 'dropped', path: 'messages', message })
}

/** The AI SDK knows no refusals. */
function refusal(text: string, own: JsonObject, { warnings }: HistoryContext): AssistantContent | undefined {
  if (text === '') return undefined
  const message = 'A refusal in the conversation is sent as text: the AI SDK has no part for it.'
  warnings.push({ type: 'coerced', path: 'messages', message })
  return { type: 'text', text, ...metadataOf(own) }
}

/** Some providers want their reasoning back without any signature, so what this one said returns in any case; foreign reasoning never. */
function reasoning(
  text: string,
  own: JsonObject,
  message: AssistantMessage,
  context: HistoryContext,
): AssistantContent | undefined {
  const signed = own['providerMetadata'] !== undefined
  if (!signed && message.provider !== context.origin.provider) {
    return text === '' ? undefined : dropped('reasoning', 'another provider made it', context)
  }
  return signed || text !== '' ? { type: 'reasoning', text, ...metadataOf(own) } : undefined
}

function toolCall(part: ToolCallPart, own: JsonObject, context: HistoryContext): AssistantContent | undefined {
  const id = textOf(own['id'])
  if (part.owner === 'provider' && id === undefined) return dropped('tool-call', 'another provider ran it', context)
  // Providers repeat ids from turn to turn; two calls of one prompt under one id would share their results.
  const free = id === undefined || context.usedIds.has(id) ? part.toolCallId : id
  const sent = acceptableCallId(free, context.namespace)
  context.usedIds.add(sent)
  context.ownIds.set(part.toolCallId, sent)
  const call: LanguageModelV4ToolCallPart = {
    type: 'tool-call',
    toolCallId: sent,
    toolName: part.toolName,
    input: inputOf(part, context),
    ...(part.owner === 'provider' && { providerExecuted: true }),
    ...metadataOf(own),
  }
  return call
}

/** Models serialise the input themselves, so text that is no JSON cannot be sent; its result says what was wrong with it. */
function inputOf(part: ToolCallPart, { warnings, origin }: HistoryContext): unknown {
  if (part.owner === 'provider' && part.providerMetadata?.provider === origin.provider) return part.input ?? {}
  if (isObject(part.input)) return part.input
  const message = `The input of the call \`${part.toolName}\` is no JSON object and is sent as {}.`
  warnings.push({ type: 'coerced', path: 'messages', message })
  return {}
}

/** Result that a provider gave, as `ai` itself sends it back. */
function providerResult(
  { toolCallId, toolName }: ToolResultPart,
  own: JsonObject,
  context: HistoryContext,
): AssistantContent | undefined {
  if (!('result' in own)) return dropped('tool-result', 'another provider gave it', context)
  // Came from the model as JSON.
  const value = (own['result'] ?? null) as JSONValue
  const type = own['isError'] === true ? 'error-json' : 'json'
  return {
    type: 'tool-result',
    toolCallId: context.ownIds.get(toolCallId) ?? textOf(own['id']) ?? toolCallId,
    toolName,
    output: typeof value === 'string' && type === 'json' ? { type: 'text', value } : { type, value },
    ...metadataOf(own),
  }
}

function opaque(own: JsonObject, context: HistoryContext): AssistantContent | undefined {
  const content = objectOf(own['content'])
  const { type, kind, data, mediaType } = content
  if (type === 'custom' && isKind(kind)) return { type, kind, ...metadataOf(content) }
  if (type === 'reasoning-file' && typeof mediaType === 'string' && typeof data === 'string') {
    return { type, mediaType, data: { type: 'data', data }, ...metadataOf(content) }
  }
  if (type === undefined) return dropped('opaque', 'it belongs to another provider', context)
  return dropped('opaque', `the AI SDK takes no \`${textOf(type) ?? 'such part'}\` back`, context)
}

function isKind(kind: unknown): kind is `${string}.${string}` {
  return typeof kind === 'string' && kind.includes('.')
}
