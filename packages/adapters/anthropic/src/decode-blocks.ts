import {
  arrayOf,
  createToolCallAssembler,
  isObject,
  parseToolInput,
  textOf,
  type FinishedCall,
  type JsonObject,
  type ToolCallAssembler,
  type TurnEvent,
  type TurnRequest,
  type ProviderMetadata,
  type Origin,
} from '@steploop/core/adapter'
import { citationOf } from './citation.ts'
import { createResultReader, type ResultReader } from './server-result.ts'

export interface DecoderOptions extends Origin {
  /** Names of tools that differ on the wire, mapped back. */
  readonly toolNames: ReadonlyMap<string, string>
}

/** Turns content blocks into events, keyed by the provider's index. */
export interface BlockReader {
  /**
   * `content_block_start`: blocks without deltas are whole here (docs/wire.md#anthropic-input-at-the-start-of-a-block,
   * docs/wire.md#anthropic-whole-blocks).
   */
  open(index: number, block: JsonObject, out: TurnEvent[]): void
  delta(index: number, delta: JsonObject, out: TurnEvent[]): void
  close(index: number, out: TurnEvent[]): void
  /** Closes what is open. `cut`: the answer was broken off. */
  end(out: TurnEvent[], cut: boolean): void
  /** True once a block began. */
  begun(): boolean
  /** Calls that the caller has to answer. */
  clientCalls(): number
}

type BlockKind = 'text' | 'thinking' | 'client-call' | 'server-call' | 'result' | 'opaque'

interface Block {
  readonly kind: BlockKind
  readonly index: number
  /** The slot in the message; calls get theirs from the assembler. */
  readonly part: number
  /** The block as it came, without what grows by deltas; deltas add to it. */
  readonly fields: Record<string, unknown>
  citations?: unknown[]
  /** Arguments that came with the start of the block (docs/wire.md#anthropic-input-at-the-start-of-a-block), and by deltas, which win. */
  readonly given: string
  argumentsText: string
  closed?: true
}

interface Reader {
  readonly options: DecoderOptions
  readonly blocks: Map<number | undefined, Block>
  readonly client: ToolCallAssembler
  readonly server: ToolCallAssembler
  readonly results: ResultReader
  readonly nextPart: () => number
  /** A closed call that may yet turn out to be half: nothing came after it and its arguments are empty or do not parse. */
  doubtful?: Block | undefined
}

export function createBlockReader(request: TurnRequest, options: DecoderOptions): BlockReader {
  let parts = 0
  const blocks = new Map<number | undefined, Block>()
  const nextPart = (): number => parts++
  const wire = (call: FinishedCall): ProviderMetadata => ({
    provider: options.provider,
    model: options.model,
    data: callData(blocks.get(call.index)),
  })
  const toolName = (name: string): string | undefined => options.toolNames.get(name)
  const reader: Reader = {
    options,
    blocks,
    client: createToolCallAssembler({ turn: request.turn, nextPart, providerMetadata: wire, toolName }),
    server: createToolCallAssembler({ turn: request.turn, nextPart, providerMetadata: wire, owner: 'provider' }),
    results: createResultReader(request, options),
    nextPart,
  }
  return {
    open: (index, block, out) => openBlock(reader, index, block, out),
    delta: (index, delta, out) => applyDelta(reader, index, delta, out),
    close(index, out) {
      const block = blocks.get(index)
      if (block !== undefined) closeBlock(reader, block, out)
    },
    end(out, cut) {
      for (const block of blocks.values()) closeBlock(reader, block, out)
      // What came in one piece is not half, however it reads.
      if (reader.doubtful?.given) settle(reader, out)
      reader.client.end(out, cut)
      reader.server.end(out, cut)
    },
    begun: () => blocks.size > 0,
    clientCalls: () => reader.client.count,
  }
}

function kindOf(block: JsonObject): BlockKind {
  const { type } = block
  switch (type) {
    case 'text':
    case 'thinking':
      return type
    case 'tool_use':
      return 'client-call'
    case 'server_tool_use':
    case 'mcp_tool_use':
      return 'server-call'
    default:
      return typeof type === 'string' && type.endsWith('_tool_result') ? 'result' : 'opaque'
  }
}

function openBlock(reader: Reader, index: number, source: JsonObject, out: TurnEvent[]): void {
  settle(reader, out)
  const kind = kindOf(source)
  const isCall = kind === 'client-call' || kind === 'server-call'
  const part = isCall ? Number.NaN : reader.nextPart()
  const block: Block = {
    kind,
    index,
    part,
    fields: { ...source },
    given: startArguments(source['input']),
    argumentsText: '',
  }
  reader.blocks.set(index, block)
  if (kind === 'text') {
    out.push({ type: 'text-start', part })
    pushText(block, source['text'], out)
    for (const citation of arrayOf(source['citations'])) pushCitation(block, citation, out)
  } else if (kind === 'thinking') {
    out.push({ type: 'reasoning-start', part })
    pushThinking(block, source['thinking'], out)
  } else if (isCall) {
    assemblerOf(reader, kind).push({ index, id: textOf(source['id']), name: textOf(source['name']) }, out)
    if (kind === 'server-call') reader.results.remember(textOf(source['id']), textOf(source['name']))
  }
}

function assemblerOf(reader: Reader, kind: BlockKind): ToolCallAssembler {
  return kind === 'server-call' ? reader.server : reader.client
}

function pushText(block: Block, text: unknown, out: TurnEvent[]): void {
  if (typeof text === 'string' && text !== '') out.push({ type: 'text-delta', part: block.part, text })
}

function pushThinking(block: Block, text: unknown, out: TurnEvent[]): void {
  if (typeof text === 'string' && text !== '') out.push({ type: 'reasoning-delta', part: block.part, text })
}

function pushCitation(block: Block, citation: unknown, out: TurnEvent[]): void {
  if (!isObject(citation)) return
  block.citations ??= []
  block.citations.push(citation)
  out.push({ type: 'citation', part: block.part, citation: citationOf(citation) })
}

function applyDelta(reader: Reader, index: number, delta: JsonObject, out: TurnEvent[]): void {
  const block = reader.blocks.get(index) ?? openUnannounced(reader, index, delta, out)
  if (block === undefined || block.closed) return
  if (block.kind === 'text') {
    if (delta['type'] === 'citations_delta') pushCitation(block, delta['citation'], out)
    else pushText(block, delta['text'], out)
  } else if (block.kind === 'thinking') {
    if (typeof delta['signature'] === 'string') block.fields['signature'] = delta['signature']
    pushThinking(block, delta['thinking'], out)
  } else if (block.kind === 'client-call' || block.kind === 'server-call') {
    const argumentsText = textOf(delta['partial_json']) ?? ''
    block.argumentsText += argumentsText
    assemblerOf(reader, block.kind).push({ index, argumentsText }, out)
  } else mergeDelta(block.fields, delta)
}

/** Text and thinking whose start is missing tell by their deltas what they are. */
function openUnannounced(reader: Reader, index: number, delta: JsonObject, out: TurnEvent[]): Block | undefined {
  const type = delta['type'] === 'text_delta' ? 'text' : delta['type'] === 'thinking_delta' ? 'thinking' : undefined
  if (type !== undefined) openBlock(reader, index, { type }, out)
  return reader.blocks.get(index)
}

/** Deltas of block types that we do not know: text grows, everything else is replaced. A compaction comes in one piece. */
function mergeDelta(fields: Record<string, unknown>, delta: JsonObject): void {
  const grows = delta['type'] !== 'compaction_delta'
  for (const name in delta) {
    if (name === 'type') continue
    const before = fields[name]
    const piece = delta[name]
    fields[name] = grows && typeof before === 'string' && typeof piece === 'string' ? before + piece : piece
  }
}

function closeBlock(reader: Reader, block: Block, out: TurnEvent[]): void {
  if (block.closed) return
  block.closed = true
  const { provider, model } = reader.options
  const { part } = block
  switch (block.kind) {
    case 'text':
    case 'thinking': {
      const data = restOf(block)
      const wire = data && { providerMetadata: { provider, model, data } }
      out.push({ type: block.kind === 'text' ? 'text-end' : 'reasoning-end', part, ...wire })
      return
    }
    case 'client-call':
    case 'server-call':
      settle(reader, out)
      if (isWhole(block)) completeCall(reader, block, out)
      else reader.doubtful = block
      return
    case 'result':
      out.push(reader.results.read(part, block.fields))
      return
    case 'opaque':
      return void out.push({ type: 'opaque', part, providerMetadata: { provider, model, data: block.fields } })
    default:
      block.kind satisfies never
  }
}

/** What a text or thinking block carries beside its text; `undefined` when nothing would be lost without it. */
function restOf(block: Block): JsonObject | undefined {
  const { type: _type, text: _text, thinking: _thinking, citations: _citations, ...rest } = block.fields
  if (block.citations !== undefined) rest['citations'] = block.citations
  const hasFacts = Object.values(rest).some((value) => value != null && value !== '')
  return hasFacts ? rest : undefined
}

/** Everything of a call but what the neutral part holds. A client call needs no type: it is always `tool_use`. */
function callData(block: Block | undefined): JsonObject | undefined {
  if (block === undefined) return undefined
  const { type, name: _name, input: _input, ...rest } = block.fields
  return block.kind === 'server-call' ? { type, ...rest } : rest
}

/** `{}` at the start, or `[]` as PHP writes it, stands for arguments that come by deltas, or for none. */
function startArguments(input: unknown): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return text === '{}' || text === '[]' ? '' : text
}

function isWhole(block: Block): boolean {
  const text = block.argumentsText || block.given
  return text.trim() !== '' && parseToolInput(text).invalid === undefined
}

function completeCall(reader: Reader, block: Block, out: TurnEvent[]): void {
  const argumentsText = block.argumentsText === '' ? block.given : undefined
  assemblerOf(reader, block.kind).complete({ index: block.index, argumentsText }, out)
}

/** Only the last call of an answer can be a half one: with the next block, and at the end unless it was cut, it counts as whole. */
function settle(reader: Reader, out: TurnEvent[]): void {
  const block = reader.doubtful
  if (block === undefined) return
  delete reader.doubtful
  completeCall(reader, block, out)
}
