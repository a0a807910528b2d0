import type { Client, ClientCapabilities, Tool } from '@modelcontextprotocol/client'
import type { ToolSet } from '@steploop/core'
import { answerRequests } from './answer-requests.ts'
import { createConnection } from './connection.ts'
import { cleanText } from './guard.ts'
import { listTools } from './list-tools.ts'
import { makeTools } from './make-tools.ts'
import { causeText, shorten } from './mcp-error.ts'
import type { McpCall, McpOptions, McpServer, McpWarning, Warn } from './options.ts'
import { pinsOf } from './pins.ts'
import { sourceOf, type ServerSource } from './source.ts'

/** A server whose tools are there. */
export interface McpConnection {
  /** What the server says of itself. */
  readonly server: {
    readonly name: string
    readonly version: string | undefined
    /** How its tools are meant to be used, in its own words. */
    readonly instructions: string | undefined
    readonly protocolVersion: string | undefined
  }
  /**
   * The tools that the server has, as they are now: a run keeps those that it began with. They are asked for once, and again after the
   * server told of a change, or where it never does. Throws `McpError`.
   */
  tools(): Promise<ToolSet>
  /** SHA-256 of every definition in canonical form, by the server's own names, for `pins` of a later connection. Throws `McpError`. */
  pins(): Promise<Readonly<Record<string, string>>>
  /** What was left out, cleaned or wrong so far, each once; the last hundred. */
  readonly warnings: readonly McpWarning[]
  /** Ends the connection; calls under way fail. A process that does not end by itself is killed after some seconds. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Connects to an MCP server, whose tools are then tools of a `StepLoop`. Throws `McpError`: `connect-failed`, `unauthorized`. A connection
 * that is lost later fails the calls under way; the next call connects again. No call is sent twice.
 */
export function connectMcp(server: McpServer, options: McpOptions = {}): Promise<McpConnection> {
  return connectTo(() => sourceOf(server), options)
}

/** @param makeSource throws `McpError` */
export async function connectTo(makeSource: () => ServerSource, options: McpOptions): Promise<McpConnection> {
  const { warn, warnings } = createWarnings(options)
  const calls = new Set<McpCall>()
  const { connectTimeout: timeout = 30_000, listMaxPages = 500, onToolsChanged } = options
  /** Clients that hear of no change any more. */
  const withoutNotices = new WeakSet<Client>()
  /** Counts what may have changed the tools. */
  let version = 0
  let listedTools: { readonly version: number; readonly definitions: readonly Tool[] } | undefined
  const changed = (): void => {
    version++
    quietly('onToolsChanged', () => onToolsChanged?.(), warn)
  }
  const connection = createConnection({
    source: makeSource(),
    name: options.name,
    timeout,
    clientOptions: {
      capabilities: capabilitiesOf(options),
      versionNegotiation: { mode: options.protocol ?? 'auto', probe: { timeoutMs: Math.min(timeout, 10_000) } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
      listMaxPages,
    },
    prepare: (client) => answerRequests(client, { options, calls, warn }),
    onConnected(client) {
      version++
      void client.autoOpenedSubscription?.closed.then(() => withoutNotices.add(client))
    },
  })
  const definitions = async (): Promise<readonly Tool[]> => {
    const client = await connection.open()
    if (listedTools?.version === version && !withoutNotices.has(client)) return listedTools.definitions
    const versionAtRequest = version
    const listed = await listTools(client, { connection, timeout, listMaxPages, warn })
    if (tellsChanges(client) && !withoutNotices.has(client))
      listedTools = { version: versionAtRequest, definitions: listed }
    return listed
  }
  await connection.open()
  return {
    get server() {
      const { client } = connection
      const instructions = client?.getInstructions()
      return {
        name: connection.server,
        version: client?.getServerVersion()?.version,
        instructions: instructions === undefined ? undefined : cleanText(instructions),
        protocolVersion: client?.getNegotiatedProtocolVersion(),
      }
    },
    tools: async () => makeTools(await definitions(), { connection, options, calls, warn }),
    pins: async () => pinsOf(await definitions()),
    warnings,
    close: () => connection.close(),
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

function tellsChanges(client: Client): boolean {
  return client.getServerCapabilities()?.tools?.listChanged === true
}

/** Declines are answers too: a server that may ask says what it wanted. */
function capabilitiesOf({ onSample }: McpOptions): ClientCapabilities {
  return { elicitation: { form: {}, url: {} }, ...(onSample !== undefined && { sampling: {} }) }
}

/** How many warnings are kept. */
const maxWarnings = 100

function createWarnings({ onWarning }: McpOptions): { readonly warn: Warn; readonly warnings: McpWarning[] } {
  const warnings: McpWarning[] = []
  const keep = (warning: McpWarning): boolean => {
    if (warnings.some((other) => other.toolName === warning.toolName && other.message === warning.message)) return false
    warnings.push(warning)
    if (warnings.length > maxWarnings) warnings.shift()
    return true
  }
  const warn: Warn = (original) => {
    // Names of tools are in it, as their server wrote them.
    const warning = { ...original, message: shorten(cleanText(original.message), 1000) }
    if (keep(warning)) quietly('onWarning', () => onWarning?.(warning), keep)
  }
  return { warn, warnings }
}

/** What the application calls back with must not end a connection. */
function quietly(name: string, call: () => unknown, warn: (warning: McpWarning) => unknown): void {
  const failed = (cause: unknown): void =>
    void warn({ type: 'hook-failed', message: `\`${name}\` failed: ${causeText(cause)}` })
  try {
    void Promise.resolve(call()).catch(failed)
  } catch (cause) {
    failed(cause)
  }
}
