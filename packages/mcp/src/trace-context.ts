import { isObject } from '@steploop/core/adapter'

/** Where `@opentelemetry/api` keeps what an application has set up, whichever of its copies asks. */
const globalKey = Symbol.for('opentelemetry.js.api.1')

/** The active span: `traceparent`, and `tracestate` where there is one. Baggage stays here. `undefined` without a tracer. */
export function traceContext(): Readonly<Record<string, string>> | undefined {
  const api: unknown = (globalThis as Readonly<Record<symbol, unknown>>)[globalKey]
  if (!isObject(api)) return undefined
  const { context, propagation } = api as unknown as Partial<TracingApi>
  if (context === undefined || propagation === undefined) return undefined
  const carrier: Record<string, string> = {}
  try {
    propagation.inject(context.active(), carrier, {
      set(target, key, value) {
        if (key === 'traceparent' || key === 'tracestate') target[key] = value
      },
    })
  } catch {
    return undefined
  }
  return Object.keys(carrier).length === 0 ? undefined : carrier
}

/** Where the API keeps the span in a context. */
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN')

/** Says of the span of the call, where telemetry made one, that it went to an MCP server. */
export function markCall(facts: {
  readonly protocolVersion: string | undefined
  readonly sessionId: string | undefined
}): void {
  const { protocolVersion, sessionId } = facts
  markSpan({
    'mcp.method.name': 'tools/call',
    ...(protocolVersion !== undefined && { 'mcp.protocol.version': protocolVersion }),
    ...(sessionId !== undefined && { 'mcp.session.id': sessionId }),
  })
}

/** Says of the span of the call that the server's tool failed: what the conventions call a result with `isError`. */
export function markToolError(): void {
  markSpan({ 'error.type': 'tool_error' })
}

/** Any span but that of the call is none of ours. */
function markSpan(attributes: Readonly<Record<string, string>>): void {
  const api: unknown = (globalThis as Readonly<Record<symbol, unknown>>)[globalKey]
  if (!isObject(api)) return
  try {
    const active = (api as unknown as Partial<TracingApi>).context?.active() as SpanContext | undefined
    const span = active?.getValue?.(spanKey)
    if (span?.attributes?.['gen_ai.operation.name'] === 'execute_tool') span.setAttributes(attributes)
  } catch {
    // What fails in telemetry is not the call's business.
  }
}

interface SpanContext {
  getValue?(key: symbol): CallSpan | undefined
}

interface CallSpan {
  readonly attributes?: Readonly<Record<string, unknown>>
  setAttributes(attributes: Readonly<Record<string, string>>): unknown
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
