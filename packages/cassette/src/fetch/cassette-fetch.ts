import type { Cassette } from '../cassette.ts'
import { openReplay } from '../replay/open-replay.ts'
import type { IncomingRequest, Replay, ReplayOptions } from '../replay/replay.ts'
import { replayedResponse } from '../replay/replayed-response.ts'

/** A fetch that answers from a cassette; `replay` tells what is left. */
export type CassetteFetch = typeof globalThis.fetch & { readonly replay: Replay }

/**
 * A `fetch` to inject into a client: it answers from the cassette and never touches the network. Each recorded chunk is one chunk of
 * the body; a miss rejects with a CassetteError `no-match`. Honours the request's AbortSignal.
 *
 * @param source A cassette, or the path of a cassette file, which is read at once.
 * @throws {CassetteError} what reading the file throws.
 */
export function cassetteFetch(source: Cassette | string, options: ReplayOptions = {}): CassetteFetch {
  const replay = openReplay(source, options)
  const replayFetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    signal?.throwIfAborted()
    const exchange = replay.take(await incomingRequest(input, init))
    return replayedResponse(exchange, { ...options, signal })
  }
  return Object.assign(replayFetch, { replay })
}

// Most clients pass a URL and a string. Building a Request from them and reading it back costs more than the rest of the replay.
async function incomingRequest(input: RequestInfo | URL, init: RequestInit | undefined): Promise<IncomingRequest> {
  const body = init?.body ?? undefined
  if (input instanceof Request || !(body === undefined || typeof body === 'string')) {
    const request = new Request(input, init)
    const bytes = new Uint8Array(await request.arrayBuffer())
    return { method: request.method, url: request.url, headers: request.headers, body: bytes }
  }
  const headers = new Headers(init?.headers)
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'text/plain;charset=UTF-8')
  const bytes = body === undefined ? new Uint8Array() : new TextEncoder().encode(body)
  return { method: init?.method ?? 'GET', url: new URL(input).href, headers, body: bytes }
}
