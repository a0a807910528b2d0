import { context, createNoopMeter, trace, type Attributes, type Meter } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { StepLoop, tool } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { telemetry, type TelemetryOptions } from '@steploop/otel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { connectFake } from '../../packages/mcp/test/testing.ts'
import { recordTrace } from './trace-checker.ts'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => {
  context.disable()
  trace.disable()
})

const answers: Readonly<Record<string, () => unknown>> = {
  works: () => ({ content: [{ type: 'text', text: 'it went well' }] }),
  fails: () => ({ content: [{ type: 'text', text: 'a secret reason' }], isError: true }),
  breaks: () => Promise.reject(new Error('a secret reason')),
}

/** Calls every tool, and one that asks another of them when the first fails. */
async function play(options: TelemetryOptions): Promise<void> {
  const inputSchema = { type: 'object' }
  const names = Object.keys(answers)
  const call = (name: string): unknown => answers[name]?.()
  const connection = await connectFake(
    { tools: names.map((name) => ({ name, inputSchema })), call },
    { approve: 'never' },
  )
  const tools = await connection.tools()
  const recovers = tool({
    inputSchema: z.object({}),
    execute: async (_input, measuredCalls) => {
      const { fails } = tools
      if (fails !== undefined && 'execute' in fails) await fails.execute?.({} as never, measuredCalls)
      return 'it went well after all'
    },
  })
  const calls = [...names, 'recovers'].map((toolName) => ({ type: 'call', toolName, input: {} }) as const)
  const loop = new StepLoop({
    model: scriptedAdapter([calls, 'done']),
    tools: { ...tools, recovers },
    policies: [telemetry(options)],
  })
  await loop.generate('x')
  await connection.close()
}

const seen: readonly (readonly [string, string | undefined])[] = [
  ['works', undefined],
  ['fails', 'tool_error'],
  ['breaks', 'tool-failed'],
  ['recovers', undefined],
]

test('a tool of MCP that says `isError` has the error `tool_error`, a call that fails on its way has ours', async () => {
  const recorded = recordTrace()
  await play({ tracerProvider: recorded.provider })
  const spans = recorded.begun.filter(({ name }) => name.startsWith('execute_tool'))
  expect(spans.map(({ attributes }) => [attributes['gen_ai.tool.name'], attributes['error.type']])).toEqual(seen)
  expect(spans.map(({ attributes }) => attributes['mcp.method.name'])).toEqual(spans.map(() => 'tools/call'))
  expect(JSON.stringify(spans.map(({ attributes, status }) => [attributes, status]))).not.toContain('secret')
})

test('metrics say the same of a call that is not sampled', async () => {
  const measured: Attributes[] = []
  const meter = Object.assign(Object.create(createNoopMeter()) as Meter, {
    createHistogram: (name: string) => ({
      record: (_value: number, labels: Attributes) => void (name.startsWith('gen_ai.execute') && measured.push(labels)),
    }),
  })
  const tracerProvider = new TracerProvider({ sampler: new AlwaysOffSampler() })
  await play({ tracerProvider, meterProvider: { getMeter: () => meter } })
  const measuredCalls = measured.map((labels) => [labels['gen_ai.tool.name'], labels['error.type']] as const)
  expect(new Map(measuredCalls)).toEqual(new Map(seen))
})
