import type { Content, Part } from '@google/genai'
import {
  isObject,
  joinJson,
  objectOf,
  ownMetadata,
  textOf,
  type AssistantMessage,
  type AssistantPart,
  type FilePart,
  type HistoryContext,
  type JsonObject,
  type Message,
  type Origin,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type UserMessage,
} from '@steploop/core/adapter'
import { functionResponse } from './encode-result.ts'
import type { ModelTraits } from './model-traits.ts'
import { wireToolName, type Plain } from './names.ts'

export interface MessageOptions extends Origin {
  readonly traits: ModelTraits
}

/** For calls that the model did not make, documented at https://ai.google.dev/gemini-api/docs/thought-signatures (FAQs). */
const noSignature = 'skip_thought_signature_validator'

/**
 * One message as an element of `contents`; `''` where nothing of it can be sent. There are two roles: results stand in a `user` content
 * in call order. Contents of the same role may follow each other.
 */
export function encodeMessage(message: Message, context: HistoryContext, options: MessageOptions): string {
  switch (message.role) {
    case 'system':
      return lateSystem(message.content, context)
    case 'user':
      return wrap('user', userParts(message, options.provider))
    case 'assistant':
      return wrap('model', modelParts(message, context, options))
    case 'tool':
      return wrap('user', resultParts(message, context, options))
    default:
      return message satisfies never
  }
}

function wrap(role: 'user' | 'model', parts: readonly string[]): string {
  if (parts.length === 0) return ''
  const head = JSON.stringify({ role } satisfies Content).slice(0, -1)
  return `${head},"parts":[${joinJson(parts)}]}`
}

function partText(part: Plain<Part>): string {
  return JSON.stringify(part)
}

function lateSystem(text: string, context: HistoryContext): string {
  if (text.trim() === '') return ''
  const message =
    'A system message amid the conversation is sent as user text in <system> tags; use `instructions` for a system prompt.'
  context.warn({ type: 'coerced', path: 'messages', message })
  return wrap('user', [partText({ text: `<system>\n${text}\n</system>` })])
}

/** `providerMetadata.data` of this provider adds to a part (`videoMetadata`, `mediaResolution`). */
function userParts(message: UserMessage, provider: string): readonly string[] {
  const parts: readonly (TextPart | FilePart)[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
  return parts.map((part) => {
    const own = objectOf(ownMetadata(part, provider))
    return part.type === 'text' ? partText({ text: part.text, ...own }) : filePart(part, own)
  })
}

function filePart(part: FilePart, own: JsonObject): string {
  const { mediaType: mimeType, data, url = '' } = part
  return partText(
    data === undefined ? { fileData: { mimeType, fileUri: url }, ...own } : { inlineData: { mimeType, data }, ...own },
  )
}

function modelParts(message: AssistantMessage, context: HistoryContext, options: MessageOptions): readonly string[] {
  const parts: string[] = []
  // Of parallel calls only the first one carries a signature (docs/wire.md#gemini-signatures).
  let isFirstCall = options.traits.wantsSignatures
  for (const part of message.content) {
    const own = part.providerMetadata === undefined ? undefined : ownMetadata(part, options.provider)
    const encoded =
      part.type === 'tool-call' && part.owner !== 'provider'
        ? callPart(part, own, isFirstCall, context)
        : modelPart(part, own, message.provider === options.provider, context)
    if (part.type === 'tool-call' && part.owner !== 'provider') isFirstCall = false
    if (encoded !== undefined) parts.push(encoded)
  }
  return parts
}

function modelPart(part: AssistantPart, own: unknown, isOurs: boolean, context: HistoryContext): string | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' && own === undefined ? undefined : partText({ text: part.text, ...objectOf(own) })
    case 'reasoning':
      if (isOurs || own !== undefined) return partText({ text: part.text, thought: true, ...objectOf(own) })
      // Without text it may still be one: other providers encrypt theirs.
      if (part.text !== '' || part.providerMetadata !== undefined)
        dropped(context, part.type, 'it is the thought of another model')
      return undefined
    case 'tool-call':
    case 'tool-result':
      return serverPart(part, objectOf(own), context)
    case 'file':
      return filePart(part, objectOf(own))
    case 'opaque':
      if (own === undefined) dropped(context, part.type, 'it belongs to another provider')
      return own === undefined ? undefined : JSON.stringify(own)
    default:
      return part satisfies never
  }
}

function dropped(context: HistoryContext, type: AssistantPart['type'], reason: string): void {
  const message = `A ${type} part of an assistant message is left out: ${reason}.`
  context.warn({ type: 'dropped', path: 'messages', message })
}

/** A call that the provider did not number is sent back without an id, and so is its result. */
function wireCallId(toolCallId: string, own: unknown): string | undefined {
  const call = objectOf(own)['functionCall']
  return isObject(call) ? textOf(call['id']) : textOf(toolCallId)
}

function callPart(part: ToolCallPart, own: unknown, wantsSignature: boolean, context: HistoryContext): string {
  const id = wireCallId(part.toolCallId, own)
  if (part.invalid !== undefined) {
    const message = `The arguments of call ${part.toolCallId} are ${part.invalid}; the history holds {} in their place.`
    context.warn({ type: 'coerced', path: 'messages', message })
  }
  const { functionCall, ...rest } = objectOf(own)
  return partText({
    functionCall: {
      ...objectOf(functionCall),
      ...(id !== undefined && { id }),
      name: wireToolName(part.toolName),
      args: part.invalid === undefined && isObject(part.input) ? part.input : {},
    },
    ...(wantsSignature && { thoughtSignature: noSignature }),
    ...rest,
  })
}

/** A call that the provider ran, or its result: the part as it came, with the neutral fields put back. */
function serverPart(
  part: Extract<AssistantPart, { type: 'tool-call' | 'tool-result' }>,
  own: JsonObject,
  context: HistoryContext,
): string | undefined {
  const input = objectOf(part.type === 'tool-call' ? part.input : jsonValue(part))
  const { executableCode, toolCall, codeExecutionResult, toolResponse, functionCall, ...rest } = own
  if (isObject(executableCode)) return JSON.stringify({ ...rest, executableCode: { ...executableCode, ...input } })
  if (isObject(toolCall)) return JSON.stringify({ ...rest, toolCall: { ...toolCall, args: input } })
  if (isObject(codeExecutionResult)) {
    return JSON.stringify({ ...rest, codeExecutionResult: { ...codeExecutionResult, ...input } })
  }
  if (isObject(functionCall)) {
    const call = { ...functionCall, name: wireToolName(part.toolName), args: input }
    return JSON.stringify({ ...rest, functionCall: call })
  }
  if (isObject(rest['functionResponse'])) {
    return JSON.stringify({ ...rest, functionResponse: { ...rest['functionResponse'], response: input } })
  }
  if (isObject(toolResponse)) return JSON.stringify({ ...rest, toolResponse: { ...toolResponse, response: input } })
  dropped(context, part.type, `\`${part.toolName}\` ran at another provider`)
  return undefined
}

function jsonValue({ output }: Extract<AssistantPart, { type: 'tool-result' }>): unknown {
  return output.type === 'json' ? output.value : undefined
}

function resultParts(message: ToolMessage, context: HistoryContext, options: MessageOptions): readonly string[] {
  return message.content.map((part) => {
    const call = context.call(part.toolCallId)?.part
    const id = wireCallId(part.toolCallId, call && ownMetadata(call, options.provider))
    return partText({
      functionResponse: {
        ...(id !== undefined && { id }),
        name: wireToolName(part.toolName),
        ...functionResponse(part, context, options.traits.combines),
      },
      ...objectOf(ownMetadata(part, options.provider)),
    })
  })
}
