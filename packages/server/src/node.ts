import { serve as listen, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from './create-server.ts'
import type { ServerOptions } from './server-options.ts'
import { textSources } from './sse.ts'

export interface ServeOptions extends ServerOptions {
  /** Port that it listens on. Default 8787; 0: any that is free. */
  readonly port?: number | undefined
  /** Address that it listens on. Default `127.0.0.1`. Another one needs `authenticate`. */
  readonly hostname?: string | undefined
}

export interface RunningServer {
  /** What a client takes as its base URL, `/v1` included. */
  readonly baseURL: string
  /** Lets what is under way end within `graceMs` (default 10 seconds), then closes every connection. The store stays open. */
  stop(graceMs?: number): Promise<void>
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

/** Listens for clients. Throws `RangeError` where everybody who reaches the machine could ask, and rejects when the port is taken. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { port = 8787, hostname = '127.0.0.1' } = options
  if (options.authenticate === undefined && !loopback.has(hostname)) {
    throw new RangeError(`Without \`authenticate\` the server listens on 127.0.0.1 alone, not on '${hostname}'.`)
  }
  const server = createServer(options)
  const report = options.onError ?? (() => undefined)
  await server.maintain()
  const timer = setInterval(() => void server.maintain().catch(report), 5_000).unref()
  return new Promise((resolve, reject) => {
    const fetch = async (request: Request, { outgoing }: HttpBindings | Http2Bindings): Promise<Response> =>
      // What listens speaks HTTP/1: it was not told otherwise.
      sendText(await server.fetch(request), outgoing as ServerResponse)
    // `Request` and `Response` of the process stay what they are: it may do more than serve.
    const listening = listen({ fetch, port, hostname, overrideGlobalObjects: false }, (address: AddressInfo) => {
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
      resolve({
        baseURL: `http://${host}:${address.port}/v1`,
        async stop(graceMs) {
          clearInterval(timer)
          await server.stop(graceMs)
          if ('closeAllConnections' in listening) listening.closeAllConnections()
          await new Promise<void>((closed) => {
            listening.close(() => closed())
          })
        },
      })
    })
    listening.on('error', (error) => {
      clearInterval(timer)
      reject(error)
    })
  })
}

/** Past the body of the response, which stays unread. */
function sendText(response: Response, outgoing: ServerResponse): Response {
  const text = textSources.get(response)
  if (text === undefined) return response
  outgoing.writeHead(response.status, { ...text.headers })
  outgoing.on('drain', () => text.drained())
  outgoing.on('close', () => text.leave())
  if (outgoing.destroyed) text.leave()
  text.pipe(outgoing)
  // With what there is to say already, or alone.
  outgoing.flushHeaders()
  return RESPONSE_ALREADY_SENT
}
