import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { JsonObject } from '@steploop/core'
import { startSimulator, type Simulator, type SimulatorOptions } from '@steploop/conformance/simulator'

/** How a provider changed: what becomes of the payloads of one response, and of its text. */
export interface Drift {
  readonly payloads?: ((payloads: readonly JsonObject[], isStream: boolean) => readonly JsonObject[]) | undefined
  readonly text?: ((text: string) => string) | undefined
}

/** Starts simulators behind a server that changes what they say. */
export function drifting(drift: Drift) {
  return async (options: SimulatorOptions): Promise<Simulator> => {
    const simulator = await startSimulator(options)
    const server = createServer((incoming, outgoing) => void handOn(simulator.url, drift, incoming, outgoing))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    return {
      url: `http://127.0.0.1:${port}${new URL(simulator.url).pathname.replace(/\/$/, '')}`,
      requests: simulator.requests,
      stored: simulator.stored,
      get remaining() {
        return simulator.remaining
      },
      async close() {
        server.closeAllConnections()
        server.close()
        await simulator.close()
      },
    }
  }
}

async function handOn(url: string, drift: Drift, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let body = ''
  for await (const piece of incoming) body += String(piece)
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] => {
    return typeof value === 'string' && !/^(?:host|connection|content-length)$/.test(name) ? [[name, value]] : []
  })
  const init = { method: incoming.method ?? 'GET', headers, ...(body !== '' && { body }) }
  const response = await fetch(`${new URL(url).origin}${incoming.url}`, init)
  const kept = [...response.headers].filter(([name]) => name !== 'transfer-encoding')
  outgoing.writeHead(response.status, Object.fromEntries(kept))
  outgoing.end(changed(await response.text(), response.headers.get('content-type') ?? '', drift))
}

function changed(text: string, type: string, { payloads = (all) => all, text: rewrite = (all) => all }: Drift): string {
  if (/event-stream/.test(type)) return rewrite(changedEvents(text, payloads))
  const isLines = /ndjson/.test(type)
  const lines = isLines ? text.trimEnd().split('\n') : [text]
  const said = payloads(
    lines.map((line) => JSON.parse(line) as JsonObject),
    isLines,
  )
  return rewrite(said.map((payload) => JSON.stringify(payload) + (isLines ? '\n' : '')).join(''))
}

/** What is no JSON, such as `[DONE]`, stays at the end. */
function changedEvents(text: string, payloads: NonNullable<Drift['payloads']>): string {
  const end = /\r\n/.test(text) ? '\r\n' : '\n'
  const data = text.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
  const hasNames = /^event:/m.test(text)
  const said = data.filter((one) => one.startsWith('{')).map((one) => JSON.parse(one) as JsonObject)
  const events = payloads(said, true).map((payload) => {
    const name = hasNames ? `event: ${String(payload['type'])}${end}` : ''
    return `${name}data: ${JSON.stringify(payload)}${end}${end}`
  })
  const others = data.filter((one) => !one.startsWith('{')).map((one) => `data: ${one}${end}${end}`)
  return [...events, ...others].join('')
}
