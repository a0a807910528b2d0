import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createRedactor } from '@steploop/core/adapter'
import { connectTo, type McpConnection } from './connect-mcp.ts'
import type { McpOptions, McpServer } from './options.ts'
import { sourceOf, type Opened, type ServerSource } from './source.ts'

/** A server that is started as a process of its own, and spoken to over its standard input and output. */
export interface StdioServer {
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** Environment variables besides the few that every process needs (PATH, HOME ...): nothing else of this process's environment is handed on. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
  /** Bytes that one message may have. A longer one ends the connection. Default 10 MB. */
  readonly maxBufferSize?: number | undefined
}

/**
 * Connects as `connectMcp` of `@steploop/mcp` does, and to servers that are processes:
 * `connectMcp({ command: 'npx', args: ['-y', 'some-server'] })`. Node, Deno and Bun only. The standard error of a process is read and kept to
 * the last 20 lines, for the message of a connection that fails.
 */
export function connectMcp(server: StdioServer | McpServer, options: McpOptions = {}): Promise<McpConnection> {
  return connectTo(() => ('command' in server ? stdioSource(server) : sourceOf(server)), options)
}

function stdioSource({ command, args = [], env, cwd, maxBufferSize }: StdioServer): ServerSource {
  const parameters = {
    command,
    args: [...args],
    stderr: 'pipe' as const,
    ...(env !== undefined && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    ...(maxBufferSize !== undefined && { maxBufferSize }),
  }
  return {
    label: `'${command}'`,
    redact: createRedactor([...Object.values(env ?? {}).filter(isText), ...secretsIn(args)]),
    open(): Opened {
      const transport = new StdioClientTransport(parameters)
      return { transport, diagnose: lastLines(transport) }
    },
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** What stands behind a flag such as `--api-key`, or `--header`. */
function secretsIn(args: readonly string[]): readonly string[] {
  const flag = /^--?[\w-]*(?:key|token|secret|passw|auth|header)[\w-]*(?:=(.+))?$/is
  return args.flatMap((arg, index) => {
    const found = flag.exec(arg)
    const value = found === null ? '' : (found[1] ?? args[index + 1] ?? '')
    return [value, ...value.split(' ')]
  })
}

/** Characters and lines of a log that are kept. */
const [longest, most] = [8000, 20]

/** Reads the log, so that a server that writes much is not held up. */
function lastLines({ stderr }: StdioClientTransport): () => string {
  let text = ''
  const decoder = new TextDecoder()
  stderr?.on('data', (chunk: Uint8Array) => {
    text = (text + decoder.decode(chunk, { stream: true })).slice(-longest)
  })
  stderr?.on('error', () => undefined)
  return () => text.trimEnd().split('\n').slice(-most).join('\n')
}

export type { McpConnection }
