/**
 * Chunk sizes in bytes, used round and round. Some hold several events, some cut inside a line or a token,
 * so that a decoder which believes in tidy chunks fails.
 */
const sizes = [700, 41, 1500, 3, 260, 1, 990, 117] as const

/** Every so many characters of more than one byte, a cut is made inside one. */
const multiByteInterval = 3

/** Cuts a body into the chunks that are written one after the other. Depends on the bytes only. */
export function chunkSchedule(bytes: Uint8Array): readonly Uint8Array[] {
  const cuts = new Set([...sizeCuts(bytes.length), ...multiByteCuts(bytes)])
  const ordered = [...cuts].toSorted((left, right) => left - right)
  const chunks: Uint8Array[] = []
  let start = 0
  for (const end of [...ordered, bytes.length]) {
    if (end > start) chunks.push(bytes.subarray(start, end))
    start = end
  }
  return chunks
}

function sizeCuts(length: number): number[] {
  const cuts: number[] = []
  let position = 0
  for (let index = 0; position < length; index += 1) {
    cuts.push(position)
    position += sizes[index % sizes.length] ?? 1
  }
  return cuts
}

/** Positions right after the first byte of a UTF-8 sequence. */
function multiByteCuts(bytes: Uint8Array): number[] {
  const cuts: number[] = []
  let seen = 0
  for (const [position, byte] of bytes.entries()) {
    if (byte < 0xc0) continue
    if (seen % multiByteInterval === 0) cuts.push(position + 1)
    seen += 1
  }
  return cuts
}
