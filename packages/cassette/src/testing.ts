import type { Cassette, Exchange, RecordedResponse } from './cassette.ts'

/** Small cassettes for this package's own tests; not published. */
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export const textOf = (body: Uint8Array): string => new TextDecoder().decode(body)

/** An exchange whose response arrives in the given chunks. */
export function exchange(facts: {
  url?: string
  method?: string
  sent?: string | Uint8Array
  requestHeaders?: Record<string, string>
  status?: number
  headers?: Record<string, string>
  chunks?: readonly (string | Uint8Array)[]
  ending?: RecordedResponse['ending']
}): Exchange {
  const pieces = (facts.chunks ?? []).map((chunk) => (typeof chunk === 'string' ? bytes(chunk) : chunk))
  const sent = facts.sent ?? '{"question":"why?"}'
  return {
    request: {
      method: facts.method ?? 'POST',
      url: facts.url ?? 'https://api.example.com/v1/chat',
      headers: facts.requestHeaders ?? { 'content-type': 'application/json' },
      body: typeof sent === 'string' ? bytes(sent) : sent,
    },
    response: {
      status: facts.status ?? 200,
      headers: facts.headers ?? { 'content-type': 'text/event-stream' },
      body: joined(pieces),
      chunks: pieces.map((piece) => ({ ms: 0, bytes: piece.length })),
      ending: facts.ending ?? 'eof',
    },
  }
}

/** All bytes of the pieces, one after the other. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.length
  }
  return whole
}

/** A cassette of the given exchanges. */
export function cassetteOf(...exchanges: readonly Exchange[]): Cassette {
  return {
    header: {
      scenario: 'sample',
      mode: 'stream',
      provider: 'example',
      wire: 'example-chat',
      model: 'example-1',
      origin: { kind: 'derived', by: 'tests', date: '2026-11-21', recipe: 'written by hand' },
    },
    exchanges,
  }
}
