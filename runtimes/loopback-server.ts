import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LoopbackServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string
  close(): void
}

/** Serves one module, and an empty page at every other address. */
export async function serveFile(address: string, path: string): Promise<LoopbackServer> {
  const code = await readFile(path)
  return serve(({ url }, outgoing) => {
    if (url === address) outgoing.setHeader('content-type', 'text/javascript').end(code)
    else outgoing.setHeader('content-type', 'text/html').end('<!doctype html><title>runtimes</title>')
  })
}

const permission = {
  'access-control-allow-origin': '*',
  // The star does not cover this one name.
  'access-control-allow-headers': '*, authorization',
  'access-control-allow-methods': '*',
  'access-control-expose-headers': '*',
}

/** Hands everything on to `origin`, piece by piece, and gives browsers the permission that the simulator does not give. */
export function corsProxy(origin: string): Promise<LoopbackServer> {
  return serve((incoming, outgoing) => {
    if (incoming.method === 'OPTIONS') outgoing.writeHead(204, permission).end()
    else forward(origin, incoming, outgoing)
  })
}

function forward(origin: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url = '/', headers } = incoming
  const onward = request(new URL(url, origin), { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, { ...response.headers, ...permission })
    response.once('error', () => outgoing.destroy()).pipe(outgoing)
  })
  incoming.pipe(onward.once('error', () => outgoing.destroy()))
}

async function serve(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
