type Bytes = Uint8Array<ArrayBuffer>

/** One way to cut the same bytes. */
export interface Chunking {
  /** For a person: `one byte each`. */
  readonly name: string
  readonly chunks: Iterable<Bytes>
}

const seeds = [1, 2, 3]

/** Ways to cut a stream that must all give the same events: the network cuts where it likes. */
export function chunkings(bytes: Bytes): readonly Chunking[] {
  const delicate = delicateOffsets(bytes)
  return [
    { name: 'one byte each', chunks: everyByte(bytes) },
    ...(delicate.length > 0 ? [{ name: 'inside characters and line ends', chunks: cutAt(bytes, delicate) }] : []),
    ...seeds.map((seed) => ({ name: `random cuts, seed ${seed}`, chunks: cutAt(bytes, randomOffsets(bytes, seed)) })),
  ]
}

function* everyByte(bytes: Bytes): Generator<Bytes> {
  for (let offset = 0; offset < bytes.length; offset++) yield bytes.subarray(offset, offset + 1)
}

function* cutAt(bytes: Bytes, offsets: readonly number[]): Generator<Bytes> {
  let start = 0
  for (const offset of offsets) {
    yield bytes.subarray(start, offset)
    start = offset
  }
  yield bytes.subarray(start)
}

const carriageReturn = 0x0d
const lineFeed = 0x0a

/** Before each continuation byte of UTF-8, between CR and LF, and between two line ends. */
function delicateOffsets(bytes: Bytes): readonly number[] {
  const offsets: number[] = []
  for (let offset = 1; offset < bytes.length; offset++) {
    const byte = bytes[offset] ?? 0
    const isContinuation = (byte & 0xc0) === 0x80
    const before = bytes[offset - 1]
    const isSecondEnd = byte === lineFeed && (before === carriageReturn || before === lineFeed)
    if (isContinuation || isSecondEnd) offsets.push(offset)
  }
  return offsets
}

/** Chunks of 1 to 200 bytes from a seeded generator (xorshift), so that a failure repeats. */
function randomOffsets(bytes: Bytes, seed: number): readonly number[] {
  const offsets: number[] = []
  let state = seed * 0x9e3779b9
  for (let offset = 0; ;) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    offset += 1 + ((state >>> 0) % 200)
    if (offset >= bytes.length) return offsets
    offsets.push(offset)
  }
}
