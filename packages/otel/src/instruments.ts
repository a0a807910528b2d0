import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api'
import { metricNames, type Conventions, type MetricName } from './names.ts'
import { safely } from './safely.ts'

export const tokenKinds = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const

/** The metrics of one meter. Absent where the conventions have none, or the meter failed to make one. */
export interface Instruments {
  readonly duration: Histogram | undefined
  readonly timeToFirstChunk: Histogram | undefined
  readonly timePerChunk: Histogram | undefined
  readonly tokenUsage: Histogram | undefined
  readonly usage: Readonly<Record<(typeof tokenKinds)[number], Counter | undefined>>
  readonly perRequest: Readonly<Record<'input' | 'output', Histogram | undefined>>
  readonly runDuration: Histogram | undefined
  readonly runRequests: Histogram | undefined
  readonly runCalls: Histogram | undefined
  readonly toolDuration: Histogram | undefined
}

export function makeInstruments(meter: Meter, conventions: Conventions): Instruments {
  const histogram = (metric: MetricName | undefined): Histogram | undefined => {
    if (metric === undefined) return undefined
    const { name, unit, description, buckets = [] } = metric
    const advice = { explicitBucketBoundaries: buckets.slice() }
    return safely(() => meter.createHistogram(name, { unit, description, advice }))
  }
  const counter = (metric: MetricName | undefined): Counter | undefined =>
    metric && safely(() => meter.createCounter(metric.name, { unit: metric.unit, description: metric.description }))
  const { usage, perRequest, ...names } = metricNames[conventions]
  return {
    duration: histogram(names.duration),
    timeToFirstChunk: histogram(names.timeToFirstChunk),
    timePerChunk: histogram(names.timePerChunk),
    tokenUsage: histogram(names.tokenUsage),
    usage: {
      input: counter(usage?.input),
      output: counter(usage?.output),
      cacheRead: counter(usage?.cacheRead),
      cacheWrite: counter(usage?.cacheWrite),
      reasoning: counter(usage?.reasoning),
    },
    perRequest: { input: histogram(perRequest?.input), output: histogram(perRequest?.output) },
    runDuration: histogram(names.runDuration),
    runRequests: histogram(names.runRequests),
    runCalls: histogram(names.runCalls),
    toolDuration: histogram(names.toolDuration),
  }
}

export function measure(histogram: Histogram | undefined, value: number, labels: Attributes): void {
  if (histogram !== undefined) safely(() => histogram.record(value, labels))
}

/** Without what is `undefined`. Made anew: to delete from an object makes it slow for all who read it. */
export function withoutUndefined(attributes: Attributes): Attributes {
  const defined: Attributes = {}
  for (const name in attributes) {
    const value = attributes[name]
    if (value !== undefined) defined[name] = value
  }
  return defined
}
