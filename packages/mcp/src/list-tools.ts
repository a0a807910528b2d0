import { SdkError, SdkErrorCode, specTypeSchemas, type Client, type Tool } from '@modelcontextprotocol/client'
import { isObject } from '@steploop/core/adapter'
import type { Connection } from './connection.ts'
import { McpError, plainCause, shorten } from './mcp-error.ts'
import type { Warn } from './options.ts'

export interface ListOptions {
  readonly connection: Connection
  /** Milliseconds per page. */
  readonly timeout: number
  readonly listMaxPages: number
  readonly warn: Warn
}

/** All pages. Throws `McpError`. */
export async function listTools(client: Client, options: ListOptions): Promise<readonly Tool[]> {
  const { connection, timeout, listMaxPages } = options
  if (client.getServerCapabilities()?.tools === undefined) return []
  const { server } = connection
  try {
    const { tools } = await client.listTools(undefined, { timeout, cacheMode: 'refresh' })
    return tools
  } catch (cause) {
    if (codeOf(cause) === SdkErrorCode.InvalidResult) return listValid(client, options)
    if (codeOf(cause) === SdkErrorCode.ListPaginationExceeded) throw tooManyPages(server, listMaxPages)
    throw listFailed(connection, cause)
  }
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof SdkError ? cause.code : undefined
}

function tooManyPages(server: string, maxPages: number): McpError {
  const message = `${server} still has more tools after ${maxPages} pages. If that is true of it, raise \`listMaxPages\`.`
  return new McpError('too-many-pages', message, { server })
}

function listFailed({ server, redact }: Connection, cause: unknown): McpError {
  const plain = plainCause(cause, redact)
  return new McpError('list-failed', `${server} did not give its tools: ${plain.message}.`, { server, cause: plain })
}

/** One wrong definition is no reason to refuse all others, which is what the SDK does. */
async function listValid(
  client: Client,
  { connection, timeout, listMaxPages, warn }: ListOptions,
): Promise<readonly Tool[]> {
  const valid: Tool[] = []
  let cursor: string | undefined
  for (let page = 0; page < listMaxPages; page++) {
    const params = cursor === undefined ? {} : { cursor }
    let result: unknown
    try {
      result = await client.request({ method: 'tools/list', params }, anything, { timeout })
    } catch (cause) {
      throw listFailed(connection, cause)
    }
    const tools: unknown = isObject(result) ? result['tools'] : undefined
    if (!Array.isArray(tools)) throw listFailed(connection, new Error('the answer has no list of tools'))
    for (const tool of tools) {
      const parsed = specTypeSchemas.Tool['~standard'].validate(tool)
      if (parsed.issues === undefined) valid.push(parsed.value)
      else warn(leftOut(tool, parsed.issues[0]))
    }
    const next = isObject(result) ? result['nextCursor'] : undefined
    if (typeof next !== 'string') return valid
    cursor = next
  }
  throw tooManyPages(connection.server, listMaxPages)
}

const anything = {
  '~standard': { version: 1, vendor: 'steploop', validate: (value: unknown) => ({ value }) },
} as const

function leftOut(tool: unknown, issue: { readonly message: string; readonly path?: unknown } | undefined) {
  const name: unknown = isObject(tool) ? tool['name'] : undefined
  const path = Array.isArray(issue?.path) ? issue.path.map(String).join('.') : ''
  const toolName = typeof name === 'string' ? name : undefined
  const message = `The definition of the tool '${shorten(toolName ?? '?', 200)}' is not valid, so it is left out: ${path}: ${issue?.message ?? ''}`
  return { type: 'tool-left-out', toolName, message } as const
}
