import { setImmediate as macrotask } from 'node:timers/promises'
import { http, HttpResponse } from 'msw/http'
import type { HttpHandler } from 'msw/http'
import type { Cassette } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { openReplay } from '../replay/open-replay.ts'
import { refusal } from '../replay/refusal.ts'
import type { Replay, ReplayOptions } from '../replay/replay.ts'
import { replayedResponse } from '../replay/replayed-response.ts'

/** Request handlers for `setupServer` or `server.use`; `replay` tells what is left. */
export type CassetteHandlers = HttpHandler[] & { readonly replay: Replay }

/**
 * Handlers for an MSW server that runs already. They answer requests to the origins of the cassette and leave all others to the
 * server's other handlers. A request that fits nothing gets status 400 with the message and the header `x-steploop-cassette: no-match`.
 *
 * @throws {CassetteError} what reading the file throws.
 */
export function cassetteHandlers(source: Cassette | string, options: ReplayOptions = {}): CassetteHandlers {
  const replay = openReplay(source, options)
  const handler = http.all(
    // A predicate, because a resolver that returns nothing lets the request out to the network without asking `onUnhandledFrame`.
    ({ request }) => answersOrigin(replay, request.url),
    ({ request }) => mockedResponse(replay, request, options),
  )
  return Object.assign([handler], { replay })
}

/** Whether the cassette holds any exchange with the URL's origin. */
export function answersOrigin(replay: Replay, url: string): boolean {
  const { origin } = new URL(url)
  return replay.cassette.exchanges.some(({ request }) => new URL(request.url).origin === origin)
}

// Measured with MSW 3.0.5. It joins chunks that no macrotask separates. Without the header it turns a broken body into a complete one,
// and an abort in mid-stream crashes the process. It holds the head back until the first chunk, so that a stream which breaks or stalls
// before one would have no head at all.
const mswTraps = { gap: () => macrotask(), headers: { 'transfer-encoding': 'chunked' }, flushHead: true }

/** The response with which MSW answers a request from the replay. */
export async function mockedResponse(replay: Replay, request: Request, options: ReplayOptions): Promise<Response> {
  try {
    const { method, url, headers, signal } = request
    const exchange = replay.take({ method, url, headers, body: new Uint8Array(await request.arrayBuffer()) })
    if (exchange.response.status === 0 && exchange.response.ending === 'reset') return HttpResponse.error()
    return await replayedResponse(exchange, { ...options, ...mswTraps, signal })
  } catch (error) {
    if (CassetteError.isInstance(error)) return refusedResponse(error)
    // The caller aborted before a response began, and is told so by its own client. MSW would print the error as one of the handler.
    if (request.signal.aborted) return HttpResponse.error()
    throw error
  }
}

/** The response that says why a request is refused. */
export function refusedResponse(error: CassetteError): Response {
  const { status, headers, body } = refusal(error)
  return new Response(body, { status, headers })
}
