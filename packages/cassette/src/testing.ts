import { setupServer } from 'msw/node'
import type { Cassette, Exchange, RecordedResponse } from './cassette.ts'
import { cassetteFetch } from './fetch/index.ts'
import { cassetteHandlers } from './msw/index.ts'
import type { Replay } from './replay/replay.ts'
import { serveCassette } from './server/index.ts'

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
      body: new Uint8Array(Buffer.concat(pieces)),
      chunks: pieces.map((piece) => ({ ms: 0, bytes: piece.length })),
      ending: facts.ending ?? 'eof',
    },
  }
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

/** A way to replay a cassette, until it is disposed of. */
export interface FrontEnd extends AsyncDisposable {
  readonly replay: Replay
  readonly fetch: typeof globalThis.fetch
}

/** Every way to replay, by name; what is asked of `https://api.example.com` is answered. */
export const frontEnds: Readonly<Record<string, (cassette: Cassette) => FrontEnd | Promise<FrontEnd>>> = {
  fetch(cassette) {
    const fetch = cassetteFetch(cassette)
    return { fetch, replay: fetch.replay, [Symbol.asyncDispose]: async () => undefined }
  },
  msw(cassette) {
    const handlers = cassetteHandlers(cassette)
    const server = setupServer(...handlers)
    server.listen({ onUnhandledFrame: 'error' })
    return {
      fetch: globalThis.fetch,
      replay: handlers.replay,
      [Symbol.asyncDispose]: async () => server.close(),
    }
  },
  async server(cassette) {
    const server = await serveCassette(cassette)
    return {
      fetch: (input, init) =>
        fetch(
          (input instanceof Request ? input.url : input.toString()).replace('https://api.example.com', server.url),
          init,
        ),
      replay: server.replay,
      [Symbol.asyncDispose]: server.close,
    }
  },
}
