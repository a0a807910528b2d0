import {
  arrayOf,
  isObject,
  objectOf,
  ownMetadata,
  textOf,
  type AssistantMessage,
  type AssistantPart,
  type HistoryContext,
  type JsonObject,
  type ToolCallPart,
} from '@steploop/core/adapter'
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageToolCall,
} from 'openai/resources/chat/completions'
import type { Fields, ReasoningField, ResolvedDialect } from './dialect.ts'
import { urlOf } from './encode-file.ts'
import { addDetail, isReplayable } from './reasoning-details.ts'
import { wireToolName } from './names.ts'

export interface EncodeOptions {
  readonly provider: string
  readonly model: string
  readonly dialect: ResolvedDialect
}

/** What is gathered from the parts of one assistant message. */
interface Draft {
  readonly message: AssistantMessage
  readonly context: HistoryContext
  text: string
  /** Content in slot order, for providers whose content is an array (docs/wire.md#chat-content). */
  readonly chunks: Fields[]
  needsChunks: boolean
  reasoning: Partial<Record<ReasoningField, string>> | undefined
  details: Record<string, unknown>[] | undefined
  refusal: string
  readonly calls: ChatCompletionMessageToolCall[]
  /** The tool that was called last, and its name on the wire: most calls of a message are of the same. */
  toolName: string
  wireName: string
  readonly images: Fields[]
  audio: Fields | undefined
  readonly executed: unknown[]
}

/** One assistant message as JSON text; `''` when nothing of it can be said to this provider. */
export function encodeAssistant(message: AssistantMessage, context: HistoryContext, options: EncodeOptions): string {
  const draft: Draft = {
    message,
    context,
    text: '',
    chunks: [],
    needsChunks: false,
    reasoning: undefined,
    details: undefined,
    refusal: '',
    calls: [],
    toolName: '',
    wireName: '',
    images: [],
    audio: undefined,
    executed: [],
  }
  let index = 0
  for (const part of message.content) addPart(draft, part, index++, options)
  const standard = standardFields(draft, options.dialect)
  const extra = extraFields(draft, options)
  const said = draft.text !== '' || draft.refusal !== '' || draft.calls.length > 0
  // Reasoning alone is no message that a server takes, unless it is signed or encrypted.
  if (!said && !Object.keys(extra).some((name) => name !== 'reasoning_content' && name !== 'reasoning')) return ''
  return JSON.stringify(Object.assign(standard, extra))
}

function standardFields(draft: Draft, dialect: ResolvedDialect): ChatCompletionAssistantMessageParam {
  const mayBeNull = draft.calls.length > 0 || draft.refusal !== '' || draft.audio !== undefined
  const nothing = mayBeNull ? dialect.emptyContent : ''
  const message: ChatCompletionAssistantMessageParam = {
    role: 'assistant',
    content: draft.text === '' ? nothing : draft.text,
  }
  if (draft.refusal !== '') message.refusal = draft.refusal
  if (draft.calls.length > 0) message.tool_calls = draft.calls
  return message
}

/** What OpenAI's own format does not have; only ever fields that this provider gave. */
function extraFields(draft: Draft, { provider, dialect }: EncodeOptions): Fields {
  const fields: Record<string, unknown> = {}
  if (draft.needsChunks) fields['content'] = draft.chunks
  // The details hold the text too: sending both would say it twice.
  const details = replayedDetails(draft)
  if (details.length > 0) fields['reasoning_details'] = details
  else Object.assign(fields, draft.reasoning)
  const required = dialect.reasoningWithCalls
  if (required !== 'none' && draft.calls.length > 0) fields[required] ??= ''
  if (draft.audio !== undefined) fields['audio'] = draft.audio
  if (draft.images.length > 0) fields['images'] = draft.images
  if (draft.executed.length > 0) fields['executed_tools'] = draft.executed
  const own = objectOf(ownMetadata(draft.message, provider))['fields']
  return isObject(own) ? { ...fields, ...own } : fields
}

function addPart(draft: Draft, part: AssistantPart, index: number, options: EncodeOptions): void {
  const own = ownMetadata(part, options.provider)
  switch (part.type) {
    case 'text':
      if (part.text !== '') addText(draft, part.text)
      return
    case 'refusal':
      addRefusal(draft, part.text, index, options)
      return
    case 'reasoning':
      addReasoning(draft, part.text, own, index, options)
      return
    case 'tool-call':
      addCall(draft, part, index, options)
      return
    case 'opaque': {
      const chunk = objectOf(own)['chunk']
      if (isObject(chunk)) draft.chunks.push(chunk)
      else drop(draft, index, `a block of ${part.providerMetadata.provider} means nothing to ${options.provider}`)
      draft.needsChunks ||= isObject(chunk)
      return
    }
    case 'file': {
      const audio = objectOf(own)['audio']
      if (own === undefined) drop(draft, index, 'a file in an assistant message has no place in Chat Completions')
      else if (isObject(audio)) draft.audio = { id: audio['id'] }
      else draft.images.push({ type: 'image_url', image_url: { url: urlOf(part) } })
      return
    }
    case 'tool-result':
      // Goes with its call, which a provider ran.
      return
    default:
      part satisfies never
  }
}

function addText(draft: Draft, text: string): void {
  draft.text += text
  draft.chunks.push({ type: 'text', text })
}

function addRefusal(draft: Draft, text: string, index: number, { provider, dialect }: EncodeOptions): void {
  if (dialect.refusals && draft.message.provider === provider) {
    draft.refusal += text
    return
  }
  addText(draft, text)
  const message = `${provider} knows no refusals; this one is sent as text`
  draft.context.warn({ type: 'coerced', path: `assistant.content[${index}]`, message })
}

function addReasoning(draft: Draft, text: string, wire: unknown, index: number, options: EncodeOptions): void {
  const { dialect, provider } = options
  const data = objectOf(wire)
  const field = dialect.replay.find((name) => name === data['field'])
  if (field === 'content') {
    const thinking = data['thinking'] ?? [{ type: 'text', text }]
    draft.chunks.push({ ...objectOf(data['chunk']), type: 'thinking', thinking })
    draft.needsChunks = true
    return
  }
  if (field === 'reasoning_details') {
    addDetails(draft, arrayOf(data['details']).filter(isObject))
    return
  }
  if (field !== undefined) {
    draft.reasoning ??= {}
    draft.reasoning[field] = (draft.reasoning[field] ?? '') + text
  }
  // Its own, in a field that it does not want back; without a field it comes from another format of the same provider.
  if (data['field'] !== undefined) return
  const edited = draft.message.provider === provider ? dialect.editedReasoning : 'none'
  if (edited !== 'none') addReasoning(draft, text, { field: edited }, index, options)
  else drop(draft, index, `reasoning that ${provider} did not produce, or that was changed, is not sent to it`)
}

/** Entries of one part stay as they are; a later part may hold the rest of an entry, such as its signature. */
function addDetails(draft: Draft, details: readonly JsonObject[]): void {
  if (draft.details === undefined) draft.details = details.map((detail) => ({ ...detail }))
  else for (const detail of details) addDetail(draft.details, detail)
}

function replayedDetails({ details, context }: Draft): readonly JsonObject[] {
  if (details === undefined) return []
  const replayed = details.filter(isReplayable)
  if (replayed.length < details.length) {
    const message = 'reasoning without its signature would be refused and is left out'
    context.warn({ type: 'dropped', path: 'assistant.content', message })
  }
  return replayed
}

function addCall(draft: Draft, part: ToolCallPart, index: number, options: EncodeOptions): void {
  const own = ownMetadata(part, options.provider)
  if (part.owner === 'provider') {
    const executed = objectOf(own)['executed']
    if (executed !== undefined && options.dialect.replayExecutedTools) draft.executed.push(executed)
    else
      drop(
        draft,
        index,
        `${options.provider} takes no calls that a provider ran itself; '${part.toolName}' is left out`,
      )
    return
  }
  if (objectOf(own)['custom'] === true) {
    const name = wireNameOf(part, draft, options)
    draft.calls.push({ id: wireCallId(part, options), type: 'custom', custom: { name, input: part.inputText } })
    return
  }
  if (part.invalid !== undefined) {
    const message = `the arguments of '${part.toolName}' were not usable and are sent back as {}`
    draft.context.warn({ type: 'coerced', path: `assistant.content[${index}].input`, message })
  }
  const call: ChatCompletionMessageToolCall = {
    id: wireCallId(part, options),
    type: 'function',
    function: {
      name: wireNameOf(part, draft, options),
      arguments: argumentsText(part, own !== undefined),
    },
  }
  const fields = objectOf(own)['fields']
  draft.calls.push(isObject(fields) ? { ...call, ...fields } : call)
}

function wireNameOf({ toolName }: ToolCallPart, draft: Draft, { dialect }: EncodeOptions): string {
  if (toolName !== draft.toolName) {
    draft.toolName = toolName
    draft.wireName = wireToolName(toolName, dialect.toolName)
  }
  return draft.wireName
}

/**
 * The provider's own text where it is legal: several servers parse the arguments of the history and refuse what is no JSON object, so
 * broken ones go back as `{}`, and the error output tells the model.
 */
function argumentsText(part: ToolCallPart, own: boolean): string {
  if (part.invalid !== undefined) return '{}'
  if (own && part.inputText.trimStart().startsWith('{')) return part.inputText
  return JSON.stringify(part.input ?? {})
}

/** The provider's own id where it gave one, else the neutral one in a legal form. Call and result agree, as both come here. */
export function wireCallId(part: ToolCallPart, { provider, dialect }: EncodeOptions): string {
  return textOf(objectOf(ownMetadata(part, provider))['id']) ?? dialect.callId(part.toolCallId)
}

function drop(draft: Draft, index: number, message: string): void {
  draft.context.warn({ type: 'dropped', path: `assistant.content[${index}]`, message })
}
