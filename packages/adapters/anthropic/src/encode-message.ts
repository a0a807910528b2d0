import type {
  MessageParam,
  TextBlockParam,
  ThinkingBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages'
import {
  AdapterError,
  isObject,
  joinJson,
  objectOf,
  ownMetadata,
  textOf,
  toolOutputText,
  type AssistantMessage,
  type AssistantPart,
  type FilePart,
  type HistoryContext,
  type JsonObject,
  type Message,
  type ReasoningPart,
  type Origin,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type ToolResultPart,
  type UserMessage,
} from '@steploop/core/adapter'
import { encodeFile, type FileTarget } from './encode-file.ts'
import { returnableBlock } from './citation.ts'
import { wireCallId, wireToolName } from './names.ts'

export interface MessageOrigin extends Origin, FileTarget {
  /** Own thoughts without a signature go back: the server signs nothing. */
  readonly keepsUnsigned: boolean
}

/**
 * One message as an element of `messages`; `''` where nothing of it can be sent. Content is always a list of blocks, so that a cache
 * breakpoint can be set on the last one. A tool message is one user message with all results in call order; a user message after it is
 * another one, which the API joins to it.
 */
export function encodeMessage(message: Message, context: HistoryContext, origin: MessageOrigin): string {
  switch (message.role) {
    case 'system':
      return encodeLateSystem(message.content, context)
    case 'user':
      return wrap('user', userBlocks(message, context, origin))
    case 'assistant':
      return wrap('assistant', assistantBlocks(message, context, origin))
    case 'tool':
      return wrap('user', resultBlocks(message, context, origin))
    default:
      return message satisfies never
  }
}

function wrap(role: 'user' | 'assistant', blocks: readonly string[]): string {
  if (blocks.length === 0) return ''
  const head = JSON.stringify({ role } satisfies Partial<MessageParam>).slice(0, -1)
  return `${head},"content":[${joinJson(blocks)}]}`
}

/** Only the newest models take a system message amid the conversation, and only right after a user turn: it goes as user text. */
function encodeLateSystem(text: string, context: HistoryContext): string {
  if (isBlank(text)) return ''
  const message =
    'A system message amid the conversation is sent as user text in <system> tags; use `instructions` for a system prompt.'
  context.warn({ type: 'coerced', path: 'messages', message })
  return wrap('user', [textBlock(`<system>\n${text}\n</system>`)])
}

function userBlocks(message: UserMessage, context: HistoryContext, origin: MessageOrigin): readonly string[] {
  const parts: readonly (TextPart | FilePart)[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
  const blocks: string[] = []
  for (const part of parts) {
    if (part.type === 'text') {
      if (!isBlank(part.text)) blocks.push(textBlock(part.text, ownMetadata(part, origin.provider)))
    } else blocks.push(fileBlock(part, origin))
  }
  if (blocks.length === 0) {
    const reported = 'A user message without text or files is left out: the API refuses empty content.'
    context.warn({ type: 'dropped', path: 'messages', message: reported })
  }
  return blocks
}

function fileBlock(part: FilePart, origin: MessageOrigin): string {
  const block = encodeFile(part, origin)
  if (block !== undefined) return block
  const message = `a file of type ${part.mediaType} given as ${part.url === undefined ? 'data' : 'url'} cannot be sent; send an image (jpeg, png, gif, webp), a PDF, or text as base64 data`
  throw new AdapterError({ ...origin, code: 'unsupported', message })
}

function assistantBlocks(message: AssistantMessage, context: HistoryContext, origin: MessageOrigin): readonly string[] {
  const blocks: string[] = []
  const isOwn = message.provider === origin.provider
  const own = isOwn ? origin : { ...origin, keepsUnsigned: false }
  for (const part of message.content) {
    const block = assistantBlock(part, context, own)
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}

function assistantBlock(part: AssistantPart, context: HistoryContext, origin: MessageOrigin): string | undefined {
  const own = part.providerMetadata === undefined ? undefined : ownMetadata(part, origin.provider)
  switch (part.type) {
    case 'text':
      // Blocks without text are refused; one with citations is the provider's own and returns as it came.
      return isBlank(part.text) && own === undefined ? undefined : textBlock(part.text, own)
    case 'refusal':
      return isBlank(part.text) ? undefined : textBlock(part.text)
    case 'reasoning':
      return thinkingBlock(part, origin, context)
    case 'tool-call':
      return callBlock(part, objectOf(own), context)
    case 'tool-result':
      return ownResultBlock(part, own, context)
    case 'opaque':
      if (own === undefined) dropped(context, part.type, 'it belongs to another provider')
      return own === undefined ? undefined : JSON.stringify(returnableBlock(objectOf(own)))
    case 'file':
      dropped(context, part.type, 'the API takes no files from the assistant')
      return undefined
    default:
      return part satisfies never
  }
}

function dropped(context: HistoryContext, type: AssistantPart['type'], reason: string): void {
  const message = `A ${type} part of an assistant message is left out: ${reason}.`
  context.warn({ type: 'dropped', path: 'messages', message })
}

/** `rest` is what the block carries beside its text: citations with their `encrypted_index`, `cache_control`. */
function textBlock(text: string, rest?: unknown): string {
  const own = isObject(rest) ? returnableBlock(rest) : {}
  return JSON.stringify({ type: 'text', text, ...own } satisfies TextBlockParam)
}

/** Thinking without a signature of this provider is refused by the API (foreign thinking, a turn that was cut). */
function thinkingBlock(
  { text: thinking, providerMetadata: wire }: ReasoningPart,
  { provider, keepsUnsigned }: MessageOrigin,
  context: HistoryContext,
): string | undefined {
  const own = ownMetadata({ providerMetadata: wire }, provider)
  const signature = textOf(objectOf(own)['signature']) ?? (keepsUnsigned ? '' : undefined)
  if (signature === undefined) {
    // A thought without a text of another provider holds it encrypted.
    if (thinking !== '' || wire !== undefined) dropped(context, 'reasoning', 'it carries no signature of this provider')
    return undefined
  }
  return JSON.stringify({ type: 'thinking', thinking, ...objectOf(own), signature } satisfies ThinkingBlockParam)
}

function callBlock(part: ToolCallPart, own: JsonObject, context: HistoryContext): string | undefined {
  const id = ownCallId(own, part.toolCallId)
  const input = part.invalid === undefined && isObject(part.input) ? part.input : {}
  if (part.owner === 'provider') {
    if (textOf(own['type']) === undefined) {
      dropped(context, part.type, `\`${part.toolName}\` ran at another provider`)
      return undefined
    }
    return JSON.stringify({ ...own, name: part.toolName, input })
  }
  if (part.invalid !== undefined) {
    const message = `The arguments of call ${part.toolCallId} are ${part.invalid}; the history holds {} in their place.`
    context.warn({ type: 'coerced', path: 'messages', message })
  }
  const block = { type: 'tool_use', ...own, id, name: wireToolName(part.toolName), input } satisfies ToolUseBlockParam
  return JSON.stringify(block)
}

function ownCallId(own: JsonObject, toolCallId: string): string {
  return textOf(own['id']) ?? wireCallId(toolCallId)
}

/** The result of a tool that the provider ran. Its content is the output, save for errors, whose content is kept beside. */
function ownResultBlock(part: ToolResultPart, own: unknown, context: HistoryContext): string | undefined {
  if (!isObject(own)) {
    dropped(context, part.type, `\`${part.toolName}\` ran at another provider`)
    return undefined
  }
  const { output } = part
  const content = output.type === 'json' ? output.value : toolOutputText(output)
  return JSON.stringify(returnableBlock({ ...own, content: own['content'] ?? content }))
}

function resultBlocks(message: ToolMessage, context: HistoryContext, origin: MessageOrigin): readonly string[] {
  return message.content.map((part) => {
    const call = context.call(part.toolCallId)?.part
    const own = call === undefined ? {} : objectOf(ownMetadata(call, origin.provider))
    const toolset = textOf(own['toolset_name'])
    const block = JSON.stringify({
      type: 'tool_result',
      tool_use_id: ownCallId(own, part.toolCallId),
      ...(toolset !== undefined && { toolset_name: toolset }),
      ...(part.output.type === 'error' && { is_error: true }),
      ...objectOf(ownMetadata(part, origin.provider)),
    } satisfies ToolResultBlockParam)
    const content = resultContent(part, context, origin)
    return content === undefined ? block : `${block.slice(0, -1)},"content":${content}}`
  })
}

/** `undefined` for nothing: the API takes a result without content, but no empty text. */
function resultContent(part: ToolResultPart, context: HistoryContext, origin: MessageOrigin): string | undefined {
  if (part.output.type !== 'content') {
    const text = toolOutputText(part.output)
    return isBlank(text) ? undefined : JSON.stringify(text)
  }
  const blocks: string[] = []
  for (const item of part.output.value) {
    if (item.type === 'file') blocks.push(encodeFile(item, origin) ?? fileNote(item, part, context))
    else if (!isBlank(item.text)) blocks.push(textBlock(item.text))
  }
  return blocks.length === 0 ? undefined : `[${joinJson(blocks)}]`
}

function fileNote(file: FilePart, part: ToolResultPart, context: HistoryContext): string {
  const message = `A file of type ${file.mediaType} in the result of ${part.toolName} cannot be sent; a text says so in its place.`
  context.warn({ type: 'coerced', path: 'messages', message })
  return textBlock(`[${file.filename ?? 'file'} of type ${file.mediaType} left out]`)
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}
