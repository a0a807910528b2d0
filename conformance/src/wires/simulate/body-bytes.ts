/** What goes over the wire: a text, or bytes of a binary framing. */
export type Body = string | Uint8Array

const encoder = new TextEncoder()

export function bytesOf(body: Body): Uint8Array {
  return typeof body === 'string' ? encoder.encode(body) : body
}

/** The frames that are texts: all of them, but for those of a binary framing. */
export function textsOf(frames: readonly Body[]): readonly string[] {
  return frames.filter((frame) => typeof frame === 'string')
}

/** One body of many; a text as long as all are texts. */
export function joined(pieces: readonly Body[]): Body {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('')
  const all = pieces.map((piece) => bytesOf(piece))
  const body = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const bytes of all) {
    body.set(bytes, at)
    at += bytes.length
  }
  return body
}
