import { isObject } from '@steploop/core/adapter'

/** Where `@opentelemetry/api` keeps what an application has set up, whichever of its copies asks. */
const globalKey = Symbol.for('opentelemetry.js.api.1')

/** The active span: `traceparent`, and `tracestate` where there is one. Baggage stays here. `undefined` without a tracer. */
export function traceContext(): Readonly<Record<string, string>> | undefined {
  const carrier: Record<string, string> = {}
  const active = safely(({ context }) => context?.active())
  safely(({ propagation }) =>
    propagation?.inject(active, carrier, {
      set(target, key, value) {
        if (key === 'traceparent' || key === 'tracestate') target[key] = value
      },
    }),
  )
  return Object.keys(carrier).length === 0 ? undefined : carrier
}

/** Where telemetry keeps the function that takes what is to be said of a call, whatever span is active in it. */
const toolCallKey = Symbol.for('steploop.tool-call')

/** Says of the call, where telemetry sees it, that it went to an MCP server. */
export function markCall(facts: {
  readonly protocolVersion: string | undefined
  readonly sessionId: string | undefined
}): void {
  const { protocolVersion, sessionId } = facts
  tell({
    'mcp.method.name': 'tools/call',
    ...(protocolVersion !== undefined && { 'mcp.protocol.version': protocolVersion }),
    ...(sessionId !== undefined && { 'mcp.session.id': sessionId }),
  })
}

/** Says of the call that the server's tool failed: what the conventions call a result with `isError`. */
export function markToolError(): void {
  tell({ 'error.type': 'tool_error' })
}

function tell(attributes: Readonly<Record<string, string>>): void {
  const active = safely(({ context }) => context?.active()) as CallContext | undefined
  safely(() => active?.getValue?.(toolCallKey)?.(attributes))
}

/** What fails in telemetry is not the call's business, at once or later: a promise is none of its answers. */
function safely<T>(ask: (api: Partial<TracingApi>) => T): T | undefined {
  const api: unknown = (globalThis as Readonly<Record<symbol, unknown>>)[globalKey]
  if (!isObject(api)) return undefined
  try {
    const result = ask(api)
    if (!(result instanceof Promise)) return result
    result.catch(() => undefined)
  } catch {
    // The call goes on without telemetry.
  }
  return undefined
}

interface CallContext {
  getValue?(key: symbol): ((attributes: Readonly<Record<string, string>>) => void) | undefined
}

interface TracingApi {
  readonly context: { active(): unknown }
  readonly propagation: {
    inject(
      context: unknown,
      carrier: Record<string, string>,
      setter: { set(target: Record<string, string>, key: string, value: string): void },
    ): void
  }
}
