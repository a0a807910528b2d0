import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { simulatorHeader } from '@steploop/cassette/record'
import { startSimulator, type Simulator, type SimulatorOptions } from '@steploop/conformance/simulator'

export interface ProviderOptions {
  /** Answers a request in place of the simulator, and says so by `true`. */
  readonly instead?: ((request: IncomingMessage, response: ServerResponse, number: number) => boolean) | undefined
  /** Changes what the simulator answers. */
  readonly rewrite?: ((text: string, contentType: string) => string) | undefined
  /** It says that it is a simulator. Default false. */
  readonly isHonest?: boolean | undefined
}

/** A simulator behind a server that may change what it says. */
export interface Provider {
  /** Stands for the provider's public base URL. */
  readonly url: string
  /** All requests that came. */
  readonly requests: readonly { readonly method: string }[]
  readonly simulator: Simulator
  readonly close: () => Promise<void>
}

/** Starts a server that nothing tells from a real provider, as it leaves out the header by which simulators are known. */
export async function startProvider(script: SimulatorOptions, options: ProviderOptions = {}): Promise<Provider> {
  const simulator = await startSimulator(script)
  const requests: { method: string }[] = []
  const server = createServer((incoming, outgoing) => {
    requests.push({ method: incoming.method ?? '' })
    if (options.instead?.(incoming, outgoing, requests.length) === true) return
    void handOn(simulator.url, options, incoming, outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}${new URL(simulator.url).pathname.replace(/\/$/, '')}`,
    requests,
    simulator,
    async close() {
      server.closeAllConnections()
      server.close()
      await simulator.close()
    },
  }
}

async function handOn(
  url: string,
  { rewrite = (text) => text, isHonest = false }: ProviderOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  let body = ''
  for await (const piece of incoming) body += String(piece)
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] => {
    return typeof value === 'string' && !/^(?:host|connection|content-length)$/.test(name) ? [[name, value]] : []
  })
  const init = { method: incoming.method ?? 'GET', headers, ...(body !== '' && { body }) }
  const response = await fetch(`${new URL(url).origin}${incoming.url}`, init)
  const kept = [...response.headers].filter(([name]) => {
    return name !== 'transfer-encoding' && (isHonest || name !== simulatorHeader)
  })
  outgoing.writeHead(response.status, Object.fromEntries(kept))
  outgoing.end(rewrite(await response.text(), response.headers.get('content-type') ?? ''))
}
