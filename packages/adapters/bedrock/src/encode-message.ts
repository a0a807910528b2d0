import {
  AdapterError,
  arrayOf,
  isObject,
  objectOf,
  ownMetadata,
  textOf,
  toolOutputText,
  type AssistantPart,
  type FilePart,
  type HistoryContext,
  type JsonObject,
  type Message,
  type Origin,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '@steploop/core/adapter'
import { encodeFile, withUniqueNames } from './encode-file.ts'
import { isSameFamily, modelFamily } from './model-traits.ts'
import { wireCallId, wireToolName } from './names.ts'

/** Stands before the blocks of a message and its role. JSON text never holds it: it escapes control characters. */
const mark = '\u0000'

/** One message as its blocks, joined by commas, behind a mark that `joinMessages` understands; `''` where nothing of it can be sent. */
export function encodeMessage(message: Message, context: HistoryContext, origin: Origin): string {
  switch (message.role) {
    case 'system':
      return marked('user', lateSystem(message.content, context))
    case 'user':
      return marked('user', userBlocks(message.content, context, origin))
    case 'assistant':
      return marked(
        'assistant',
        message.content.flatMap((part, index) =>
          assistantBlocks(part, { index, context, origin, from: message.provider, model: message.model }),
        ),
      )
    case 'tool':
      return marked(
        'user',
        message.content.map((result) => resultBlock(result, context, origin)),
      )
    default:
      return message satisfies never
  }
}

type Role = 'user' | 'assistant'

function marked(role: Role, blocks: readonly JsonObject[]): string {
  return blocks.length === 0 ? '' : `${mark}${role}:${JSON.stringify(blocks).slice(1, -1)}`
}

/**
 * The elements of `messages`: user and assistant have to alternate, so that neighbours of one role, such as results and what the user says
 * to them, become one message.
 *
 * @param end blocks behind those of the last message, which then is the user's
 */
export function joinMessages(history: string, end: readonly JsonObject[] = []): string {
  const pieces = history.split(mark).slice(1)
  const messages: { readonly role: string; blocks: string }[] = []
  for (const piece of pieces) {
    const colon = piece.indexOf(':')
    const role = piece.slice(0, colon)
    const blocks = piece.endsWith(',') ? piece.slice(colon + 1, -1) : piece.slice(colon + 1)
    const last = messages.at(-1)
    if (last?.role === role) last.blocks += `,${blocks}`
    else messages.push({ role, blocks })
  }
  const last = messages.at(-1)
  if (last?.role === 'user') for (const block of end) last.blocks += `,${JSON.stringify(block)}`
  return withUniqueNames(messages.map(({ role, blocks }) => `{"role":"${role}","content":[${blocks}]}`).join(','))
}

function lateSystem(text: string, context: HistoryContext): readonly JsonObject[] {
  if (isBlank(text)) return []
  const message =
    'A system message amid the conversation is sent as user text in <system> tags; use `instructions` for a system prompt.'
  context.warn({ type: 'coerced', path: 'messages', message })
  return [{ text: `<system>\n${text}\n</system>` }]
}

/** "If you include a ContentBlock with a document field in the array, you must also include a ContentBlock with a text field." */
function userBlocks(
  content: string | readonly (TextPart | FilePart)[],
  context: HistoryContext,
  origin: Origin,
): readonly JsonObject[] {
  if (typeof content === 'string') return isBlank(content) ? [] : [{ text: content }]
  const blocks = content.flatMap((part): readonly JsonObject[] => {
    const block =
      part.type === 'text' ? (isBlank(part.text) ? undefined : { text: part.text }) : fileBlock(part, origin)
    const { cachePoint } = objectOf(ownMetadata(part, origin.provider))
    return [...(block === undefined ? [] : [block]), ...(isObject(cachePoint) ? [{ cachePoint }] : [])]
  })
  const document = blocks.findIndex((block) => 'document' in block)
  if (document < 0 || blocks.some((block) => 'text' in block)) return blocks
  const message = 'Converse takes a document only beside a text; `Document:` was put before it'
  context.warn({ type: 'coerced', path: 'messages', message })
  return blocks.toSpliced(document, 0, { text: 'Document:' })
}

function fileBlock(part: FilePart, origin: Origin): JsonObject {
  const block = encodeFile(part, origin.provider)
  if (block !== undefined) return block
  const form = part.url === undefined ? 'data' : 'a URL that is not of S3'
  const message = `a file of type ${part.mediaType} given as ${form} cannot be sent; send base64 data of an image (png, jpeg, gif, webp), a document (pdf, csv, doc, docx, xls, xlsx, html, txt, md) or a video`
  throw new AdapterError({ ...origin, code: 'unsupported', message })
}

interface PartScope {
  readonly index: number
  readonly context: HistoryContext
  readonly origin: Origin
  /** Who said it. */
  readonly from: string | undefined
  readonly model: string | undefined
}

function assistantBlocks(part: AssistantPart, scope: PartScope): readonly JsonObject[] {
  const own = ownMetadata(part, scope.origin.provider)
  switch (part.type) {
    case 'text': {
      const citations = arrayOf(objectOf(own)['citations'])
      if (citations.length > 0) return [{ citationsContent: { content: [{ text: part.text }], citations } }]
      return isBlank(part.text) ? [] : [{ text: part.text }]
    }
    case 'refusal':
      if (!isBlank(part.text)) warn(scope, 'coerced', 'Converse knows no refusals; the refusal is sent as text')
      return isBlank(part.text) ? [] : [{ text: part.text }]
    case 'reasoning':
      return reasoningBlocks(part, scope)
    case 'tool-call':
      return callBlocks(part, own, scope)
    case 'tool-result':
      // Without its own form it went with the call, of which a warning told.
      return isObject(own) ? [own] : []
    case 'file':
    case 'opaque': {
      const { block, toolResult } = objectOf(own)
      if (isObject(block)) return [block]
      if (isObject(toolResult)) return [{ toolResult }]
      const reason =
        own === undefined
          ? `of another provider means nothing to ${scope.origin.provider}`
          : 'came in pieces that nobody can put together'
      warn(scope, 'dropped', `a ${part.type} part ${reason}`)
      return []
    }
    default:
      return part satisfies never
  }
}

/** Claude wants its thoughts signed. Those of other models have no signature and go back as they came; none goes to a family that is known to be another. */
function reasoningBlocks(part: ReasoningPart, scope: PartScope): readonly JsonObject[] {
  const { text, providerMetadata } = part
  const { provider, model } = scope.origin
  const from = providerMetadata?.model ?? scope.model ?? model
  const isOfFamily = isSameFamily(from, model)
  const { signature, redactedContent } = objectOf(isOfFamily ? ownMetadata(part, provider) : undefined)
  if (textOf(redactedContent) !== undefined) return [{ reasoningContent: { redactedContent } }]
  if (textOf(signature) !== undefined) return [{ reasoningContent: { reasoningText: { text, signature } } }]
  if (text === '' && isOfFamily) return []
  if (isOfFamily && scope.from === provider && modelFamily(model).name === 'other')
    return [{ reasoningContent: { reasoningText: { text } } }]
  warn(scope, 'dropped', 'reasoning without a signature of this family of models is left out')
  return []
}

function callBlocks(part: ToolCallPart, own: unknown, scope: PartScope): readonly JsonObject[] {
  const { type } = objectOf(own)
  if (part.owner === 'provider' && type === undefined) {
    warn(scope, 'dropped', `'${part.toolName}' ran at another provider`)
    return []
  }
  if (part.invalid !== undefined || !isObject(part.input)) {
    warn(scope, 'coerced', `the arguments of '${part.toolName}' were not usable and are sent back as {}`)
  }
  const input = objectOf(part.input)
  const name = part.owner === 'provider' ? part.toolName : wireToolName(part.toolName)
  const toolUse = { toolUseId: wireCallId(part.toolCallId), name, input, ...(type !== undefined && { type }) }
  return [{ toolUse }]
}

function warn({ context, index }: PartScope, type: 'dropped' | 'coerced', message: string): void {
  context.warn({ type, path: `assistant.content[${index}]`, message })
}

function resultBlock(
  { toolCallId, output, ...part }: ToolResultPart,
  context: HistoryContext,
  origin: Origin,
): JsonObject {
  const { name } = modelFamily(origin.model)
  const isError = output.type === 'error' && (name === 'claude' || name === 'nova')
  const content = resultContent({ ...part, toolCallId, output }, context, origin)
  return { toolResult: { toolUseId: wireCallId(toolCallId), content, ...(isError && { status: 'error' }) } }
}

function resultContent(
  { output, toolName }: ToolResultPart,
  context: HistoryContext,
  { provider }: Origin,
): readonly JsonObject[] {
  if (output.type === 'json' && isObject(output.value)) return [{ json: output.value }]
  if (output.type !== 'content') {
    const text = toolOutputText(output)
    return isBlank(text) ? [] : [{ text }]
  }
  return output.value.flatMap((part): readonly JsonObject[] => {
    if (part.type === 'text') return isBlank(part.text) ? [] : [{ text: part.text }]
    const block = encodeFile(part, provider)
    if (block !== undefined) return [block]
    const message = `A file of type ${part.mediaType} in the result of ${toolName} cannot be sent; a text says so in its place.`
    context.warn({ type: 'coerced', path: 'tool.content[].output', message })
    return [{ text: `[${part.mediaType} file, not shown]` }]
  })
}

/** "The text field in the ContentBlock object is blank" is a refusal. */
function isBlank(text: string): boolean {
  return text.trim() === ''
}
