import { jsonOf, objectOf, textOf } from '@steploop/core/adapter'
import { isEventStream, scanMessages } from '../read/event-stream.ts'
import { wireKit } from '../index.ts'

/** One event of a recorded stream, as byte offsets. */
export interface StreamEvent {
  /** Where its lines begin, and where it ends with its blank line. */
  readonly start: number
  readonly end: number
  /** An offset in the middle of its first payload: a cut here leaves JSON that does not parse. */
  readonly middle: number
}

export interface ScannedStream {
  readonly events: readonly StreamEvent[]
  /** Index of the first event that proves the turn's end; `undefined`: the stream has none. */
  readonly terminal: number | undefined
}

/**
 * Finds the events of a recorded stream and its terminal evidence. On purpose it shares nothing with the framing and the decoders that
 * it judges. `undefined`: it does not know the wire format, so nothing can be said about cuts.
 */
export function scanStream(bytes: Uint8Array, wire: string): ScannedStream | undefined {
  const { isTerminal, framing } = wireKit(wire) ?? {}
  if (isTerminal === undefined) return undefined
  // One character per byte, so that indexes are byte offsets; the JSON syntax is ASCII.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const blocks = isEventStream(bytes)
    ? scanMessages(bytes).map((one) => ({ ...one, middle: Math.floor((one.start + one.end) / 2) }))
    : framing?.lines === true
      ? lineBlocks(text)
      : sseBlocks(text)
  const terminal = blocks.findIndex(({ name, data }) => {
    const said = objectOf(jsonOf(data))
    return isTerminal({ payload: said, type: textOf(said['type']) ?? name ?? '', data })
  })
  return { events: blocks, terminal: terminal < 0 ? undefined : terminal }
}

/**
 * The events of a stream in an unknown wire format, event stream or lines of JSON by what its first bytes look like. Of any
 * other framing pieces stand for them, which end where its recorded chunks end, and at some locations between.
 *
 * @param chunks sizes of the recorded chunks
 */
export function scanUnknown(bytes: Uint8Array, chunks: readonly number[] = []): readonly StreamEvent[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (/^\s*(?:data|event|id|retry)?:/.test(text)) return sseBlocks(text)
  return /^\s*\{/.test(text) ? lineBlocks(text) : pieces(bytes.length, chunks)
}

const evenPieces = 16

function pieces(length: number, chunks: readonly number[]): readonly StreamEvent[] {
  const ends = new Set<number>()
  let end = 0
  for (const size of chunks) {
    end += size
    ends.add(end)
  }
  for (let piece = 1; piece <= evenPieces; piece++) ends.add(Math.floor((length * piece) / evenPieces))
  const inside = [...ends].filter((offset) => offset > 0 && offset <= length).toSorted((left, right) => left - right)
  return inside.map((offset, index) => {
    const start = inside[index - 1] ?? 0
    return { start, end: offset, middle: start + Math.ceil((offset - start) / 2) }
  })
}

interface Block extends StreamEvent {
  readonly data: string
  readonly name: string | undefined
}

/** Blocks that hold data; what stands between them (comments, bare `event:` lines) belongs to none. */
function sseBlocks(text: string): readonly Block[] {
  const blocks: Block[] = []
  const separator = /\r\n\r\n|\n\n|\r\r/g
  for (let start = 0; start < text.length; start = separator.lastIndex) {
    const found = separator.exec(text)
    const end = found === null ? text.length : separator.lastIndex
    const block = sseBlock(text.slice(start, end), start)
    if (block !== undefined) blocks.push(block)
    if (found === null) break
  }
  return blocks
}

function sseBlock(block: string, start: number): Block | undefined {
  const lines = block.split(/\r\n|\n|\r/)
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5))
  const first = data[0]
  if (first === undefined) return undefined
  const name = lines.find((line) => line.startsWith('event:'))?.slice(6)
  const offset = start + block.search(/^data:/m) + 5
  return {
    start,
    end: start + block.length,
    middle: offset + Math.ceil(first.trimEnd().length / 2),
    data: data.join('\n'),
    name: name?.trim(),
  }
}

function lineBlocks(text: string): readonly Block[] {
  return [...text.matchAll(/[^\n]*\S[^\n]*(\n|$)/g)].map(({ 0: line, index: start }) => ({
    start,
    end: start + line.length,
    middle: start + Math.ceil(line.trimEnd().length / 2),
    data: line,
    name: undefined,
  }))
}
