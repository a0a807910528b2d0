import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SpanKind, type Attributes } from '@opentelemetry/api'
import { DataPointType, type MetricData } from '@opentelemetry/sdk-metrics'
import { AdapterError, tool } from '@steploop/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { detailsEvent, finishReasonName, own, pinned, providerName, type Conventions } from './names.ts'
import { call, look, loopOf, memorySdk } from './testing.ts'

type Level = 'required' | 'conditionally_required' | 'recommended' | 'opt_in'
type Known = Readonly<Record<string, readonly [type: string, level: Level]>>

interface Registry {
  readonly source: { readonly commit: string; readonly schemaUrl: string }
  readonly spans: Readonly<
    Record<string, { readonly operation: string; readonly kind: string; readonly attributes: Known }>
  >
  readonly metrics: Readonly<
    Record<
      string,
      {
        readonly instrument: string
        readonly unit: string
        readonly buckets?: readonly number[]
        readonly attributes: Known
      }
    >
  >
  readonly events: Readonly<Record<string, { readonly attributes: Known }>>
}

const registryOf = (conventions: Conventions): Registry =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, `../registry/${conventions}.json`), 'utf8')) as Registry

/** Everything that there is to say, said once. */
async function everything(conventions: Conventions, content?: 'spans' | 'events') {
  const sdk = memorySdk()
  const agent = { name: 'scout', description: 'Scouts.', id: 'a1', version: '2' }
  const usage = { inputTokens: 9, outputTokens: 5, cachedInputTokens: 2, cacheWriteTokens: 1, reasoningTokens: 3 }
  const broken = tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error('no')) })
  const failing = new AdapterError({ provider: 's', model: 'm', code: 'overloaded', retryAfterMs: 0 })
  const calls = ['look', 'broken', 'ghost'].map((toolName) => ({ ...call, toolName }))
  const { loop } = loopOf(
    [failing, { parts: calls, usage, responseId: 'r' }, { parts: [{ type: 'text', text: '{"n":1}' }], usage }],
    {
      sdk,
      tools: { look, broken },
      telemetry: { agent, conventions, content },
      instructions: 'Be brief.',
      maxOutputTokens: 100,
      temperature: 0.1,
      topP: 0.2,
      topK: 3,
      frequencyPenalty: 0.4,
      presencePenalty: 0.5,
      seed: 6,
      stopSequences: ['end'],
      reasoning: 'low',
      output: { schema: z.object({ n: z.number() }) },
    },
  )
  await loop.stream('x').result
  await loopOf([failing], { sdk, maxRetries: 0, telemetry: { agent, conventions, content } })
    .loop.generate('x')
    .catch(() => undefined)
  return { sdk, metrics: await sdk.metrics() }
}

function fits(value: unknown, type: string): boolean {
  switch (type) {
    case 'any':
    case 'string':
      return typeof value === 'string'
    case 'int':
      return Number.isInteger(value)
    case 'double':
      return typeof value === 'number'
    case 'string[]':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
    default:
      return typeof value === type
  }
}

const ours: ReadonlySet<string> = new Set(Object.values(own))

function problemsOf(attributes: Attributes, known: Known, content: boolean): readonly string[] {
  const strange = Object.entries(attributes).flatMap(([name, value]) => {
    if (ours.has(name)) return []
    const entry = Object.hasOwn(known, name) ? known[name] : undefined
    if (entry === undefined) return [`${name} is not there`]
    if (entry[1] === 'opt_in' && !content) return [`${name} is to be asked for`]
    return fits(value, entry[0]) ? [] : [`${name} is no ${entry[0]}: ${JSON.stringify(value)}`]
  })
  const missing = Object.entries(known).filter(
    ([name, [, level]]) => level === 'required' && attributes[name] === undefined,
  )
  return [...strange, ...missing.map(([name]) => `${name} is required`)]
}

describe.each(['current', 'v1.41'] as const)('what is emitted by the conventions `%s`', (conventions) => {
  const registry = registryOf(conventions)
  const spanOf = (operation: unknown) => Object.values(registry.spans).find((span) => span.operation === operation)

  test('what is emitted is pinned to what the copy of the registry was made from', () => {
    expect(pinned[conventions]).toMatchObject({ commit: registry.source.commit, schemaUrl: registry.source.schemaUrl })
  })

  test.each([undefined, 'spans'] as const)(
    'spans: names, kinds, types and levels, with content: %s',
    async (content) => {
      const { sdk } = await everything(conventions, content)
      expect(sdk.spans).toHaveLength(8)
      const problems = sdk.spans.flatMap((span) => {
        const known = spanOf(span.attributes['gen_ai.operation.name'])
        const kind = known?.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL
        if (known === undefined || span.kind !== kind) return [`${span.name} is none`]
        return problemsOf(span.attributes, known.attributes, content !== undefined).map(
          (what) => `${span.name}: ${what}`,
        )
      })
      expect(problems).toEqual([])
      expect(new Set(sdk.spans.map((span) => span.instrumentationScope.schemaUrl))).toEqual(
        new Set([registry.source.schemaUrl]),
      )
    },
  )

  test('each request has one event with its details, and content stands in no span', async () => {
    const { sdk } = await everything(conventions, 'events')
    const logs = sdk.logs()
    expect(logs.map(({ eventName }) => eventName)).toEqual(Array.from({ length: 4 }, () => detailsEvent))
    const known = registry.events[detailsEvent]?.attributes ?? {}
    expect(logs.flatMap(({ attributes }) => problemsOf(attributes, known, true))).toEqual([])
    const chats = sdk.named('chat').map((span) => span.spanContext().spanId)
    expect(logs.map(({ spanContext }) => spanContext?.spanId)).toEqual(chats)
    const exported = sdk.spans.flatMap(({ attributes }) => Object.keys(attributes))
    expect(exported.filter((name) => /messages|instructions|definitions|arguments|result/.test(name))).toEqual([])
  })

  test('metrics are all that the registry has for a client, with units, buckets, types and levels', async () => {
    const { metrics } = await everything(conventions)
    expect(metrics.map(({ descriptor }) => descriptor.name).toSorted()).toEqual(
      Object.keys(registry.metrics).toSorted(),
    )
    const problems = metrics.flatMap((metric) => {
      const known = registry.metrics[metric.descriptor.name]
      if (known === undefined) return ['unknown']
      const points = metric.dataPoints.flatMap(({ attributes }) => problemsOf(attributes, known.attributes, false))
      return [...shapeProblems(metric, known), ...points].map((what) => `${metric.descriptor.name}: ${what}`)
    })
    expect(problems).toEqual([])
  })

  test('metrics are of low cardinality, without ids', async () => {
    const { metrics } = await everything(conventions)
    const labels = metrics.flatMap(({ dataPoints }) => dataPoints.flatMap(({ attributes }) => Object.keys(attributes)))
    expect([...new Set(labels)].filter((name) => /\bid$|conversation|message|step/.test(name))).toEqual([])
  })
})

function shapeProblems(metric: MetricData, known: Registry['metrics'][string]): readonly string[] {
  const counter = metric.dataPointType === DataPointType.SUM
  const shape = { instrument: counter ? 'counter' : 'histogram', unit: metric.descriptor.unit }
  const problems = shape.instrument === known.instrument && shape.unit === known.unit ? [] : [JSON.stringify(shape)]
  if (metric.dataPointType !== DataPointType.HISTOGRAM) return problems
  const wrong = metric.dataPoints.filter(({ value }) => value.buckets.boundaries.join() !== known.buckets?.join())
  return [...problems, ...wrong.map(({ value }) => `buckets ${value.buckets.boundaries.join()}`)]
}

test('tokens are counted once, requests and calls per run', async () => {
  const { metrics } = await everything('current')
  const sum = (name: string): number => {
    const metric = metrics.find(({ descriptor }) => descriptor.name === name)
    if (metric?.dataPointType === DataPointType.SUM) return metric.dataPoints.reduce((all, { value }) => all + value, 0)
    if (metric?.dataPointType !== DataPointType.HISTOGRAM) return Number.NaN
    return metric.dataPoints.reduce((all, { value }) => all + (value.sum ?? 0), 0)
  }
  expect({
    input: sum('gen_ai.client.inference.usage.input_tokens'),
    output: sum('gen_ai.client.inference.usage.output_tokens'),
    perRequest: sum('gen_ai.client.inference.operation.input_tokens'),
    requests: sum('gen_ai.invoke_agent.inference_calls'),
    calls: sum('gen_ai.invoke_agent.tool_calls'),
  }).toEqual({ input: 18, output: 10, perRequest: 18, requests: 4, calls: 2 })
})

test('providers and reasons that the conventions know have their names, others keep their own', () => {
  expect(['gemini', 'mistral', 'xai', 'openai', 'acme', 'toString'].map(providerName)).toEqual([
    'gcp.gemini',
    'mistral_ai',
    'x_ai',
    'openai',
    'acme',
    'toString',
  ])
  expect(['tool-calls', 'content-filter', 'stop', 'constructor', 7].map(finishReasonName)).toEqual([
    'tool_call',
    'content_filter',
    'stop',
    'constructor',
    'unknown',
  ])
})
