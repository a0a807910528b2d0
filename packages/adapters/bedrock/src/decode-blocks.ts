import {
  arrayOf,
  createToolCallAssembler,
  isObject,
  objectOf,
  textOf,
  type JsonObject,
  type Origin,
  type ToolCallAssembler,
  type ToolOutput,
  type TurnEvent,
} from '@steploop/core/adapter'
import { citationOf } from './citation.ts'

export interface BlockOptions {
  readonly origin: Origin
  /** `TurnRequest.turn`. */
  readonly turn: number
  /** Names that differ on the wire, mapped back. */
  readonly toolNames: ReadonlyMap<string, string>
}

/** A block of the answer that is being read. */
interface Block {
  part?: number | undefined
  type?: 'text' | 'reasoning' | undefined
  signature: string
  readonly redacted: string[]
  readonly citations: JsonObject[]
  /** What its start and its pieces hold of kinds that are not read as they come. */
  readonly others: JsonObject[]
  /** Result that the provider's own tool gave. */
  result?: { readonly head: JsonObject; readonly content: unknown[] } | undefined
}

/** Blocks of an answer that are being read, whole or in pieces. */
export interface Blocks {
  readonly origin: Origin
  /** Calls that the caller answers. */
  readonly calls: ToolCallAssembler
  /** Calls that the provider runs itself; their names, by id, are in `serverCalls`. */
  readonly ownCalls: ToolCallAssembler
  readonly serverCalls: Map<string, string>
  /** Next free slot of the message. */
  next: number
  readonly open: Map<number, Block>
  /** Calls that are being read, by the index of their block. */
  readonly openCalls: Map<number, ToolCallAssembler>
}

export function createBlocks({ origin, turn, toolNames }: BlockOptions): Blocks {
  const assembler = (owner?: 'provider'): ToolCallAssembler =>
    createToolCallAssembler({
      turn,
      owner,
      nextPart: () => blocks.next++,
      toolName: (name) => toolNames.get(name),
      ...(owner === 'provider' && { providerMetadata: () => ({ ...origin, data: { type: 'server_tool_use' } }) }),
    })
  const blocks: Blocks = {
    origin,
    calls: assembler(),
    ownCalls: assembler('provider'),
    serverCalls: new Map(),
    next: 0,
    open: new Map(),
    openCalls: new Map(),
  }
  return blocks
}

/** A block begins; those of text and thoughts may begin with their first piece. */
export function startBlock(blocks: Blocks, index: number, start: JsonObject, out: TurnEvent[]): void {
  const { toolUse, toolResult, ...other } = start
  endWhole(blocks, index, out)
  if (isObject(toolResult)) blockAt(blocks, index).result = { head: toolResult, content: [] }
  if (!isObject(toolUse)) return keepOther(blocks, index, other)
  const { toolUseId, name, type } = toolUse
  const isOwn = type === 'server_tool_use'
  if (isOwn) blocks.serverCalls.set(textOf(toolUseId) ?? '', textOf(name) ?? '')
  const target = isOwn ? blocks.ownCalls : blocks.calls
  blocks.openCalls.set(index, target)
  target.push({ index, id: textOf(toolUseId), name: textOf(name) }, out)
}

/** A piece of a block. */
export function readDelta(blocks: Blocks, index: number, delta: JsonObject, out: TurnEvent[]): void {
  const { text, toolUse, reasoningContent, citation, toolResult, ...other } = delta
  endWhole(blocks, index, out)
  write(blocks, { index, type: 'text', text }, out)
  if (isObject(toolUse)) {
    const target = blocks.openCalls.get(index) ?? blocks.calls
    blocks.openCalls.set(index, target)
    target.push({ index, argumentsText: argumentsOf(toolUse['input']) }, out)
  }
  if (isObject(reasoningContent)) readReasoning(blocks, index, reasoningContent, out)
  if (isObject(citation)) openBlock(blocks, index, 'text', out).citations.push(citation)
  blocks.open.get(index)?.result?.content.push(...arrayOf(toolResult))
  keepOther(blocks, index, other)
}

function readReasoning(blocks: Blocks, index: number, piece: JsonObject, out: TurnEvent[]): void {
  const { text } = piece
  const signature = textOf(piece['signature']) ?? ''
  const redacted = textOf(piece['redactedContent'])
  write(blocks, { index, type: 'reasoning', text }, out)
  if (signature === '' && redacted === undefined) return
  const block = openBlock(blocks, index, 'reasoning', out)
  block.signature += signature
  if (redacted !== undefined) block.redacted.push(redacted)
}

export function stopBlock(blocks: Blocks, index: number, out: TurnEvent[]): void {
  blocks.openCalls.get(index)?.complete({ index }, out)
  blocks.openCalls.delete(index)
  const block = blocks.open.get(index)
  blocks.open.delete(index)
  if (block === undefined) return
  if (block.result !== undefined) readResult(blocks, { ...block.result.head, content: block.result.content }, out)
  else if (isOther(block)) endOther(blocks, block.others, out)
  closeBlock(block, blocks.origin, out)
}

/** A block that came whole. */
export function readBlock(blocks: Blocks, index: number, block: JsonObject, out: TurnEvent[]): void {
  const { text, toolUse, toolResult, reasoningContent, citationsContent } = block
  if (typeof text === 'string') readDelta(blocks, index, { text }, out)
  else if (isObject(toolUse)) {
    startBlock(blocks, index, block, out)
    readDelta(blocks, index, { toolUse }, out)
  } else if (isObject(toolResult)) readResult(blocks, toolResult, out)
  else if (isObject(citationsContent)) {
    for (const piece of arrayOf(citationsContent['content'])) readDelta(blocks, index, objectOf(piece), out)
    for (const citation of arrayOf(citationsContent['citations'])) readDelta(blocks, index, { citation }, out)
  } else if (isObject(reasoningContent)) {
    const thought = reasoningContent['reasoningText']
    const delta = isObject(thought) ? thought : { redactedContent: reasoningContent['redactedContent'] }
    readDelta(blocks, index, { reasoningContent: delta }, out)
  } else readOther(blocks, block, out)
  stopBlock(blocks, index, out)
}

/** Closes what is open. `cut`: the answer was too long, so a call at its end may be a piece. */
export function endBlocks(blocks: Blocks, cut: boolean, out: TurnEvent[]): void {
  endWhole(blocks, Infinity, out)
  for (const block of blocks.open.values()) closeBlock(block, blocks.origin, out)
  blocks.open.clear()
  blocks.ownCalls.end(out, cut)
  blocks.calls.end(out, cut)
}

/** Not every stream says that a block ends (docs/wire.md#bedrock-converse): the next one tells, or the end of all. */
function endWhole(blocks: Blocks, before: number, out: TurnEvent[]): void {
  for (const [index, block] of blocks.open)
    if ((block.result !== undefined || isOther(block)) && index < before) stopBlock(blocks, index, out)
}

function keepOther(blocks: Blocks, index: number, piece: JsonObject): void {
  if (Object.keys(piece).length > 0 && !blocks.openCalls.has(index)) blockAt(blocks, index).others.push(piece)
}

function isOther({ type, result, others }: Block): boolean {
  return type === undefined && result === undefined && others.length > 0
}

function blockAt(blocks: Blocks, index: number): Block {
  const block = blocks.open.get(index) ?? { signature: '', redacted: [], citations: [], others: [] }
  blocks.open.set(index, block)
  return block
}

/** The block at that index; one of another kind is closed before. */
function openBlock(blocks: Blocks, index: number, type: 'text' | 'reasoning', out: TurnEvent[]): Block {
  const known = blockAt(blocks, index)
  if (known.type === type) return known
  if (known.type !== undefined) {
    closeBlock(known, blocks.origin, out)
    blocks.open.delete(index)
  }
  const block = Object.assign(blockAt(blocks, index), { type, part: blocks.next++ })
  out.push({ type: `${type}-start`, part: block.part })
  return block
}

interface Piece {
  readonly index: number
  readonly type: 'text' | 'reasoning'
  readonly text: unknown
}

function write(blocks: Blocks, { index, type, text }: Piece, out: TurnEvent[]): void {
  if (typeof text !== 'string' || text === '') return
  const { part = 0 } = openBlock(blocks, index, type, out)
  out.push({ type: `${type}-delta`, part, text })
}

/** A result of a call that is not known keeps its position. */
function readResult(blocks: Blocks, result: JsonObject, out: TurnEvent[]): void {
  const toolCallId = textOf(result['toolUseId']) ?? ''
  const toolName = blocks.serverCalls.get(toolCallId)
  // A call that has a result is whole, though no event said that its block ends.
  blocks.ownCalls.end(out, false)
  const part = blocks.next++
  const providerMetadata = { ...blocks.origin, data: { toolResult: result } }
  if (toolName === undefined) out.push({ type: 'opaque', part, providerMetadata })
  else {
    const output = outputOf(result['content'], result['status'])
    out.push({ type: 'tool-result', part, toolCallId, toolName, output, providerMetadata })
  }
}

function closeBlock(block: Block, origin: Origin, out: TurnEvent[]): void {
  const { part, type, signature, citations } = block
  if (part === undefined || type === undefined) return
  if (type === 'text') {
    for (const citation of citations) out.push({ type: 'citation', part, citation: citationOf(citation) })
    out.push({
      type: 'text-end',
      part,
      ...(citations.length > 0 && { providerMetadata: { ...origin, data: { citations } } }),
    })
    return
  }
  const redacted = joinBase64(block.redacted)
  const data = { ...(signature !== '' && { signature }), ...(redacted !== '' && { redactedContent: redacted }) }
  const isSigned = signature !== '' || redacted !== ''
  out.push({ type: 'reasoning-end', part, ...(isSigned && { providerMetadata: { ...origin, data } }) })
}

/** An image that the model made is a file; whatever else there is keeps its position. */
function readOther(blocks: Blocks, block: JsonObject, out: TurnEvent[]): void {
  if (Object.keys(block).length === 0) return
  const { format, source } = objectOf(block['image'])
  const data = textOf(objectOf(source)['bytes'])
  const part = blocks.next++
  const providerMetadata = { ...blocks.origin, data: { block } }
  if (data === undefined) out.push({ type: 'opaque', part, providerMetadata })
  else out.push({ type: 'file', part, mediaType: `image/${textOf(format) ?? 'png'}`, data, providerMetadata })
}

/** An image comes in pieces of its data. How those of other kinds would be put together nobody says, so they are kept as they came. */
function endOther(blocks: Blocks, pieces: readonly JsonObject[], out: TurnEvent[]): void {
  const images = pieces.map(({ image }) => objectOf(image))
  const bytes = joinBase64(images.map(({ source }) => textOf(objectOf(source)['bytes']) ?? ''))
  if (bytes !== '') return readOther(blocks, { image: { format: images[0]?.['format'], source: { bytes } } }, out)
  out.push({ type: 'opaque', part: blocks.next++, providerMetadata: { ...blocks.origin, data: { pieces } } })
}

/** An object where the block came whole, pieces of its text in a stream. */
function argumentsOf(input: unknown): string | undefined {
  return typeof input === 'string' || input === undefined ? textOf(input) : JSON.stringify(input)
}

/** Each piece is base64 of its own, with padding at its end. All at once: piece by piece it takes the square of their number. */
function joinBase64(pieces: readonly string[]): string {
  return pieces.length < 2 ? pieces.join('') : btoa(pieces.map((piece) => atob(piece)).join(''))
}

function outputOf(content: unknown, status: unknown): ToolOutput {
  const pieces = arrayOf(content).map(objectOf)
  const [only] = pieces
  const text = pieces.map((piece) => textOf(piece['text'])).join('')
  if (status === 'error') {
    return { type: 'error', value: { code: 'tool-failed', message: text || JSON.stringify(content) } }
  }
  if (pieces.length === 1 && only?.['json'] !== undefined) return { type: 'json', value: only['json'] }
  return pieces.every((piece) => typeof piece['text'] === 'string')
    ? { type: 'text', value: text }
    : { type: 'json', value: content }
}
