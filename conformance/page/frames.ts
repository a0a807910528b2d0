import type { CaseDetails } from '@steploop/conformance/cli'

type Response = NonNullable<CaseDetails['runs'][number]['steps'][number]['attempts'][number]['response']>

/** A mark stands where a chunk begins. */
export type FramePiece =
  | { readonly type: 'mark'; readonly chunk: number; readonly ms: number; readonly bytes: number }
  | { readonly type: 'text'; readonly text: string }

/**
 * A body cut into its frames, with marks where chunks began: events of server-sent events, lines of NDJSON, the chunks of an unknown framing
 * here knows, else the whole.
 */
export function framesOf({
  headers,
  chunks,
}: Pick<Response, 'headers' | 'chunks'>): readonly (readonly FramePiece[])[] {
  const body = chunks.map(({ text }) => text).join('')
  const type = headers['content-type'] ?? ''
  const ends = isText(type) ? frameEnds(body, type) : chunkEnds(chunks)
  const frames: FramePiece[][] = [[]]
  let offset = 0
  let next = 0
  const push = (piece: FramePiece): void => void frames.at(-1)?.push(piece)
  for (const [index, { ms, bytes, text }] of chunks.entries()) {
    startFrame(offset)
    push({ type: 'mark', chunk: index + 1, ms, bytes })
    const end = offset + text.length
    while (offset < end) {
      startFrame(offset)
      const stop = Math.min(end, ends[next] ?? end)
      push({ type: 'text', text: body.slice(offset, stop) })
      offset = stop
    }
  }
  return frames

  function startFrame(at: number): void {
    if (ends[next] !== at) return
    next++
    if (at < body.length) frames.push([])
  }
}

/** Offsets after each frame's last character. */
function frameEnds(body: string, contentType: string): readonly number[] {
  const end = frameEnd(contentType)
  return end === undefined ? [] : [...body.matchAll(end)].map((match) => match.index + match[0].length)
}

/** What is no stream of a known format and no text came in chunks of its own framing, mostly. */
function isText(contentType: string): boolean {
  return contentType === '' || /^text\/|json|xml/.test(contentType)
}

function chunkEnds(chunks: Response['chunks']): readonly number[] {
  let end = 0
  return chunks.map(({ text }) => (end += text.length))
}

function frameEnd(contentType: string): RegExp | undefined {
  if (contentType.startsWith('text/event-stream')) return /(?:\r\n|\r|\n){2,}/g
  return contentType.includes('ndjson') ? /\n+/g : undefined
}
