import {
  arrayOf,
  createToolCallAssembler,
  isObject,
  malformed,
  objectOf,
  textOf,
  type FinishedCall,
  type JsonObject,
  type Origin,
  type ToolCallAssembler,
  type TurnEvent,
  type TurnRequest,
  type ProviderMetadata,
} from '@steploop/core/adapter'
import type { TextSlot } from './grounding.ts'
import { createDoubtfulCalls, type DoubtfulCalls } from './doubtful-calls.ts'
import { addPartialArgument } from './partial-args.ts'

export interface PartReaderOptions extends Origin {
  /** The caller's functions by their names on the wire. */
  readonly toolNames: ReadonlyMap<string, string>
}

/** Turns the parts of the answer into events, in both modes: a stream is a list of parts that comes in pieces. */
export interface PartReader {
  read(part: JsonObject, out: TurnEvent[]): void
  /** Closes what is open. `cut`: the answer was broken off, so a call under way is not whole. */
  end(out: TurnEvent[], cut: boolean): void
  /** Calls that the caller has to answer. */
  clientCalls(): number
  readonly texts: readonly TextSlot[]
  /** A slot of its own, for what belongs to no part. */
  nextPart(): number
}

interface Reader {
  readonly options: PartReaderOptions
  readonly turn: number
  readonly client: ToolCallAssembler
  /** Calls that a server of the provider's (MCP) may answer. */
  readonly doubtful: DoubtfulCalls
  readonly server: ToolCallAssembler
  /** What rides on each call, by its number in the turn: the provider's part without name and arguments. */
  readonly callData: Record<string, unknown>[]
  readonly texts: TextSlot[]
  readonly nextPart: () => number
  /** Text or thought that the next chunk may continue. */
  open?: { readonly type: 'text' | 'reasoning'; readonly part: number; readonly slot: TextSlot } | undefined
  /** A call whose arguments come in pieces (docs/wire.md#gemini-partial-arguments). */
  partial?: { readonly index: number; readonly arguments: Record<string, unknown> } | undefined
  /** Calls that the provider ran, by its own id; the last one answers to no id. */
  readonly ran: Map<string | undefined, { readonly toolCallId: string; readonly toolName: string }>
}

export function createPartReader(request: TurnRequest, options: PartReaderOptions): PartReader {
  let parts = 0
  const nextPart = (): number => parts++
  const callData: Record<string, unknown>[] = []
  const wire = (call: FinishedCall): ProviderMetadata => metadataOf(options, callData[Number(call.index)])
  const toolName = (name: string): string | undefined => options.toolNames.get(name)
  const reader: Reader = {
    options,
    turn: request.turn,
    client: createToolCallAssembler({ turn: request.turn, nextPart, providerMetadata: wire, toolName }),
    doubtful: createDoubtfulCalls(),
    server: createToolCallAssembler({ turn: request.turn, nextPart, providerMetadata: wire, owner: 'provider' }),
    callData,
    texts: [],
    nextPart,
    ran: new Map(),
  }
  return {
    read: (part, out) => readPart(reader, withoutNulls(part), out),
    end(out, cut) {
      closeText(reader, out)
      closePartial(reader, out, cut)
      reader.doubtful.release(out)
    },
    clientCalls: () => reader.client.count - reader.doubtful.answered(),
    texts: reader.texts,
    nextPart,
  }
}

function metadataOf({ provider, model }: Origin, data: unknown): ProviderMetadata {
  return { provider, model, data }
}

/** In the JSON form of protocol buffers `null` is a field that is absent (https://protobuf.dev/programming-guides/json/). */
function withoutNulls(fields: JsonObject): JsonObject {
  if (!Object.values(fields).includes(null)) return fields
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function readPart(reader: Reader, part: JsonObject, out: TurnEvent[]): void {
  if (typeof part['text'] === 'string') {
    readText(reader, part, part['text'], out)
    return
  }
  if (isObject(part['functionCall'])) {
    readCall(reader, part, withoutNulls(part['functionCall']), out)
    return
  }
  closeText(reader, out)
  if (isObject(part['functionResponse']) && readResponse(reader, part, part['functionResponse'], out)) return
  if (isObject(part['executableCode']) || isObject(part['toolCall'])) readServerCall(reader, part, out)
  else if (isObject(part['codeExecutionResult']) || isObject(part['toolResponse'])) readResult(reader, part, out)
  else if (!readFile(reader, part, out) && Object.keys(part).length > 0) {
    out.push({ type: 'opaque', part: reader.nextPart(), providerMetadata: metadataOf(reader.options, part) })
  }
}

/** A part with a signature stays a part of its own, even without text (docs/wire.md#gemini-signatures): merged ones are refused. */
function readText(reader: Reader, source: JsonObject, text: string, out: TurnEvent[]): void {
  const { text: _text, thought, ...rest } = source
  const type = thought === true ? 'reasoning' : 'text'
  const isBare = Object.keys(rest).length === 0
  if (isBare && text === '') return
  if (!isBare || reader.open?.type !== type) {
    closeText(reader, out)
    const slot = { part: reader.nextPart(), text: '' }
    if (type === 'text') reader.texts.push(slot)
    out.push({ type: `${type}-start`, part: slot.part })
    reader.open = { type, part: slot.part, slot }
  }
  const { part, slot } = reader.open
  if (text !== '') out.push({ type: `${type}-delta`, part, text })
  slot.text += text
  if (!isBare) closeText(reader, out, metadataOf(reader.options, rest))
}

function closeText(reader: Reader, out: TurnEvent[], wire?: ProviderMetadata): void {
  const { open } = reader
  if (open === undefined) return
  reader.open = undefined
  out.push({ type: `${open.type}-end`, part: open.part, ...(wire && { providerMetadata: wire }) })
}

/** Calls arrive whole, or as a name and pieces of arguments until one says that nothing follows. */
function readCall(reader: Reader, source: JsonObject, call: JsonObject, out: TurnEvent[]): void {
  const name = textOf(call['name'])
  if (name === undefined && call['args'] === undefined) {
    continuePartial(reader, source, call, out)
    return
  }
  closeText(reader, out)
  closePartial(reader, out, false)
  const { name: _name, args, partialArgs, willContinue, ...rest } = call
  const index = beginCall(reader, { ...source, functionCall: rest })
  const id = textOf(call['id']) ?? madeId(reader, index)
  if (willContinue === true || arrayOf(partialArgs).length > 0) {
    reader.client.push({ index, id, name }, out)
    reader.partial = { index, arguments: {} }
    continuePartial(reader, {}, call, out)
    return
  }
  const isOurs = name !== undefined && reader.options.toolNames.has(name)
  const events: TurnEvent[] = isOurs ? out : []
  reader.client.complete({ index, id, name, argumentsText: argumentsText(args) }, events)
  if (!isOurs) reader.doubtful.hold({ id: textOf(call['id']), name }, events)
}

/** The answer of a server that the provider has asked itself. */
function readResponse(reader: Reader, source: JsonObject, given: JsonObject, out: TurnEvent[]): boolean {
  const { name, id, response, ...other } = given
  const call = reader.doubtful.answer({ id: textOf(id), name: textOf(name) }, out)
  if (call === undefined) return false
  const { functionResponse: _response, ...rest } = source
  const own = { ...other, name, ...(id !== undefined && { id }) }
  const wire = metadataOf(reader.options, { ...rest, functionResponse: own })
  out.push({
    type: 'tool-result',
    part: reader.nextPart(),
    ...call,
    output: { type: 'json', value: response ?? {} },
    providerMetadata: wire,
  })
  return true
}

/** Begins a call and gives its number in the turn, which keys it in the assemblers. */
function beginCall(reader: Reader, data: Record<string, unknown>): number {
  return reader.callData.push(data) - 1
}

function madeId(reader: Reader, index: number): string {
  return `call_${reader.turn}_${index}`
}

function argumentsText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value)
}

/** `{}` marks the end, also after a call that came whole. */
function continuePartial(reader: Reader, source: JsonObject, call: JsonObject, out: TurnEvent[]): void {
  const { partial } = reader
  if (partial === undefined) return
  const { functionCall: _call, ...rest } = source
  Object.assign(reader.callData[partial.index] ?? {}, rest)
  for (const argument of arrayOf(call['partialArgs'])) {
    if (addPartialArgument(partial.arguments, objectOf(argument))) continue
    throw malformed(reader.options, 'a piece of arguments has no place', JSON.stringify(argument))
  }
  if (call['willContinue'] !== true) closePartial(reader, out, false)
}

function closePartial(reader: Reader, out: TurnEvent[], cut: boolean): void {
  const { partial } = reader
  if (partial === undefined) return
  reader.partial = undefined
  const text = JSON.stringify(partial.arguments)
  if (!cut) {
    reader.client.complete({ index: partial.index, argumentsText: text }, out)
    return
  }
  // Left open as it came, so that it is not taken for the whole.
  reader.client.push({ index: partial.index, argumentsText: text.slice(0, -1) }, out)
  reader.client.end(out, true)
}

/** Code that the provider runs, or a call of its own tools. */
function readServerCall(reader: Reader, source: JsonObject, out: TurnEvent[]): void {
  const { executableCode, toolCall, ...rest } = source
  const call = objectOf(toolCall ?? executableCode)
  const { id, args, code, language, ...other } = call
  const given = textOf(id)
  const own = { ...other, ...(given !== undefined && { id: given }) }
  const index = beginCall(
    reader,
    toolCall === undefined ? { ...rest, executableCode: own } : { ...rest, toolCall: own },
  )
  const toolCallId = given ?? madeId(reader, index)
  const toolName = toolCall === undefined ? codeTool : (textOf(call['toolType'])?.toLowerCase() ?? 'tool')
  const input = toolCall === undefined ? { language, code } : args
  const answers = { toolCallId, toolName }
  reader.ran.set(given, answers).set(undefined, answers)
  reader.server.complete({ index, id: toolCallId, name: toolName, argumentsText: argumentsText(input) }, out)
}

const codeTool = 'code_execution'

function readResult(reader: Reader, source: JsonObject, out: TurnEvent[]): void {
  const { codeExecutionResult, toolResponse, ...rest } = source
  const result = objectOf(toolResponse ?? codeExecutionResult)
  const { id, response, outcome, output, ...other } = result
  const own = { ...other, ...(id !== undefined && { id }) }
  // The call may stand in an earlier turn.
  const given = textOf(id)
  const call = reader.ran.get(given) ?? {
    toolCallId: given ?? madeId(reader, reader.callData.length),
    toolName: codeTool,
  }
  const isCode = toolResponse === undefined
  const value = isCode ? { outcome, ...(output !== undefined && { output }) } : (response ?? {})
  const data = isCode ? { ...rest, codeExecutionResult: own } : { ...rest, toolResponse: own }
  const wire = metadataOf(reader.options, data)
  out.push({
    type: 'tool-result',
    part: reader.nextPart(),
    ...call,
    output: { type: 'json', value },
    providerMetadata: wire,
  })
}

/** Images of a thought are no output: they stay opaque. */
function readFile(reader: Reader, source: JsonObject, out: TurnEvent[]): boolean {
  const { inlineData, fileData, ...rest } = source
  const { mimeType, data, fileUri, displayName } = objectOf(inlineData ?? fileData)
  const filename = textOf(displayName)
  const [bytes, url] = [textOf(data), textOf(fileUri)]
  if (rest['thought'] === true || (bytes === undefined && url === undefined)) return false
  out.push({
    type: 'file',
    part: reader.nextPart(),
    mediaType: textOf(mimeType) ?? 'application/octet-stream',
    ...(bytes === undefined ? { url } : { data: bytes }),
    ...(filename !== undefined && { filename }),
    ...(Object.keys(rest).length > 0 && { providerMetadata: metadataOf(reader.options, rest) }),
  })
  return true
}
