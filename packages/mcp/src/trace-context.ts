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
