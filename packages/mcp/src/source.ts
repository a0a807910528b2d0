import { StreamableHTTPClientTransport, type OAuthClientProvider, type Transport } from '@modelcontextprotocol/client'
import { createRedactor } from '@steploop/core/adapter'
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
  /** Where somebody has to log in. */
  readonly authorizationUrl?: (() => string | undefined) | undefined
  /** Tells the server that nobody comes back. */
  readonly leave?: (() => Promise<void>) | undefined
}

export function sourceOf(server: McpServer): ServerSource {
  if ('url' in server && server.url !== undefined) return httpSource(server)
  if ('transport' in server && server.transport !== undefined) return transportSource(server)
  const hint = 'command' in server ? " For { command }, import `connectMcp` from '@steploop/mcp/stdio'." : ''
  throw new McpError('invalid-options', `A server is { url } or { transport }.${hint}`, { server: 'unknown' })
}

function httpSource({ url: given, headers = {}, authProvider, fetch }: HttpServer): ServerSource {
  let url: URL
  try {
    url = new URL(given)
  } catch (cause) {
    throw new McpError('invalid-options', '`url` is no URL. Give a whole one, with https://.', {
      server: 'unknown',
      cause,
    })
  }
  const secrets = [...Object.values(headers), url.username, url.password, ...url.searchParams.values()]
  return {
    label: `${url.origin}${url.pathname}`,
    redact: createRedactor(secrets.flatMap((secret) => [secret, ...secret.split(' ')])),
    open() {
      let authorizationUrl: string | undefined
      const provider = watchLogin(authProvider, (login) => (authorizationUrl = login))
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

/** An OAuth provider that also tells where it sends the person. */
function watchLogin(provider: HttpServer['authProvider'], tell: (url: string) => void): HttpServer['authProvider'] {
  if (provider === undefined || !('redirectToAuthorization' in provider)) return provider
  return new Proxy(provider, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member, target)
      if (typeof value !== 'function') return value
      const method = value.bind(target) as (...given: readonly unknown[]) => unknown
      if (member !== 'redirectToAuthorization') return method
      return (url: URL, ...rest: readonly unknown[]) => {
        tell(url.href)
        return method(url, ...rest)
      }
    },
  }) satisfies OAuthClientProvider
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
