import type { Adapter, ToolCallInfo } from '@steploop/core'
import { createNoopMeter, logs, metrics, trace, type Attributes, type Logger, type Tracer } from '@opentelemetry/api'
import type { ContentOptions } from './content.ts'
import { makeInstruments, type Instruments } from './instruments.ts'
import { modelNames, toolNames, type ModelName, type ToolName } from './cached-names.ts'
import { namesOf, pinned, type Conventions, type Names } from './names.ts'
import type { AgentOptions, SuspendedRuns, TelemetryOptions } from './options.ts'
import { ownSuspendedRuns } from './suspended-runs.ts'
import { plainText, safely } from './safely.ts'

/** What all runs with one policy share. */
export interface Setup {
  readonly conventions: Conventions
  readonly names: Names
  readonly agent: AgentOptions
  /** What metrics say of the agent. */
  readonly agentLabels: Attributes
  readonly content: (ContentOptions & { readonly on: 'spans' | 'events' }) | undefined
  readonly suspendedRuns: SuspendedRuns
  readonly nameOf: (model: Adapter) => ModelName
  readonly toolOf: (call: ToolCallInfo) => ToolName
  /** What is there to export to, now: an SDK may be registered later, or never. */
  readonly signals: () => Signals
}

export interface Signals {
  readonly tracer: Tracer | undefined
  readonly instruments: Instruments | undefined
  readonly logger: Logger | undefined
}

const scope = '@steploop/otel'
const longestContent = 65_536

export function makeSetup(options: TelemetryOptions): Setup {
  const { conventions = 'current', agent = {}, content, redact, maxLength = longestContent } = options
  const names = namesOf(conventions)
  const cleanAgent = plainAgent(agent)
  const agentLabels = Object.freeze(cleanAgent.name === undefined ? {} : { [names.agentName]: cleanAgent.name })
  return {
    conventions,
    names,
    agent: cleanAgent,
    agentLabels,
    content: content && { on: content, redact, maxLength },
    suspendedRuns: options.suspendedRuns ?? ownSuspendedRuns,
    nameOf: modelNames(names),
    toolOf: toolNames(names, agentLabels),
    signals: signalsOf(options, conventions),
  }
}

function signalsOf(options: TelemetryOptions, conventions: Conventions): Setup['signals'] {
  const { schemaUrl } = pinned[conventions]
  return () => ({
    tracer: safely(() => tracerOf(options, schemaUrl)),
    instruments: safely(() => instrumentsOf(options, conventions)),
    logger: options.content === 'events' ? safely(() => loggerOf(options, schemaUrl)) : undefined,
  })
}

/** The global provider hands on to an SDK, once there is one; before that its tracers do nothing. */
function tracerOf({ tracerProvider }: TelemetryOptions, schemaUrl: string): Tracer | undefined {
  const provider = tracerProvider ?? trace.getTracerProvider()
  const { getDelegateTracer } = provider as {
    getDelegateTracer?: (name: string, version: undefined, options: { schemaUrl: string }) => Tracer | undefined
  }
  if (typeof getDelegateTracer === 'function') return getDelegateTracer.call(provider, scope, undefined, { schemaUrl })
  return provider.getTracer(scope, undefined, { schemaUrl })
}

/** By provider: an SDK makes a meter anew, or looks it up, whenever it is asked. */
const instrumentsByProvider = new WeakMap<object, Map<Conventions, Instruments>>()

function instrumentsOf({ meterProvider }: TelemetryOptions, conventions: Conventions): Instruments | undefined {
  const provider = meterProvider ?? metrics.getMeterProvider()
  const ofProvider = instrumentsByProvider.get(provider) ?? new Map<Conventions, Instruments>()
  instrumentsByProvider.set(provider, ofProvider)
  const cached = ofProvider.get(conventions)
  if (cached !== undefined) return cached
  const meter = safely(() => provider.getMeter(scope, undefined, { schemaUrl: pinned[conventions].schemaUrl }))
  if (meter === undefined || meter === createNoopMeter()) return undefined
  const instruments = makeInstruments(meter, conventions)
  ofProvider.set(conventions, instruments)
  return instruments
}

function loggerOf({ loggerProvider }: TelemetryOptions, schemaUrl: string): Logger {
  return (loggerProvider ?? logs.getLoggerProvider()).getLogger(scope, undefined, { schemaUrl })
}

/** Without what is empty: it would be a name without a name. */
function plainAgent({ name, description, id, version }: AgentOptions): AgentOptions {
  const plain = (text: string | undefined): string | undefined => plainText(text) || undefined
  return { name: plain(name), description: plain(description), id: plain(id), version: plain(version) }
}
