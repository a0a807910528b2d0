import {
  arrayOf,
  createToolCallAssembler,
  isObject,
  numberOf,
  objectOf,
  textOf,
  type AssemblerOptions,
  type Citation,
  type FinishedCall,
  type JsonObject,
  type ProviderMetadata,
  type ToolCallAssembler,
  type ToolDefinition,
  type ToolNames,
  type TurnEvent,
} from '@steploop/core/adapter'
import { createAudioAnswer, type AudioAnswer } from './audio-answer.ts'
import { withoutUndefined, type ResolvedDialect } from './dialect.ts'
import { createExecutedTools, type ExecutedTools } from './executed-tools.ts'
import { fileOfUrl } from './encode-file.ts'
import {
  closeParts,
  writeCitation,
  writeDetail,
  writeOpaque,
  writeReasoning,
  writeRefusal,
  writeText,
  writeThinking,
  type OpenParts,
} from './part-writer.ts'
import { detailText, hasSubstance } from './reasoning-details.ts'

interface ReaderOptions {
  readonly parts: OpenParts
  readonly dialect: ResolvedDialect
  readonly turn: number
  readonly toolNames: ToolNames
  readonly tools: readonly ToolDefinition[] | undefined
}

/** What was read of a message. */
export interface MessageReader extends ReaderOptions {
  /** Made for the first one. */
  calls?: Calls
  executed?: ExecutedTools
  audio?: AudioAnswer
  /** Fields of the message that are sent back verbatim. */
  fields?: Record<string, unknown>
  /** Name of a function that was called in the legacy form. */
  legacyCall?: string | undefined
}

/** The calls of a message, and how they are put together. */
class Calls implements AssemblerOptions {
  readonly #reader: ReaderOptions
  readonly assembler: ToolCallAssembler
  /** Indexes and ids of calls of `custom` tools. */
  custom?: Set<number | string | undefined>
  /** Members of a call that are sent back with it, where they came first, by its id or its index. */
  fields?: Map<string | number | undefined, Readonly<Record<string, unknown>>>

  constructor(reader: ReaderOptions) {
    this.#reader = reader
    this.assembler = createToolCallAssembler(this)
  }

  get turn(): number {
    return this.#reader.turn
  }

  nextPart(): number {
    return this.#reader.parts.next++
  }

  toolName(wireName: string): string {
    return this.#reader.toolNames.get(wireName) ?? wireName
  }

  isToolName(wireName: string): boolean {
    return this.#reader.tools?.some(({ name }) => name === this.toolName(wireName)) === true
  }

  providerMetadata(call: FinishedCall): ProviderMetadata {
    const { index, id } = call
    const fields = this.fields?.get(id ?? index)
    const data: Record<string, unknown> = id === undefined ? {} : { id }
    if (fields !== undefined) data['fields'] = fields
    if (this.isFreeText(call)) data['custom'] = true
    return this.#reader.parts.providerMetadata(data)
  }

  isFreeText({ index, id }: FinishedCall): boolean {
    return this.custom?.has(id ?? index) === true
  }
}

/** Closes everything. `cut`: the turn was cut, so calls that do not parse are `truncated`. */
export function endMessage({ parts, audio, calls }: MessageReader, cut: boolean, out: TurnEvent[]): void {
  closeParts(parts, out)
  audio?.end(out)
  calls?.assembler.end(out, cut)
}

/** Reads a delta, or a whole message: they have the same fields. */
export function readMessage(state: MessageReader, message: JsonObject, whole: boolean, out: TurnEvent[]): void {
  readReasoning(state.parts, message, out)
  const { content, refusal, tool_calls: toolCalls, executed_tools: executedTools } = message
  if (Array.isArray(executedTools)) {
    state.executed ??= createExecutedTools(state.parts, state.turn)
    state.executed.read(executedTools, out)
  }
  if (typeof content === 'string') {
    writeText(state.parts, content, out)
  } else if (Array.isArray(content)) {
    for (const chunk of content) readChunk(state.parts, chunk, out)
  } else if (isObject(content)) {
    // Cloudflare, asked for JSON.
    writeText(state.parts, JSON.stringify(content), out)
  }
  writeRefusal(state.parts, textOf(refusal) ?? '', out)
  if (Array.isArray(toolCalls)) readCalls(state, toolCalls, whole, out)
  if (Array.isArray(message['annotations'])) readAnnotations(state, message['annotations'], out)
  if (Array.isArray(message['images'])) readImages(state.parts, message['images'], out)
  if (isObject(message['audio'])) {
    state.audio ??= createAudioAnswer(state.parts)
    state.audio.read(message['audio'])
  }
  state.legacyCall ??= textOf(objectOf(message['function_call'])['name'])
  for (const name of state.dialect.messageFields) keepField(state, name, message[name])
}

/** Reads reasoning, which some servers give under several names: the first that is not empty counts (docs/wire.md#chat-names-of-reasoning). */
function readReasoning(parts: OpenParts, message: JsonObject, out: TurnEvent[]): void {
  const details = message['reasoning_details']
  const content = textOf(message['reasoning_content'])
  const reasoning = textOf(message['reasoning'])
  if (content !== undefined) writeReasoning(parts, 'reasoning_content', content, out)
  else if (reasoning !== undefined) writeReasoning(parts, 'reasoning', reasoning, out)
  else if (Array.isArray(details)) readDetailTexts(parts, details, out)
  if (!Array.isArray(details)) return
  for (const detail of details) {
    // The empty ones that announce an entry do not open a part.
    if (isObject(detail) && (parts.reasoning !== undefined || hasSubstance(detail))) writeDetail(parts, detail, out)
  }
}

function readDetailTexts(parts: OpenParts, details: readonly unknown[], out: TurnEvent[]): void {
  for (const detail of details) {
    const text = detailText(objectOf(detail))
    if (text !== '') writeReasoning(parts, 'reasoning_details', text, out)
  }
}

function readChunk(parts: OpenParts, chunk: unknown, out: TurnEvent[]): void {
  if (typeof chunk === 'string') return writeText(parts, chunk, out)
  if (!isObject(chunk)) return
  switch (chunk['type']) {
    case 'text':
    case 'output_text':
      return writeText(parts, textOf(chunk['text']) ?? '', out)
    case 'thinking':
      return writeThinking(parts, chunk, out)
    case 'refusal':
      return writeRefusal(parts, textOf(chunk['refusal']) ?? '', out)
    default:
      return writeOpaque(parts, chunk, out)
  }
}

function readCalls(state: MessageReader, entries: readonly unknown[], whole: boolean, out: TurnEvent[]): void {
  const calls = (state.calls ??= new Calls(state))
  let position = -1
  for (const value of entries) {
    position++
    if (!isObject(value)) continue
    closeParts(state.parts, out)
    // `custom` calls hold free text; Snowflake writes an empty one beside each function.
    const isCustom = !isObject(value['function']) && isObject(value['custom'])
    const call = objectOf(isCustom ? value['custom'] : value['function'])
    const given = call['arguments'] ?? call['input']
    // The text "null" is what Mistral's library writes for no id.
    const id = value['id'] === 'null' ? undefined : textOf(value['id'])
    // A whole message says each call once, so its position is certain; in a stream only the provider's index is
    // (docs/wire.md#chat-fragments-of-calls).
    const index = whole ? position : numberOf(value['index'])
    keepCallFields(state.dialect, calls, value, id ?? index)
    if (isCustom) keepCustom(calls, index, id)
    const name = textOf(call['name'])
    const text = argumentsText(given)
    // A fragment that says nothing begins no call.
    if (id !== undefined || name !== undefined || text !== undefined) {
      calls.assembler.push({ index, id, name, argumentsText: text }, out)
    }
  }
}

/** Some servers send the arguments as an object; what is no object is invalid, not empty. */
function argumentsText(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value)
}

function keepCustom(calls: Calls, index: number | undefined, id: string | undefined): void {
  calls.custom ??= new Set()
  if (index !== undefined) calls.custom.add(index)
  if (id !== undefined) calls.custom.add(id)
}

function keepCallFields(
  { callFields }: ResolvedDialect,
  calls: Calls,
  value: JsonObject,
  key: string | number | undefined,
): void {
  let fields: Record<string, unknown> | undefined
  for (const name of callFields) {
    if (value[name] !== undefined && value[name] !== null) (fields ??= {})[name] = value[name]
  }
  if (fields !== undefined && calls.fields?.has(key) !== true) (calls.fields ??= new Map()).set(key, fields)
}

function readAnnotations(state: MessageReader, annotations: readonly unknown[], out: TurnEvent[]): void {
  for (const value of annotations) {
    const annotation = objectOf(value)
    if (annotation['type'] === 'file') {
      // OpenRouter does not parse a document again when its annotation comes back.
      keepField(state, 'annotations', [...arrayOf(state.fields?.['annotations']), annotation])
      continue
    }
    const source = citationKinds.map((kind) => annotation[kind]).find(isObject) ?? annotation
    const url = textOf(source['url'])
    // Groq's citations of documents and of tool results name what they cite by its id.
    const document = textOf(source['document_id'])
    const title = textOf(source['title']) ?? document ?? textOf(source['tool_call_id'])
    if (url === undefined && title === undefined) continue
    const citation = withoutUndefined<Citation>({
      kind: document === undefined ? undefined : 'file',
      url,
      title,
      citedText: textOf(source['content']),
      startIndex: numberOf(source['start_index']),
      endIndex: numberOf(source['end_index']),
    })
    writeCitation(state.parts, citation, out)
  }
}

const citationKinds = ['url_citation', 'document_citation', 'function_citation']

function readImages(parts: OpenParts, images: readonly unknown[], out: TurnEvent[]): void {
  for (const image of images) {
    // xAI gives addresses alone.
    const url = textOf(image) ?? textOf(objectOf(objectOf(image)['image_url'])['url'])
    if (url === undefined) continue
    closeParts(parts, out)
    out.push({
      type: 'file',
      part: parts.next++,
      ...fileOfUrl(url),
      providerMetadata: parts.providerMetadata({}),
    })
  }
}

function keepField(state: MessageReader, name: string, value: unknown): void {
  if (value === undefined || value === null) return
  state.fields ??= {}
  state.fields[name] = value
}
