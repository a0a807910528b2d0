import type { Adapter } from '@steploop/core'
import {
  createNoopMeter,
  logs,
  metrics,
  trace,
  type Attributes,
  type Logger,
  type Meter,
  type Tracer,
} from '@opentelemetry/api'
import type { ContentOptions } from './content.ts'
import { makeInstruments, type Instruments } from './instruments.ts'
import { namesOf, operations, pinned, providerName, type Conventions, type Names } from './names.ts'
import type { AgentOptions, SuspendedRuns, TelemetryOptions } from './options.ts'
import { ownSuspendedRuns } from './suspended-runs.ts'
import { plainName, safely } from './safely.ts'

/** What all runs with one policy share. */
export interface Setup {
  readonly conventions: Conventions
  readonly names: Names
  readonly agent: AgentOptions
  readonly content: (ContentOptions & { readonly on: 'spans' | 'events' }) | undefined
  readonly suspendedRuns: SuspendedRuns
  readonly nameOf: (model: Adapter) => ModelName
  /** What is there to export to, now: an SDK may be registered later, or never. */
  readonly signals: () => Signals
}

/** A model in the words of the conventions. */
export interface ModelName {
  readonly provider: string
  readonly model: string
  /** Of the metrics of its requests. */
  readonly labels: Attributes
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
  return {
    conventions,
    names: namesOf(conventions),
    agent: plainAgent(agent),
    content: content && { on: content, redact, maxLength },
    suspendedRuns: options.suspendedRuns ?? ownSuspendedRuns,
    nameOf: modelNames(namesOf(conventions)),
    signals: signalsOf(options, conventions),
  }
}

/** Each model is asked many times. */
function modelNames(names: Names): Setup['nameOf'] {
  const made = new WeakMap<Adapter, ModelName>()
  return (adapter) => {
    const before = made.get(adapter)
    if (before !== undefined) return before
    const provider = plainName(providerName(adapter.provider))
    const model = plainName(adapter.model)
    const labels = { [names.operation]: operations.chat, [names.provider]: provider, [names.requestModel]: model }
    made.set(adapter, { provider, model, labels })
    return { provider, model, labels }
  }
}

function signalsOf(options: TelemetryOptions, conventions: Conventions): Setup['signals'] {
  const { schemaUrl } = pinned[conventions]
  let known: { readonly meter: Meter; readonly instruments: Instruments } | undefined
  const instrumentsOf = (meter: Meter | undefined): Instruments | undefined => {
    if (meter === undefined || meter === createNoopMeter()) return undefined
    if (known?.meter !== meter) known = { meter, instruments: makeInstruments(meter, conventions) }
    return known.instruments
  }
  return () => ({
    tracer: safely(() => tracerOf(options, schemaUrl)),
    instruments: safely(() => instrumentsOf(meterOf(options, schemaUrl))),
    logger: options.content === 'events' ? safely(() => loggerOf(options, schemaUrl)) : undefined,
  })
}

/** The global provider hands on to an SDK, once there is one; before that its tracers are for nobody. */
function tracerOf({ tracerProvider }: TelemetryOptions, schemaUrl: string): Tracer | undefined {
  const provider = tracerProvider ?? trace.getTracerProvider()
  const { getDelegateTracer } = provider as {
    getDelegateTracer?: (name: string, version: undefined, options: { schemaUrl: string }) => Tracer | undefined
  }
  if (typeof getDelegateTracer === 'function') return getDelegateTracer.call(provider, scope, undefined, { schemaUrl })
  return provider.getTracer(scope, undefined, { schemaUrl })
}

/** By provider: an SDK makes a meter anew, or looks it up, whenever it is asked. */
const meters = new WeakMap<object, Map<string, Meter>>()

function meterOf({ meterProvider }: TelemetryOptions, schemaUrl: string): Meter {
  const provider = meterProvider ?? metrics.getMeterProvider()
  const ofProvider = meters.get(provider) ?? new Map<string, Meter>()
  meters.set(provider, ofProvider)
  const meter = ofProvider.get(schemaUrl) ?? provider.getMeter(scope, undefined, { schemaUrl })
  ofProvider.set(schemaUrl, meter)
  return meter
}

function loggerOf({ loggerProvider }: TelemetryOptions, schemaUrl: string): Logger {
  return (loggerProvider ?? logs.getLoggerProvider()).getLogger(scope, undefined, { schemaUrl })
}

function plainAgent({ name, description, id, version }: AgentOptions): AgentOptions {
  const plain = (text: string | undefined): string | undefined => text && plainName(text)
  return { name: plain(name), description: plain(description), id: plain(id), version: plain(version) }
}
