/** An application with the whole SDK and the instrumentation of `node:http`: a run whose model and tool both make a request. */
import { createRequire } from 'node:module'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { StepLoop, tool } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { telemetry } from '@steploop/otel'
import { z } from 'zod'

const [receiver = '', page = ''] = process.argv.slice(2)
const sdk = new NodeSDK({
  traceExporter: new OTLPTraceExporter({ url: `${receiver}/v1/traces` }),
  metricReaders: [
    new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter({ url: `${receiver}/v1/metrics` }) }),
  ],
  instrumentations: [new HttpInstrumentation()],
})
sdk.start()

// The instrumentation sees modules that are required from now on.
const http = createRequire(import.meta.url)('node:http') as typeof import('node:http')

const get = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    http
      .get(url, (response) => {
        response.resume().on('end', () => resolve(String(response.statusCode)))
      })
      .on('error', reject)
  })

const script = scriptedAdapter([[{ type: 'call', toolName: 'fetch', input: {} }], 'done'])
const turn = script.turn.bind(script)
const model = {
  ...script,
  async *turn(...given: Parameters<typeof turn>) {
    await get(`${page}/model`)
    yield* turn(...given)
  },
}
const tools = { fetch: tool({ inputSchema: z.object({}), execute: () => get(`${page}/tool`) }) }
const loop = new StepLoop({ model, tools, policies: [telemetry({ agent: { name: 'app' } })] })
for await (const event of loop.stream('x')) if (event.type === 'run-error') throw event.error
await sdk.shutdown()
