export type Bytes = Uint8Array<ArrayBuffer>

const seededSplits = 256
const fewSplits = 16
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Up to this size a body may be cut everywhere. */
const everySplitUpTo = 8 * 1024

/**
 * Where to cut a body in two: everywhere, when it has at most 8 kB and `budget` cuts are left for it; otherwise where cuts hurt (next to
 * CR and LF, inside multi-byte characters) and at 256 seeded places; and at 16 of these, evenly spread, when the budget is spent.
 */
export function splitOffsets(bytes: Bytes, budget: number): readonly number[] {
  const everywhere = Array.from({ length: Math.max(0, bytes.length - 1) }, (_, index) => index + 1)
  if (bytes.length <= everySplitUpTo && everywhere.length <= budget) return everywhere
  const delicate = delicateOffsets(bytes)
  return delicate.length <= budget ? delicate : spread(delicate, fewSplits)
}

function spread(offsets: readonly number[], count: number): readonly number[] {
  if (offsets.length <= count) return offsets
  return Array.from({ length: count }, (_, index) => offsets[Math.floor((index * offsets.length) / count)] ?? 1)
}

function delicateOffsets(bytes: Bytes): readonly number[] {
  const offsets = new Set<number>()
  const add = (offset: number): void => {
    if (offset > 0 && offset < bytes.length) offsets.add(offset)
  }
  for (const [offset, byte] of bytes.entries()) {
    if (byte === lineFeed || byte === carriageReturn) [offset - 1, offset, offset + 1].forEach(add)
    if (isContinuation(byte)) add(offset)
  }
  const next = seededNumbers(1)
  for (let count = 0; count < seededSplits; count++) add(next() % bytes.length)
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

/** Sizes that cut `length` bytes into chunks of 1 to 200 bytes. */
export function seededSizes(length: number, seed: number): readonly number[] {
  const next = seededNumbers(seed)
  const sizes: number[] = []
  for (let left = length; left > 0; left -= sizes.at(-1) ?? left) sizes.push(Math.min(left, 1 + (next() % 200)))
  return sizes
}

/** The bytes around an offset as text, with `|` at the cut. */
export function around(bytes: Bytes, offset: number): string {
  const latin = (from: number, to: number): string =>
    [...bytes.subarray(Math.max(0, from), to)]
      .map((byte) =>
        byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
      )
      .join('')
  return `…${latin(offset - 24, offset)}|${latin(offset, offset + 24)}…`
}
