import type { Chunk } from '../cassette.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** One chunk per event of a stream, cut behind its blank line; one per line for lines of JSON; otherwise one. */
export function guessChunks(body: Uint8Array, contentType: string | undefined): readonly Chunk[] {
  if (body.length === 0) return []
  const type = contentType ?? ''
  const isLines = /ndjson|jsonl|json-seq/.test(type)
  if (!isLines && !type.includes('event-stream')) return [{ ms: 0, bytes: body.length }]
  const chunks: Chunk[] = []
  let start = 0
  for (let offset = 0; offset < body.length; offset += 1) {
    if (body[offset] !== lineFeed || (!isLines && !endsEvent(body, offset))) continue
    chunks.push({ ms: 0, bytes: offset + 1 - start })
    start = offset + 1
  }
  if (start < body.length) chunks.push({ ms: 0, bytes: body.length - start })
  return chunks
}

function endsEvent(body: Uint8Array, lineEnd: number): boolean {
  const before = body[lineEnd - 1] === carriageReturn ? lineEnd - 2 : lineEnd - 1
  return body[before] === lineFeed
}
