import { context, trace, type Context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricData,
} from '@opentelemetry/sdk-metrics'
import { TracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace'
import { StepLoop, tool, type StepLoopOptions } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { z } from 'zod'
import type { TelemetryOptions } from './options.ts'
import { telemetry } from './telemetry.ts'

/** An SDK that keeps everything in memory. */
export function memorySdk() {
  // Only the first of a process is taken.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const spans: ReadableSpan[] = []
  let open = 0
  const processor: SpanProcessor = {
    onStart: () => void open++,
    onEnd(span) {
      open--
      spans.push(span)
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })
  const logExporter = new InMemoryLogRecordExporter()
  return {
    options: {
      tracerProvider: new TracerProvider({ spanProcessors: [processor] }),
      meterProvider: new MeterProvider({ readers: [reader] }),
      loggerProvider: new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: logExporter })] }),
    },
    /** Ended ones, in the order of their ends. */
    spans,
    open: () => open,
    named: (start: string) => spans.filter(({ name }) => name.startsWith(start)),
    async metrics(): Promise<readonly MetricData[]> {
      await reader.forceFlush()
      const last = metricExporter.getMetrics().at(-1)
      return last?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? []
    },
    logs: () => logExporter.getFinishedLogRecords(),
  }
}

/** Below a span of a caller. */
export function below<T>(sdk: ReturnType<typeof memorySdk>, name: string, work: (active: Context) => T): T {
  const span = sdk.options.tracerProvider.getTracer('caller').startSpan(name)
  const active = trace.setSpan(context.active(), span)
  try {
    return context.with(active, () => work(active))
  } finally {
    span.end()
  }
}

export function parentOf(span: ReadableSpan, spans: readonly ReadableSpan[]): string | undefined {
  return spans.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)?.name
}

export const look = tool({ description: 'Looks.', inputSchema: z.object({}), execute: () => 'seen' })
export const call = { type: 'call', toolName: 'look', input: {} } as const

/** A loop over a script, seen by an SDK. */
export function loopOf(
  turns: readonly ScriptedTurn[],
  {
    sdk = memorySdk(),
    ...given
  }: Partial<StepLoopOptions> & { sdk?: ReturnType<typeof memorySdk> } & {
    telemetry?: TelemetryOptions
  } = {},
) {
  const { telemetry: options, ...rest } = given
  const model = scriptedAdapter(turns)
  const policies = [telemetry({ ...sdk.options, ...options })]
  return { sdk, model, loop: new StepLoop({ model, tools: { look }, generateId: () => 'chat', policies, ...rest }) }
}
