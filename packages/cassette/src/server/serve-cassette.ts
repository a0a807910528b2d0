import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setImmediate as macrotask, setTimeout as sleep } from 'node:timers/promises'
import type { Cassette, Exchange } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { deliveries, pause } from '../replay/delivery.ts'
import { openReplay } from '../replay/open-replay.ts'
import { refusal } from '../replay/refusal.ts'
import type { Replay, ReplayOptions } from '../replay/replay.ts'

export interface ServeOptions extends ReplayOptions {
  /** Default: 0, any free port. */
  readonly port?: number | undefined
  /**
   * The prefix of the recorded URLs for which the server's own `url` stands. Default: their origin, so that
   * `https://api.example.com/v1/chat` is served as `<url>/v1/chat`.
   */
  readonly publicBaseURL?: string | undefined
}

export interface CassetteServer {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly url: string
  readonly replay: Replay
  /** Breaks what is still open, stalls too, and frees the port. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Replays a cassette over real HTTP on the loopback interface, for programs in any language: resets are resets of the connection, stalls
 * leave it open. A request that fits nothing gets status 400 with the message and the header `x-steploop-cassette: no-match`.
 *
 * @throws {CassetteError} what reading the file throws, or `schema` when the exchanges have several origins and no prefix is given.
 */
export async function serveCassette(source: Cassette | string, options: ServeOptions = {}): Promise<CassetteServer> {
  const replay = openReplay(source, options)
  const publicBase = (options.publicBaseURL ?? commonOrigin(replay.cassette)).replace(/\/$/, '')
  const server = createServer((request, response) => {
    answer(request, response, { replay, publicBase, options }).catch(() => request.socket.destroy())
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const close = (): Promise<void> => closeServer(server)
  return { url: `http://127.0.0.1:${portOf(server)}`, replay, close, [Symbol.asyncDispose]: close }
}

function commonOrigin(cassette: Cassette): string {
  const origins = [...new Set(cassette.exchanges.map(({ request }) => new URL(request.url).origin))]
  const [origin] = origins
  if (origins.length <= 1) return origin ?? 'http://127.0.0.1'
  throw new CassetteError('schema', {
    what: `The exchanges go to several origins: ${origins.join(', ')}.`,
    fix: 'Say with publicBaseURL which of them the server stands for.',
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

interface Service {
  readonly replay: Replay
  readonly publicBase: string
  readonly options: ServeOptions
}

async function answer(request: IncomingMessage, response: ServerResponse, service: Service): Promise<void> {
  const exchange = await take(request, service)
  if (CassetteError.isInstance(exchange)) {
    const { status, headers, body } = refusal(exchange)
    response.writeHead(status, headers).end(body)
    return
  }
  await deliver(exchange, response, service.options)
}

async function take(request: IncomingMessage, { replay, publicBase }: Service): Promise<Exchange | CassetteError> {
  const pieces: Uint8Array[] = []
  for await (const piece of request as AsyncIterable<Uint8Array>) pieces.push(piece)
  try {
    return replay.take({
      method: request.method ?? 'GET',
      url: publicBase + (request.url ?? '/'),
      headers: Object.entries(request.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]),
      body: Buffer.concat(pieces),
    })
  } catch (error) {
    if (CassetteError.isInstance(error)) return error
    throw error
  }
}

// A reset discards what the client has not read yet, and a recorded one came after its bytes had been read.
const readingTimeMs = 20

async function deliver(
  { response: recorded }: Exchange,
  response: ServerResponse,
  options: ServeOptions,
): Promise<void> {
  const { socket } = response
  if (recorded.status > 0) {
    socket?.setNoDelay(true)
    response.writeHead(recorded.status, { ...recorded.headers })
    response.flushHeaders()
  }
  for (const { chunk, bytes } of deliveries(recorded)) {
    await pause(chunk, options)
    if (response.destroyed) return
    if (bytes.length > 0) await new Promise((resolve) => response.write(bytes, resolve))
    // Written in one go, chunks would leave in one packet and arrive as one.
    await macrotask()
  }
  switch (recorded.ending) {
    case 'eof':
      response.end()
      return
    case 'reset':
      if (recorded.status > 0) await sleep(readingTimeMs)
      socket?.resetAndDestroy()
      return
    case 'stall':
    case 'abort':
      return
    default:
      recorded.ending satisfies never
  }
}
