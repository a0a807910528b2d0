import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace'
import { StepLoop, tool, type Policy } from '@steploop/core'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { telemetry } from '@steploop/otel'
import { workloads, type Workload } from './answers.ts'
import { bareTelemetry } from './bare-telemetry.ts'
import { baseURL, parameters, prompt, weather } from './contestants/contestant.ts'
import { cpuPerRun, estimate, median, type Estimate } from './measure.ts'
import { scriptedFetch } from './scripted-fetch.ts'

/** Telemetry without an SDK; with batches of spans; with these and with metrics. The bare ones show what the SDK alone costs. */
export const ways = ['withoutSdk', 'bareSpans', 'spans', 'bareSpansAndMetrics', 'spansAndMetrics'] as const

type Way = 'plain' | (typeof ways)[number]

export interface TelemetryCost {
  readonly workload: string
  /** CPU of a run with the policy over one without. */
  readonly ratios: Readonly<Record<(typeof ways)[number], Estimate>>
}

/** `ExportResultCode.SUCCESS` of a package that the SDK keeps to itself. */
const success = 0 as never

/** A backend that takes everything. */
const exporter: SpanExporter = {
  export: (_spans, done) => done({ code: success }),
  shutdown: () => Promise.resolve(),
}

function policiesOf(way: Way): readonly Policy[] {
  if (way === 'plain') return []
  if (way === 'withoutSdk') return [telemetry()]
  const tracerProvider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const meterProvider = way.endsWith('Metrics') ? new MeterProvider({ readers: [metricReader()] }) : undefined
  return [(way.startsWith('bare') ? bareTelemetry : telemetry)({ tracerProvider, meterProvider })]
}

/** A backend that takes every measurement, and is asked each second: oftener than anybody does. */
function metricReader(): PeriodicExportingMetricReader {
  const done = (): Promise<void> => Promise.resolve()
  const taker: PushMetricExporter = {
    export: (_metrics, taken) => taken({ code: success }),
    forceFlush: done,
    shutdown: done,
  }
  return new PeriodicExportingMetricReader({ exporter: taker, exportIntervalMillis: 1000 })
}

function programOf({ answers, stream }: Workload, way: Way): () => Promise<void> {
  const look = tool({ inputSchema: parameters, execute: (input) => weather(String(input['city'])) })
  const model = createOpenAICompatible({ baseURL, apiKey: 'bench', fetch: scriptedFetch(answers, { stream }) })(
    'bench-1',
  )
  const loop = new StepLoop({
    model,
    tools: { weather: look },
    maxSteps: answers.length + 1,
    policies: policiesOf(way),
  })
  return async () => {
    if (!stream) {
      await loop.generate(prompt)
      return
    }
    for await (const event of loop.stream(prompt)) if (event.type === 'run-error') throw event.error
  }
}

/** In interleaved rounds of one process; the first round warms up. */
export async function measureTelemetry(
  rounds: number,
  windowMs: number,
  ids: readonly string[],
): Promise<readonly TelemetryCost[]> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const costs: TelemetryCost[] = []
  for (const workload of workloads.filter(({ id }) => ids.includes(id))) {
    const all = ['plain', ...ways] as const
    const programs = all.map((way) => ({ way, run: programOf(workload, way) }))
    const rows: Readonly<Record<Way, number>>[] = []
    for (let round = -1; round < rounds; round++) {
      const times: Record<string, number> = {}
      for (const { way, run } of round % 2 === 0 ? programs : programs.toReversed())
        times[way] = await cpuPerRun(run, round < 0 ? windowMs * 5 : windowMs)
      if (round >= 0) rows.push(times as Record<Way, number>)
    }
    const ratios = ways.map((way) => [way, estimate(rows.map((times) => times[way] / times.plain))])
    costs.push({ workload: workload.id, ratios: Object.fromEntries(ratios) as TelemetryCost['ratios'] })
  }
  return costs
}

/** How much larger the heap is after 10,000 runs with an SDK than after the first 1,000, against the same without the policy. */
export async function measureTelemetryGrowth(runs = 10_000): Promise<number> {
  const growth = async (way: Way): Promise<number> => {
    const workload = workloads.find(({ id }) => id === 'W1')
    if (workload === undefined) return Number.NaN
    const run = programOf(workload, way)
    const heap: number[] = []
    for (let count = 0; count <= runs; count++) {
      await run()
      if (count < runs / 10 || count % (runs / 10) !== 0) continue
      // The last batches of spans are sent.
      await new Promise((resolve) => void setTimeout(resolve, 100))
      global.gc?.()
      heap.push(process.memoryUsage().heapUsed)
    }
    return (heap.at(-1) ?? Number.NaN) / (heap[0] ?? Number.NaN)
  }
  const plain = await growth('plain')
  const watched = await growth('spansAndMetrics')
  return median([watched / plain])
}
