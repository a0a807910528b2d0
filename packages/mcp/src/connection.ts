import {
  Client,
  SdkHttpError,
  UnauthorizedError,
  type ClientOptions,
  type PriorDiscovery,
} from '@modelcontextprotocol/client'
import { cleanText } from './guard.ts'
import { McpError, plainCause } from './mcp-error.ts'
import type { Opened, ServerSource } from './source.ts'

/** One connection at a time to a server; a lost one is replaced when it is needed next. */
export interface Connection {
  /** What messages call the server. */
  readonly server: string
  /** Client of the connection that there is, or was last. */
  readonly client: Client | undefined
  /** The one that works now, without a wait. */
  readonly ready: () => Client | undefined
  /** Throws `McpError`. Whoever asks while one is being made waits for the same one. */
  readonly open: () => Promise<Client>
  /** The server does not know this connection any more. */
  readonly drop: (client: Client) => void
  readonly close: () => Promise<void>
  readonly redact: (text: string) => string
}

export interface ConnectionOptions {
  readonly source: ServerSource
  readonly name: string | undefined
  /** Milliseconds. */
  readonly timeout: number
  readonly clientOptions: ClientOptions
  /** Before it is connected, so that no message is missed. */
  readonly prepare: (client: Client) => void
  /** After each one. */
  readonly onConnected: (client: Client) => void
}

/** A connection that works, until it is lost. */
interface Live {
  readonly client: Client
  readonly opened: Opened
  lost: boolean
}

const clientInfo = { name: 'steploop', version: '0.0.0' }

export function createConnection(options: ConnectionOptions): Connection {
  const { source } = options
  let current: Promise<Live> | undefined
  let live: Live | undefined
  let prior: PriorDiscovery | undefined
  let closing: Promise<void> | undefined
  let reportedName: string | undefined
  const ending = new AbortController()
  const currentName = (): string => options.name ?? reportedName ?? source.label
  const connect = async (): Promise<Live> => {
    const connected = await connectOnce(options, { prior, server: currentName(), signal: ending.signal })
    // Newer servers answer the older handshake too, so that the second connection need not ask which one it is to be.
    prior = connected.client.getDiscoverResult() === undefined ? { kind: 'legacy' } : undefined
    reportedName = cleanText(connected.client.getServerVersion()?.name ?? '').slice(0, 100) || undefined
    live = connected
    options.onConnected(connected.client)
    return connected
  }
  return {
    get server() {
      return currentName()
    },
    get client() {
      return live?.client
    },
    redact: source.redact,
    ready: () => (closing === undefined && live?.lost === false ? live.client : undefined),
    async open() {
      if (closing !== undefined) throw closedError(currentName())
      if (live?.lost === true) current = live = undefined
      const attempt = (current ??= connect())
      try {
        const { client } = await attempt
        if (closing !== undefined) throw closedError(currentName())
        return client
      } catch (error) {
        if (current === attempt) current = undefined
        throw error
      }
    },
    drop(client) {
      if (live?.client !== client || live.lost) return
      live.lost = true
      void end(live)
    },
    close() {
      closing ??= (async () => {
        ending.abort()
        const connected = await current?.catch(() => undefined)
        if (connected !== undefined) await end(connected)
      })()
      return closing
    },
  }
}

function closedError(server: string): McpError {
  return new McpError('closed', `The connection to ${server} was closed. Connect again with \`connectMcp\`.`, {
    server,
  })
}

/** Milliseconds that a server has to take note of a goodbye. */
const patience = 1000

async function end({ client, opened, lost }: Live): Promise<void> {
  if (!lost && opened.leave !== undefined) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const waited = new Promise((resolve) => (timer = setTimeout(resolve, patience)))
    await Promise.race([opened.leave().catch(() => undefined), waited])
    clearTimeout(timer)
  }
  await closeQuietly(client, opened)
}

async function closeQuietly(client: Client, { transport }: Opened): Promise<void> {
  await client.close().catch(() => undefined)
  await transport.close().catch(() => undefined)
}

interface Attempt {
  readonly prior: PriorDiscovery | undefined
  readonly server: string
  /** Aborted by `close`, which does not wait for a server that says nothing. */
  readonly signal: AbortSignal
}

async function connectOnce(
  { source, timeout, clientOptions, prepare }: ConnectionOptions,
  { prior, server, signal }: Attempt,
): Promise<Live> {
  let opened: Opened
  try {
    opened = await source.open()
  } catch (cause) {
    throw McpError.isInstance(cause) ? cause : connectError(server, source, cause)
  }
  const client = new Client(clientInfo, clientOptions)
  const live: Live = { client, opened, lost: false }
  Object.assign(client, {
    onclose: () => (live.lost = true),
    // Unexpected answers, lines that are no JSON: whatever they belonged to is answered in its own time.
    onerror: () => undefined,
  })
  prepare(client)
  const onAbort = (): void => void closeQuietly(client, opened)
  signal.addEventListener('abort', onAbort)
  try {
    signal.throwIfAborted()
    await client.connect(opened.transport, { timeout, ...(prior !== undefined && { prior }) })
  } catch (cause) {
    await closeQuietly(client, opened)
    throw signal.aborted ? closedError(server) : connectError(server, source, cause, opened)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  return live
}

function connectError(server: string, { redact }: ServerSource, cause: unknown, opened?: Opened): McpError {
  const plain = plainCause(cause, redact)
  const reason = plain.message
  if (isUnauthorized(cause)) {
    const authorizationUrl = opened?.authorizationUrl?.()
    const where =
      authorizationUrl === undefined
        ? 'Give an `authProvider`, or a header with a token.'
        : `Log in at ${authorizationUrl}, hand the code to the SDK’s \`auth\`, and connect again.`
    return new McpError('unauthorized', `${server} wants an authorisation: ${reason}. ${where}`, {
      server,
      authorizationUrl,
      cause: plain,
    })
  }
  const log = opened?.diagnose?.() ?? ''
  const last = log === '' ? '' : ` It wrote last:\n${redact(log)}`
  const message = `${server} could not be connected: ${reason}.${htmlHint(reason)}${last}`
  return new McpError('connect-failed', message, { server, cause: plain })
}

function isUnauthorized(cause: unknown): boolean {
  if (cause instanceof UnauthorizedError) return true
  return cause instanceof SdkHttpError && (cause.status === 401 || cause.status === 403)
}

function htmlHint(reason: string): string {
  return /text\/html|<html|<!doctype/i.test(reason)
    ? ' It answers with a web page: is the URL that of an MCP endpoint?'
    : ''
}

/** True where the server has forgotten the session: it was started anew, say. */
export function isForgotten(cause: unknown): boolean {
  return cause instanceof SdkHttpError && cause.status === 404
}
