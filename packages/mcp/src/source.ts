import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { createRedactor } from '@steploop/core/adapter'
import { watchProvider } from './auth-provider.ts'
import { McpError } from './mcp-error.ts'
import type { HttpServer, McpServer, TransportServer } from './options.ts'

/** A way to a server. */
export interface ServerSource {
  /** What messages call it until it has said its name. */
  readonly label: string
  readonly open: () => Opened | Promise<Opened>
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string
}

/** A transport that is not started yet. */
export interface Opened {
  readonly transport: Transport
  /** What else there is to say of a connection that failed: the last lines of a log, say. */
  readonly diagnose?: (() => string) | undefined
  /** Where a login is needed. */
  readonly authorizationUrl?: (() => string | undefined) | undefined
  /** Tells the server that the session is over. */
  readonly leave?: (() => Promise<void>) | undefined
}

export function sourceOf(server: McpServer): ServerSource {
  if ('url' in server && server.url !== undefined) return httpSource(server)
  if ('transport' in server && server.transport !== undefined) return transportSource(server)
  const hint = 'command' in server ? " For { command }, import `connectMcp` from '@steploop/mcp/stdio'." : ''
  throw new McpError('invalid-options', `A server is { url } or { transport }.${hint}`, { server: 'unknown' })
}

/** Part of a path that is long and has both letters and digits: many servers have their key there. */
const likeSecret = /^(?=.*\d)(?=.*[a-z])[\w~%-]{16,}$/i

/** How many tokens of an `authProvider` are remembered: they are replaced from time to time. */
const maxLearned = 20

function checkHeaders(headers: Readonly<Record<string, unknown>>): void {
  const name = Object.keys(headers).find((key) => typeof headers[key] !== 'string')
  if (name === undefined) return
  const message = `The header '${name}' has no text as its value. Is what it is read from set?`
  throw new McpError('invalid-options', message, { server: 'unknown' })
}

function httpSource({ url: address, headers = {}, authProvider, fetch }: HttpServer): ServerSource {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    // What was thrown has the whole text, and whatever token is in it.
    throw new McpError('invalid-options', '`url` is no URL. Give a whole one, with https://.', { server: 'unknown' })
  }
  checkHeaders(headers)
  const inPath = url.pathname.split('/').filter((part) => likeSecret.test(part))
  const secrets = [...Object.values(headers), url.username, url.password, ...url.searchParams.values(), ...inPath]
  const fixed = secrets.flatMap((secret) => [secret, ...secret.split(' ')])
  let redact = createRedactor(fixed)
  let learned: readonly string[] = []
  const learn = (secret: string): void => {
    if (learned.includes(secret)) return
    learned = [...learned, secret].slice(-maxLearned)
    redact = createRedactor([...fixed, ...learned])
  }
  return {
    label: createRedactor(inPath)(`${url.origin}${url.pathname}`),
    redact: (text) => redact(text),
    open() {
      let authorizationUrl: string | undefined
      const provider = watchProvider(authProvider, { onLogin: (login) => (authorizationUrl = login), onSecret: learn })
      const transport = new StreamableHTTPClientTransport(url, {
        requestInit: { headers: { ...headers } },
        ...(provider !== undefined && { authProvider: provider }),
        ...(fetch !== undefined && { fetch }),
      })
      failCutStreams(transport)
      return {
        transport,
        authorizationUrl: () => authorizationUrl,
        leave: () => transport.terminateSession(),
      }
    },
  }
}

/** JSON-RPC's code for an error of a server's own. */
const connectionClosed = -32_000

/**
 * The SDK leaves a request open whose answer was cut off, and it would hang until its time is over. It asks about every stream's end, also
 * where the answer has come: then nobody waits for this one.
 */
function failCutStreams(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (Array.isArray(message) || !('id' in message) || !('method' in message) || typeof message.id !== 'number')
      return send(message, options)
    const { id } = message
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.()
      const error = { code: connectionClosed, message: 'The answer was cut off.' }
      transport.onmessage?.({ jsonrpc: '2.0', id, error })
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
}

function transportSource({ transport }: TransportServer): ServerSource {
  let used = false
  return {
    label: 'the MCP server',
    redact: (text) => text,
    async open() {
      if (typeof transport === 'function') return { transport: await transport() }
      if (used) {
        const message =
          'A transport is good for one connection, and that one is lost. Give a function that makes transports to connect again.'
        throw new McpError('connect-failed', message, { server: 'the MCP server' })
      }
      used = true
      return { transport }
    },
  }
}
