import type { AnyTool, ToolOutput, ToolSet } from '@steploop/core'
import { connectMcp, type McpConnection, type McpServer, type McpToolInfo } from '@steploop/mcp'
import { badRequest } from '../api-error.ts'
import type { GatewayView } from '../gateway-items.ts'
import { isObject, textOf, type JsonObject } from '../json.ts'
import type { Executor, ExecutorContext, OpenedTools } from '../executor.ts'
import { guardedFetch, refusalOf } from './guarded-fetch.ts'

export interface McpExecutorOptions {
  /** Servers of the operator's, by the `server_label` under which a client asks for them; wherever they are. */
  readonly servers?: Readonly<Record<string, McpServer>> | undefined
  /** Hosts that a client may name in `server_url`, over https. Default: none. */
  readonly allow?: readonly string[] | undefined
}

/**
 * Tools of MCP servers: those of the operator, and those at hosts that he allows. What a client gives to open one (`authorization`,
 * `headers`) goes there and nowhere else. Calls wait for an approval unless the client says `require_approval: 'never'`.
 */
export function mcp({ servers = {}, allow = [] }: McpExecutorOptions): Executor {
  const hosts = allow.map((host) => host.toLowerCase())
  const fetchThere = guardedFetch({ hosts })
  const serverOf = (declared: JsonObject, param: string): McpServer => {
    const label = labelOf(declared, param)
    const own = Object.hasOwn(servers, label) ? servers[label] : undefined
    const given = textOf(declared['server_url'])
    if (own !== undefined && given === undefined) return own
    const url = given === undefined || !URL.canParse(given) ? undefined : new URL(given)
    const refusal = url === undefined ? 'it is none' : refusalOf(url, { hosts })
    if (url === undefined || refusal !== undefined) {
      throw badRequest(`The address of the MCP server is not asked: ${refusal}.`, { param: `${param}.server_url` })
    }
    return { url, headers: headersOf(declared), fetch: fetchThere }
  }
  return {
    types: ['mcp'],
    async open(declared, context) {
      if (declared['connector_id'] != null) {
        const message = 'Connectors are not supported. Give `server_url`.'
        throw badRequest(message, { code: 'unsupported_parameter', param: `${context.param}.connector_id` })
      }
      return openServer(serverOf(declared, context.param), declared, context)
    },
  }
}

async function openServer(server: McpServer, declared: JsonObject, { param }: ExecutorContext): Promise<OpenedTools> {
  const label = labelOf(declared, param)
  let connection: McpConnection | undefined
  try {
    const approve = ({ name }: McpToolInfo): boolean => asks(declared['require_approval'], name)
    const opened = await connectMcp(server, { name: label, prefix: `${label}__`, approve, connectTimeout: 10_000 })
    connection = opened
    const tools = allowedTools(await opened.tools(), declared, label)
    return {
      tools,
      view: (name) => viewOf(name, declared, label),
      listed: [listOf(tools, label)],
      close: () => opened.close(),
    }
  } catch {
    await connection?.close().catch(() => undefined)
    // What the server said stays here: it may hold what the client sent there.
    const error = {
      type: 'mcp_protocol_error',
      code: 0,
      message: 'The server could not be reached, or did not list its tools.',
    }
    const view = (name: string): GatewayView => viewOf(name, declared, label)
    return { tools: {}, view, listed: [{ type: 'mcp_list_tools', server_label: label, tools: [], error }] }
  }
}

function labelOf(declared: JsonObject, param: string): string {
  const label = textOf(declared['server_label'])
  if (label !== undefined && /^[a-zA-Z0-9_-]{1,40}$/.test(label)) return label
  throw badRequest('An MCP server needs a `server_label` of letters, digits, - and _.', {
    param: `${param}.server_label`,
  })
}

function headersOf({ authorization, headers }: JsonObject): Readonly<Record<string, string>> {
  const given = isObject(headers) ? Object.entries(headers) : []
  const texts = given.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const token = textOf(authorization)
  return { ...Object.fromEntries(texts), ...(token !== undefined && { authorization: `Bearer ${token}` }) }
}

/** Whether calls of a tool wait for an approval: unless the client takes it out by name, or all. */
export function asks(rule: unknown, name: string): boolean {
  if (rule === 'never') return false
  if (!isObject(rule)) return true
  const { always, never } = rule
  if (namesIn(always).includes(name)) return true
  return !namesIn(never).includes(name)
}

function namesIn(filter: unknown): readonly unknown[] {
  const names: unknown = isObject(filter) ? filter['tool_names'] : filter
  return Array.isArray(names) ? names : []
}

function allowedTools(
  tools: ToolSet,
  { allowed_tools: allowed }: JsonObject,
  label: string,
): Readonly<Record<string, AnyTool>> {
  const own = Object.entries(tools)
  if (allowed == null) return Object.fromEntries(own)
  const names = namesIn(allowed)
  return Object.fromEntries(own.filter(([name]) => names.includes(name.slice(label.length + 2))))
}

function listOf(tools: ToolSet, label: string): JsonObject {
  const shown = Object.entries(tools).flatMap(([name, tool]) =>
    tool.type === 'function'
      ? [
          {
            name: name.slice(label.length + 2),
            description: tool.description ?? null,
            input_schema: tool.inputSchema,
            annotations: null,
          },
        ]
      : [],
  )
  return { type: 'mcp_list_tools', server_label: label, tools: shown, error: null }
}

function viewOf(name: string, declared: JsonObject, label: string): GatewayView {
  const own = name.slice(label.length + 2)
  return {
    type: 'mcp_call',
    asks: asks(declared['require_approval'], own),
    show: ({ inputText, output }) => ({ name: own, server_label: label, arguments: inputText, ...shownOutput(output) }),
  }
}

function shownOutput(output: ToolOutput | undefined): JsonObject {
  if (output === undefined) return { output: null, error: null }
  if (output.type === 'error') {
    const content = [{ type: 'text', text: output.value.message }]
    return { output: null, error: { type: 'mcp_tool_execution_error', content } }
  }
  if (output.type === 'text') return { output: output.value, error: null }
  if (output.type === 'json') return { output: JSON.stringify(output.value), error: null }
  const texts = output.value.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`))
  return { output: texts.join('\n'), error: null }
}
