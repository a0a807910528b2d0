import {
  encodeHistory,
  isObject,
  jsonOf,
  type AssistantMessage,
  type AssistantPart,
  type HistoryContext,
  type JsonObject,
  type Message,
  type Origin,
  type ToolCallPart,
  type ToolMessage,
  type UserMessage,
  type Warn,
  type Warning,
} from '@steploop/core/adapter'
import type { EasyInputMessage, ResponseFunctionToolCall } from 'openai/resources/responses/responses'
import { inputContent, withoutSound } from './encode-content.ts'
import { callIdOf, outputItem } from './hosted-items.ts'
import { fieldOfInput, itemWireOf, without, type ItemWire } from './item-wire.ts'
import { wireCallId, wireToolName } from './names.ts'
import type { ResponsesOptions } from './dialect.ts'

/** Makes the encoder of `input` items for one provider; each message is encoded once. */
export function createHistoryEncoder(
  options: ResponsesOptions,
): (messages: readonly Message[], warnings: Warning[], from?: number) => string {
  return encodeHistory((message, context) => {
    const items = itemsOf(message, options, context)
    return items.length === 0 ? '' : JSON.stringify(items).slice(1, -1)
  })
}

function itemsOf(message: Message, options: ResponsesOptions, context: HistoryContext): readonly object[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content } satisfies EasyInputMessage]
    case 'user':
      return [userItem(message, options)]
    case 'assistant':
      return assistantItems(message, options, context.warn)
    case 'tool':
      return toolItems(message, options, context)
    default:
      return message satisfies never
  }
}

function userItem(message: UserMessage, origin: Origin): object {
  const { content } = message
  return { role: 'user', content: typeof content === 'string' ? content : inputContent(content, origin) }
}

function toolItems(message: ToolMessage, origin: Origin, context: HistoryContext): readonly object[] {
  return message.content.map((part) => {
    const call = context.call(part.toolCallId)?.part
    const item = call && ownItem(call, origin)
    const shown = withoutSound(part.output, origin, context.warn)
    return outputItem(shown, (item && callIdOf(item)) ?? wireCallId(part.toolCallId), item, origin)
  })
}

function ownItem(part: ToolCallPart, origin: Origin): JsonObject | undefined {
  const wire = itemWireOf(part, origin.provider)
  return wire?.type === 'item' ? wire.item : undefined
}

/** Items of one assistant message under construction. */
interface Items {
  readonly list: Record<string, unknown>[]
  /** Content lists of replayed messages, by the item that they belong to. */
  readonly contents: Map<number | undefined, unknown[]>
}

function assistantItems(message: AssistantMessage, options: ResponsesOptions, warn: Warn): readonly object[] {
  const items: Items = { list: [], contents: new Map() }
  for (const [index, part] of message.content.entries()) {
    const wire = itemWireOf(part, options.provider)
    const isCustom = wire?.type === 'item' && fieldOfInput(wire.item) === 'input'
    if (part.type === 'tool-call' && part.owner !== 'provider' && part.invalid !== undefined && !isCustom)
      warn(coerced(index, part))
    if (wire === undefined) addNeutral(items, part, options, (what) => warn(dropped(index, what, options)))
    else addOwn(items, part, wire)
  }
  dropTrailingReasoning(items.list, () => warn(trailingReasoning))
  return items.list
}

function addOwn(items: Items, part: AssistantPart, wire: ItemWire): void {
  if (wire.type === 'item') items.list.push(replayedItem(part, wire.item))
  else if (wire.type === 'content') {
    let content = items.contents.get(wire.index)
    if (content === undefined) {
      content = []
      items.contents.set(wire.index, content)
      items.list.push({ role: 'assistant', ...wire.message, content })
    }
    const said = part.type === 'text' || part.type === 'refusal' ? { [part.type]: part.text } : {}
    content.push({ ...said, ...wire.content })
  } else if (wire.type === 'within' && part.type === 'file') {
    const last = items.list.at(-1)
    if (last !== undefined) last['result'] = part.data
  }
}

/** Items that go back without their `status`. */
const withoutStatus: ReadonlySet<unknown> = new Set([
  'reasoning',
  'function_call',
  'custom_tool_call',
  'custom_tool_call_output',
])

/**
 * The item as it came, but without what is output-only: `created_by` of any item, and `status` where the API answers
 * `Unknown parameter: 'input[1].status'` (reasoning) or strict servers do so (calls); recorded clients leave it out of both, and keep it
 * for messages and hosted calls.
 */
function replayedItem(part: AssistantPart, given: JsonObject): Record<string, unknown> {
  const item = withoutAuthor(given)
  const type = item['type']
  if (type === 'image_generation_call') return { result: null, ...item }
  if (!withoutStatus.has(type)) return item
  const { status: _output, ...rest } = item
  if (part.type !== 'tool-call') return rest
  const field = fieldOfInput(item)
  const call_id = callIdOf(item) ?? wireCallId(part.toolCallId)
  return { ...rest, call_id, ...(field && { [field]: field === 'arguments' ? argumentsOf(part) : part.inputText }) }
}

/**
 * Servers parse the arguments of the history and refuse a request whose are no JSON object (llama.cpp: a 500): broken ones are left out, and the
 * result says why; the free text of another provider's tool stands in its field.
 */
function argumentsOf({ invalid, input, inputText }: ToolCallPart): string {
  if (invalid !== undefined) return '{}'
  return isObject(jsonOf(inputText)) ? inputText : JSON.stringify(input ?? {})
}

/** Who made an item is told in answers only; the output of a shell says it for each chunk. */
function withoutAuthor({ created_by: _author, ...item }: JsonObject): Record<string, unknown> {
  const { output } = item
  if (!Array.isArray(output)) return item
  return { ...item, output: output.map((chunk: unknown) => (isObject(chunk) ? without(chunk, 'created_by') : chunk)) }
}

/** Parts without a payload of this provider: another provider's, an application's, or edited ones. */
function addNeutral(
  items: Items,
  part: AssistantPart,
  { assistantText }: ResponsesOptions,
  drop: (what: string) => void,
): void {
  switch (part.type) {
    case 'text':
    case 'refusal':
      if (part.text !== '')
        items.list.push(assistantText === 'output_text' ? outputText(part.text) : plainText(part.text))
      return
    case 'tool-call': {
      if (part.owner === 'provider') return drop(`the provider-executed call '${part.toolName}'`)
      const call: ResponseFunctionToolCall = {
        type: 'function_call',
        call_id: wireCallId(part.toolCallId),
        name: wireToolName(part.toolName),
        arguments: argumentsOf(part),
      }
      items.list.push({ ...call })
      return
    }
    case 'tool-result':
      // Its call is reported; the two are dropped together.
      return
    case 'reasoning':
      if (part.text !== '' || part.providerMetadata !== undefined) drop('reasoning')
      return
    case 'file':
      return drop(`a file (${part.mediaType}) in an assistant message`)
    case 'opaque':
      return drop('a block')
    default:
      part satisfies never
  }
}

function plainText(content: string): Record<string, unknown> {
  return { ...({ role: 'assistant', content } satisfies EasyInputMessage) }
}

function outputText(text: string): Record<string, unknown> {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
}

function coerced(index: number, { toolName }: ToolCallPart): Warning {
  const message = `the arguments of '${toolName}' were not usable and are sent back as {}`
  return { type: 'coerced', path: `assistant.content[${index}].input`, message }
}

function dropped(index: number, what: string, origin: Origin): Warning {
  const message = `${what} cannot be sent to '${origin.provider}' and was left out: it did not come from there`
  return { type: 'dropped', path: `assistant.content[${index}]`, message }
}

/**
 * Reasoning is only taken back with what it led to (docs/wire.md#histories-that-are-refused): an answer cut while thinking, or whose text
 * was removed, has nothing. The rule is OpenAI's; a gateway says in `format` whose reasoning it is, and Gemini's signature comes after the
 * answer.
 */
function dropTrailingReasoning(list: Record<string, unknown>[], warn: () => void): void {
  for (let last = list.at(-1); last?.['type'] === 'reasoning' && !isForeignReasoning(last); last = list.at(-1)) {
    list.pop()
    warn()
  }
}

function isForeignReasoning({ format }: JsonObject): boolean {
  return typeof format === 'string' && !format.startsWith('openai')
}

const trailingReasoning: Warning = {
  type: 'dropped',
  path: 'assistant.content',
  message: 'reasoning at the end of a message was left out: it is only taken back together with what it led to',
}
