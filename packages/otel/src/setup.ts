import type { Adapter, ToolCallInfo } from '@steploop/core'
import { createNoopMeter, logs, metrics, trace, type Logger, type Meter, type Tracer } from '@opentelemetry/api'
import type { ContentOptions } from './content.ts'
import { makeInstruments, type Instruments } from './instruments.ts'
import { modelNames, toolNames, type ModelName, type ToolName } from './made-once.ts'
import { namesOf, pinned, type Conventions, type Names } from './names.ts'
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
  const named = plainAgent(agent)
  return {
    conventions,
    names,
    agent: named,
    content: content && { on: content, redact, maxLength },
    suspendedRuns: options.suspendedRuns ?? ownSuspendedRuns,
    nameOf: modelNames(names),
    toolOf: toolNames(names, named),
    signals: signalsOf(options, conventions),
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
