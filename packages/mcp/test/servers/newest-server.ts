/** A server on the SDK, in the protocol of 2026-07-28 and the older one: 200 pages of tools, a list that changes, promises that are not kept. */
import {
  inputRequired,
  McpServer,
  type CallToolResult,
  type InputRequiredResult,
  type Tool,
} from '@modelcontextprotocol/server'

export interface NewestServerOptions {
  /** Told when a tool has changed the list. */
  readonly onGrown?: (() => void) | undefined
}

const pages = 200
const perPage = 2

const inputSchema = { type: 'object' } as const
const outputSchema = { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] } as const
const annotations = { readOnlyHint: true }

const special: readonly Tool[] = [
  { name: 'grow', inputSchema, annotations },
  { name: 'weather', inputSchema, outputSchema, annotations },
  { name: 'liar', inputSchema, outputSchema, annotations },
  { name: 'silent', inputSchema, outputSchema, annotations },
  { name: 'ask', inputSchema, annotations },
]

/** What all connections of a process share. */
export interface NewestState {
  grown: boolean
  calls: string[]
}

export function createState(): NewestState {
  return { grown: false, calls: [] }
}

export function createNewestServer(state: NewestState, { onGrown }: NewestServerOptions = {}): McpServer {
  const server = new McpServer(
    { name: 'newest', version: '2.0.0' },
    { capabilities: { tools: { listChanged: true } }, instructions: 'Ask politely.' },
  )
  server.server.setRequestHandler('tools/list', ({ params }) => {
    const page = Number(params?.cursor ?? 0)
    const tools = Array.from({ length: perPage }, (_, index) => ({
      name: `tool_${page}_${index}`,
      inputSchema,
      annotations,
    }))
    const more = state.grown ? [{ name: 'grown', inputSchema, annotations }] : []
    return {
      tools: page === 0 ? [...special, ...more, ...tools] : tools,
      ...(page + 1 < pages && { nextCursor: String(page + 1) }),
    }
  })
  server.server.setRequestHandler('tools/call', ({ params }, { mcpReq }): CallToolResult | InputRequiredResult => {
    state.calls.push(params.name)
    const text = (said: string): CallToolResult['content'] => [{ type: 'text', text: said }]
    switch (params.name) {
      case 'grow':
        state.grown = true
        onGrown?.()
        return { content: text('grown') }
      case 'weather':
        return { content: text('{"celsius":9}'), structuredContent: { celsius: 9 } }
      case 'liar':
        return { content: text('{"celsius":"warm"}'), structuredContent: { celsius: 'warm' } }
      case 'silent':
        return { content: text('no data') }
      case 'ask': {
        const name = mcpReq.inputResponses?.['name']
        if (name !== undefined) return { content: text(JSON.stringify(name)) }
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const
        return inputRequired({
          inputRequests: { name: inputRequired.elicit({ message: 'Who are you?', requestedSchema }) },
        })
      }
      default:
        return { content: text(params.name) }
    }
  })
  return server
}
