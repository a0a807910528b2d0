import { copyJson, isObject, parseJson, type Origin } from './json.ts'

/** Names and indexes from a chunk to a value in it. */
export type ChunkPath = readonly [string, ...(string | number)[]]

/**
 * Parses the chunks of one stream. They differ in little more than a piece of text, so the rest is learnt from a chunk before: where all
 * but the texts is equal, byte for byte, only the texts are read, and the object of before gets them. Whatever else comes is parsed in
 * full. Throws `malformed-response` as `parseJson` does.
 *
 * What it gives holds until the next chunk, and is not to be written to; all but the objects that a path leads through may be kept.
 */
export type ChunkParser = (data: string) => unknown

/** `paths` lead to what differs: texts, and after them whole numbers that count. Those that a chunk does not have do not matter in it. */
export function createChunkParser(paths: readonly ChunkPath[], origin: Origin): ChunkParser {
  let envelope: Envelope | undefined
  let credit = mostCredit
  return (data) => {
    if (envelope !== undefined && fill(envelope, data)) {
      if (credit < mostCredit) credit++
      return envelope.chunk
    }
    const chunk = parseJson(data, origin)
    if (credit > 0) {
      credit--
      envelope = learn(data, chunk, paths) ?? envelope
    }
    return chunk
  }
}

/** Learning costs as much as parsing: a stream whose chunks differ elsewhere too is soon left alone. */
const mostCredit = 8

/** A chunk whose values that differ are holes. */
interface Envelope {
  readonly chunk: unknown
  readonly head: string
  readonly tail: string
  /** In the order in which they stand in the chunk. */
  readonly holes: readonly Hole[]
  /** Objects beside the paths: whoever reads the chunk may have kept them, so each chunk gets its own. */
  readonly others: readonly Member[]
}

interface Member {
  readonly holder: Record<string | number, unknown>
  readonly key: string | number
  readonly value: unknown
}

interface Hole {
  readonly path: ChunkPath
  /** The object that holds the value, and under which name. */
  readonly holder: Record<string | number, unknown>
  readonly key: string | number
  readonly isText: boolean
  /** What stands between this hole and the next. */
  between: string
}

/** Puts the values of `data` into the chunk. False where it is another envelope, or no JSON; some holes may have been filled then. */
function fill({ head, tail, holes, others }: Envelope, data: string): boolean {
  // Engines compare two texts of one length much faster than they look for one at the beginning of another.
  if (data.slice(0, head.length) !== head || data.slice(-tail.length) !== tail) return false
  const last = holes.length - 1
  let start = head.length
  for (let index = 0; index <= last; index++) {
    const hole = holes[index] as Hole
    const end = index === last ? data.length - tail.length : endOf(data, start, hole.isText)
    if (end < start || data.slice(end, end + hole.between.length) !== hole.between) return false
    const raw = data.slice(start, end)
    const value = hole.isText ? textOf(raw) : numberOf(raw)
    if (value === undefined) return false
    hole.holder[hole.key] = value
    start = end + hole.between.length
  }
  for (const { holder, key, value } of others) holder[key] = copyJson(value)
  return true
}

/** What no text holds unless it is escaped: anything but a blank, `!`, what is from `#` to `[`, and from `]` on. */
const special = /[^ !#-[\]-\uffff]/

/** From this length on engines cut a text out as a view, which would keep the whole chunk alive. */
const viewLength = 13

/** The text that is written so between quotes; `undefined` for what is none. */
function textOf(raw: string): string | undefined {
  const isPlain = !special.test(raw)
  if (isPlain && raw.length < viewLength) return raw
  if (!isPlain && !raw.includes('\\')) return undefined
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return undefined
  }
}

function numberOf(raw: string): number | undefined {
  return /^(?:0|[1-9]\d{0,14})$/.test(raw) ? Number(raw) : undefined
}

/** Where the quote stands that ends a text, or what follows upon digits; not behind `start` where there is none. */
function endOf(data: string, start: number, isText: boolean): number {
  let end = start
  if (isText) {
    do end = data.indexOf('"', end) + 1
    while (isEscaped(data, end - 1))
    return end - 1
  }
  while (data.charCodeAt(end) >= 48 && data.charCodeAt(end) <= 57) end++
  return end
}

function isEscaped(data: string, quote: number): boolean {
  let backslashes = 0
  while (data.charCodeAt(quote - 1 - backslashes) === 92) backslashes++
  return backslashes % 2 === 1
}

/** Where in `data` the value of a hole stands, without its quotes. */
interface Location {
  readonly hole: Hole
  readonly start: number
  readonly end: number
}

/** Only what is proven: the holes are whole values at the ends of their paths, so whatever else is written in them is the value there. */
function learn(data: string, chunk: unknown, paths: readonly ChunkPath[]): Envelope | undefined {
  const locations: Location[] = []
  for (const path of paths) {
    const hole = holeAt(chunk, path)
    if (hole === undefined) continue
    // With a count and no text it is an event of its own, and no piece among others.
    const location = hole.isText || locations.length > 0 ? locationOf(data, hole) : undefined
    if (location === undefined) return undefined
    locations.push(location)
  }
  locations.sort((left, right) => left.start - right.start)
  const [first, last] = [locations[0], locations.at(-1)]
  if (!first || !last || !proves(data, locations)) return undefined
  for (const [index, { hole, end }] of locations.entries())
    hole.between = data.slice(end, locations[index + 1]?.start ?? end)
  const holes = locations.map(({ hole }) => hole)
  return { chunk, head: data.slice(0, first.start), tail: data.slice(last.end), holes, others: othersIn(chunk, holes) }
}

function othersIn(chunk: unknown, holes: readonly Hole[]): readonly Member[] {
  const onPath = new Set<unknown>()
  for (const { path } of holes) {
    let holder = chunk
    for (const key of path) {
      onPath.add(holder)
      holder = valueIn(holder, key)
    }
  }
  const others: Member[] = []
  for (const holder of onPath as Set<Member['holder']>) {
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value === 'object' && value !== null && !onPath.has(value))
        others.push({ holder, key, value: copyJson(value) })
    }
  }
  return others
}

function holeAt(chunk: unknown, path: ChunkPath): Hole | undefined {
  let holder: unknown
  let value = chunk
  for (const key of path) {
    holder = value
    value = valueIn(holder, key)
  }
  const isText = typeof value === 'string' && value !== ''
  if (!isText && !(Number.isSafeInteger(value) && Number(value) >= 0)) return undefined
  return { path, holder: holder as Hole['holder'], key: path.at(-1) ?? '', isText, between: '' }
}

function valueIn(holder: unknown, key: string | number): unknown {
  const isThere = typeof key === 'number' ? Array.isArray(holder) : isObject(holder)
  return isThere ? (holder as Hole['holder'])[key] : undefined
}

/** The first position where it is written as we would; whether that is it the proof says. */
function locationOf(data: string, hole: Hole): Location | undefined {
  const value = hole.holder[hole.key]
  const raw = JSON.stringify(value)
  const written = hole.isText ? raw : `"${hole.key}":${raw}`
  const at = data.indexOf(written)
  if (at < 0) return undefined
  const end = at + written.length
  return hole.isText ? { hole, start: at + 1, end: end - 1 } : { hole, start: end - raw.length, end }
}

/** The proof: the same chunk with other values in the holes, parsed in full, has them at the ends of the paths. */
function proves(data: string, locations: readonly Location[]): boolean {
  let probe = ''
  let from = 0
  for (const { hole, start, end } of locations) {
    probe += data.slice(from, start) + (hole.isText ? `${data.slice(start, end)}+` : Number(hole.holder[hole.key]) + 1)
    from = end
  }
  try {
    const chunk: unknown = JSON.parse(probe + data.slice(from))
    return locations.every(({ hole: { path, holder, key, isText } }) => {
      const value = holder[key]
      return path.reduce(valueIn, chunk) === (isText ? `${String(value)}+` : Number(value) + 1)
    })
  } catch {
    return false
  }
}
