import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace'
import { StepLoop, tool, type Policy } from '@steploop/core'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { telemetry } from '@steploop/otel'
import { workloads, type Workload } from './answers.ts'
import { baseURL, parameters, prompt, weather } from './contestants/contestant.ts'
import { cpuPerRun, estimate, median, type Estimate } from './measure.ts'
import { scriptedFetch } from './scripted-fetch.ts'

export interface TelemetryCost {
  readonly workload: string
  /** CPU of a run with the policy over one without: no SDK there, and one with batches of spans and with metrics. */
  readonly withoutSdk: Estimate
  readonly withSdk: Estimate
}

type Way = 'plain' | 'withoutSdk' | 'withSdk'

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
  return [telemetry({ tracerProvider, meterProvider: new MeterProvider() })]
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

const nothing = (): Promise<void> => Promise.resolve()

/** In interleaved rounds of one process; the first round warms up. */
export async function measureTelemetry(
  rounds: number,
  windowMs: number,
  ids: readonly string[],
): Promise<readonly TelemetryCost[]> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const costs: TelemetryCost[] = []
  for (const workload of workloads.filter(({ id }) => ids.includes(id))) {
    const ways = ['plain', 'withoutSdk', 'withSdk'] as const
    const programs = ways.map((way) => programOf(workload, way))
    const ratios: { withoutSdk: number[]; withSdk: number[] } = { withoutSdk: [], withSdk: [] }
    for (let round = -1; round < rounds; round++) {
      const times: number[] = []
      const order = round % 2 === 0 ? [0, 1, 2] : [2, 1, 0]
      for (const index of order) {
        const run = programs[index] ?? nothing
        times[index] = await cpuPerRun(run, round < 0 ? windowMs * 5 : windowMs)
      }
      const [plain = Number.NaN, withoutSdk = Number.NaN, withSdk = Number.NaN] = times
      if (round < 0) continue
      ratios.withoutSdk.push(withoutSdk / plain)
      ratios.withSdk.push(withSdk / plain)
    }
    costs.push({
      workload: workload.id,
      withoutSdk: estimate(ratios.withoutSdk),
      withSdk: estimate(ratios.withSdk),
    })
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
  const watched = await growth('withSdk')
  return median([watched / plain])
}
