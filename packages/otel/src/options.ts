import * as api from '@opentelemetry/api'
import type { LoggerProvider, MeterProvider, TracerProvider } from '@opentelemetry/api'
import { LoopError } from '@steploop/core'
import type { Redact } from './content.ts'
import { pinned, type Conventions } from './names.ts'

export interface TelemetryOptions {
  /** The agent, in span names and metrics. `id` and `version` are exported where the conventions have them. */
  readonly agent?: AgentOptions | undefined
  /**
   * Exports instructions, messages, tool definitions, arguments and results: on the spans, or in an event per request
   * (`gen_ai.client.inference.operation.details`) that a log pipeline can keep elsewhere. Default: neither.
   */
  readonly content?: 'spans' | 'events' | undefined
  /**
   * Gives what is exported in place of content; `undefined`: nothing. It is called at once: a promise is not waited for, and neither that nor
   * what it throws is exported. Only with `content`.
   */
  readonly redact?: Redact | undefined
  /** Characters of one piece of content, as JSON; texts in longer ones are cut. Default 65,536. Only with `content`. */
  readonly maxLength?: number | undefined
  /**
   * Version of the conventions. Default `current`, the pinned commit of the GenAI conventions; `v1.41` for backends that still read the last
   * release with them.
   */
  readonly conventions?: Conventions | undefined
  /** Default: the global ones of `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider | undefined
  readonly meterProvider?: MeterProvider | undefined
  readonly loggerProvider?: LoggerProvider | undefined
  /**
   * Where a run that waits leaves its `traceparent` for the run that goes on, by transcript id; for processes that share a store. `get` must
   * answer at once, not with a promise; an entry is of use as long as its transcript. Default: this process, for the last 1,000 runs.
   */
  readonly suspendedRuns?: SuspendedRuns | undefined
}

export interface AgentOptions {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly id?: string | undefined
  readonly version?: string | undefined
}

export interface SuspendedRuns {
  get(transcriptId: string): string | undefined
  set(transcriptId: string, traceparent: string): unknown
}

const kinds: Readonly<Record<keyof TelemetryOptions, (value: unknown) => string | undefined>> = {
  agent: agentProblem,
  content: (value) => oneOf(value, ['spans', 'events']),
  redact: (value) => (typeof value === 'function' ? undefined : 'Give a function of a kind and a value.'),
  maxLength: (value) =>
    Number.isInteger(value) && (value as number) > 0 ? undefined : 'Give a whole number of characters from 1.',
  conventions: (value) => oneOf(value, Object.keys(pinned)),
  tracerProvider: (value) => hasMethods(value, ['getTracer']),
  meterProvider: (value) => hasMethods(value, ['getMeter']),
  loggerProvider: (value) => hasMethods(value, ['getLogger']),
  suspendedRuns: (value) => hasMethods(value, ['get', 'set']),
}

/** Throws `LoopError` `invalid-options`. */
export function checkOptions(options: TelemetryOptions): void {
  if (!isObject(options)) throw invalid(`It got ${typeof options}. Give an object of options, or nothing.`)
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(kinds, name))
      throw invalid(`\`${name}\` is no option. There are: ${Object.keys(kinds).join(', ')}.`)
    if (value === undefined) continue
    const problem = kinds[name as keyof TelemetryOptions](value)
    if (problem !== undefined) throw invalid(`\`${name}\` is no such thing. ${problem}`)
  }
  for (const name of ['redact', 'maxLength'] as const) {
    if (options[name] !== undefined && options.content === undefined)
      throw invalid(`\`${name}\` has nothing to do: no content is exported without \`content: 'spans'\` or 'events'.`)
  }
}

function oneOf(value: unknown, words: readonly string[]): string | undefined {
  return words.includes(value as string) ? undefined : `It takes: ${words.join(', ')}.`
}

function hasMethods(value: unknown, names: readonly string[]): string | undefined {
  const has = isObject(value) && names.every((name) => typeof value[name] === 'function')
  return has ? undefined : `Give an object with ${names.join(', ')}.`
}

function agentProblem(value: unknown): string | undefined {
  const names = ['name', 'description', 'id', 'version']
  const fits = isObject(value) && Object.entries(value).every(([name, text]) => names.includes(name) && isText(text))
  return fits ? undefined : `Give an object of texts: ${names.join(', ')}.`
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(what: string): LoopError {
  return new LoopError('invalid-options', `\`telemetry\`: ${what}`)
}

/** Where every copy of the API keeps what was registered, and the version of the one that did. */
const globalKey = Symbol.for('opentelemetry.js.api.1')

interface GlobalApi {
  readonly version?: string | undefined
  readonly trace?: unknown
}

/** Parts of the API that are looked at here; older ones lack the logs. */
export type ApiParts = Pick<typeof api, 'trace' | 'diag'> & { readonly logs?: unknown }

/**
 * Throws `LoopError` `invalid-options` for an API older than 1.10, and for an SDK that was registered with another copy which this one
 * cannot see: nothing would be exported, and nobody told why.
 */
export function checkApi(parts: ApiParts = api): void {
  if (parts.logs === undefined) {
    throw invalid(`It needs @opentelemetry/api 1.10 or newer, and has ${versionOf(parts)}. Update @opentelemetry/api.`)
  }
  const registered = globalApi()
  if (registered?.trace !== undefined && parts.trace.getTracerProvider() !== registered.trace) {
    throw invalid(
      `The SDK was registered with another copy of @opentelemetry/api, ${registered.version}, that this one cannot read. Install one version of it, 1.10 or newer, for all.`,
    )
  }
}

function globalApi(): GlobalApi | undefined {
  return (globalThis as { readonly [globalKey]?: GlobalApi })[globalKey]
}

/** An API tells its version only by registering something. */
function versionOf({ diag }: ApiParts): string {
  const registered = globalApi()
  if (registered?.version !== undefined) return registered.version
  const quiet = (): void => undefined
  diag.setLogger({ error: quiet, warn: quiet, info: quiet, debug: quiet, verbose: quiet })
  const version = globalApi()?.version
  diag.disable()
  Reflect.deleteProperty(globalThis, globalKey)
  return version ?? 'an older one'
}
