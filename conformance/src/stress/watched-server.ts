import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cassette, Replay } from '@steploop/cassette'
import { serveCassette } from '@steploop/cassette/server'

export type Ending = 'eof' | 'reset' | 'stall'

/** A cassette over real HTTP on the loopback interface, of which it is known who hung up. */
export interface WatchedServer {
  readonly url: string
  readonly replay: Replay
  /** From now on: responses go on to their end, are reset, or send nothing more. */
  readonly turn: (ending: Ending) => void
  /** Resolves when no response is half sent on an open connection. */
  readonly allClosed: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Chunks that take time: the server asks before each of them. */
const askedFor = 1

export async function watchedServer(
  cassette: Cassette,
  options: { readonly fileName: string; readonly publicBaseURL: string },
): Promise<WatchedServer> {
  const responses: ServerResponse[] = []
  let ending: Ending = 'eof'
  const sleep = (): Promise<void> => (ending === 'stall' ? new Promise(() => undefined) : Promise.resolve())
  const server = await serveCassette(slowed(cassette), { ...options, timing: 'recorded', sleep })
  const { host } = new URL(server.url)
  const note = (message: unknown): void => {
    // What Node's HTTP server publishes on this channel.
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.headers.host === host) responses.push(response)
  }
  subscribe('http.server.request.start', note)
  const isOpen = (response: ServerResponse): boolean => !response.writableFinished && !response.closed
  return {
    url: server.url,
    replay: server.replay,
    turn(next) {
      ending = next
      if (next === 'reset') for (const response of responses.filter(isOpen)) response.socket?.resetAndDestroy()
    },
    async allClosed() {
      await Promise.all(responses.filter(isOpen).map((response) => closed(response)))
    },
    async close() {
      unsubscribe('http.server.request.start', note)
      await server.close()
    },
  }
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['close', 'finish']) response.once(event, () => resolve())
  })
}

function slowed(cassette: Cassette): Cassette {
  const exchanges = cassette.exchanges.map((exchange) => {
    const chunks = exchange.response.chunks.map(({ bytes }) => ({ ms: askedFor, bytes }))
    return { ...exchange, response: { ...exchange.response, chunks } }
  })
  return { ...cassette, exchanges }
}
