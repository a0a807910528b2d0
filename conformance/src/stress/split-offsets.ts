import { escapedBytes } from '../escaped-bytes.ts'

export type Bytes = Uint8Array<ArrayBuffer>

const seededSplits = 256
const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Up to this size a body is cut in two at each byte alone, when everything is to be tried: the price grows with the square of the size.
 * Larger ones are cut at each byte too, by `cutSets`, with other cuts far from it.
 */
const everySplitUpTo = 8 * 1024

/**
 * Where to cut a body in two: everywhere, when it has at most 8 kB; otherwise where cuts hurt (next to CR and LF, inside multi-byte
 * characters) and at 256 seeded offsets.
 */
export function splitOffsets(bytes: Bytes, seed = 1): readonly number[] {
  if (bytes.length <= everySplitUpTo)
    return Array.from({ length: Math.max(0, bytes.length - 1) }, (_, index) => index + 1)
  const offsets = new Set(delicateOffsets(bytes))
  const next = seededNumbers(seed)
  for (let count = 0; count < seededSplits; count++) {
    const offset = next() % bytes.length
    if (offset > 0) offsets.add(offset)
  }
  return [...offsets].toSorted((left, right) => left - right)
}

/** Bytes between two cuts of one delivery: hardly an event is whole in one chunk, and many cuts are tried at once. */
const narrow = 29
/** Here most chunks hold whole events beside parts of others. */
const wide = 300
/** Bytes between two cuts where not every offset is tried, and how many deliveries there are then. */
const sampled = { gap: 97, deliveries: 3 }

/**
 * Deliveries that together cut a body where cuts hurt, and everywhere else with `everywhere`, at a sample of offsets without. Each is a list
 * of offsets where one delivery is cut: cuts far from each other are tried in one go, so that a body costs some dozen deliveries instead of
 * thousands. A fault is then shrunk to its own cut.
 */
export function cutSets(bytes: Bytes, everywhere: boolean): readonly (readonly number[])[] {
  const gap = Math.min(everywhere ? narrow : sampled.gap, bytes.length - 1)
  const phases = Array.from({ length: Math.max(0, gap) }, (_, phase) => phase)
  const step = everywhere ? 1 : Math.ceil(gap / sampled.deliveries)
  const regular = phases
    .filter((phase) => phase % step === 0)
    .map((phase) =>
      Array.from({ length: Math.ceil((bytes.length - 1 - phase) / gap) }, (_, at) => phase + 1 + at * gap),
    )
  return [...apart(delicateOffsets(bytes), wide), ...regular]
}

/** Deals offsets out to as few sets as needed so that those of a set lie at least `distance` apart. */
function apart(offsets: readonly number[], distance: number): readonly (readonly number[])[] {
  const sets: number[][] = []
  for (const offset of offsets) {
    const free = sets.find((set) => offset - (set.at(-1) ?? 0) >= distance)
    if (free === undefined) sets.push([offset])
    else free.push(offset)
  }
  return sets
}

/** The bytes in the pieces between the given offsets. */
export function cutAt(bytes: Bytes, offsets: readonly number[]): readonly Bytes[] {
  const ends = [...offsets, bytes.length]
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}

/** Next to CR and LF, and inside multi-byte characters. */
export function delicateOffsets(bytes: Bytes): readonly number[] {
  const offsets = new Set<number>()
  const add = (offset: number): void => {
    if (offset > 0 && offset < bytes.length) offsets.add(offset)
  }
  for (const [offset, byte] of bytes.entries()) {
    if (byte === lineFeed || byte === carriageReturn) [offset - 1, offset, offset + 1].forEach(add)
    if (isContinuation(byte)) add(offset)
  }
  return [...offsets].toSorted((left, right) => left - right)
}

/** A byte of a UTF-8 character that is not its first. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

/** xorshift, 32 bits: the same seed gives the same numbers on every machine. */
function seededNumbers(seed: number): () => number {
  let state = (seed * 0x9e3779b9) >>> 0
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
}

const fineStart = 256
const fineAround = 2
const coarse = 32

/** One byte each at the beginning, next to line ends and in multi-byte characters; 32 bytes elsewhere, where every offset is like the next. */
export function fineSizes(bytes: Bytes): readonly number[] {
  const cuts = new Set<number>()
  for (let offset = 1; offset < Math.min(bytes.length, fineStart); offset++) cuts.add(offset)
  for (let offset = fineStart; offset < bytes.length; offset += coarse) cuts.add(offset)
  for (const delicate of delicateOffsets(bytes)) {
    for (let offset = delicate - fineAround; offset <= delicate + fineAround; offset++) cuts.add(offset)
  }
  const ends = [...cuts].filter((offset) => offset > 0 && offset < bytes.length).toSorted((left, right) => left - right)
  return [...ends, bytes.length].map((end, index) => end - (ends[index - 1] ?? 0))
}

/** Sizes that cut `length` bytes into chunks of 1 to 200 bytes. */
export function seededSizes(length: number, seed: number): readonly number[] {
  const next = seededNumbers(seed)
  const sizes: number[] = []
  for (let left = length; left > 0; left -= sizes.at(-1) ?? left) sizes.push(Math.min(left, 1 + (next() % 200)))
  return sizes
}

export function piecesOf(bytes: Bytes, sizes: readonly number[]): readonly Bytes[] {
  let from = 0
  return sizes.map((size) => bytes.slice(from, (from += size)))
}

/** The bytes around an offset as text, with `|` at the cut. */
export function around(bytes: Bytes, offset: number): string {
  const text = (from: number, to: number): string => escapedBytes(bytes.subarray(Math.max(0, from), to))
  return `…${text(offset - 24, offset)}|${text(offset, offset + 24)}…`
}
