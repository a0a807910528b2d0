import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api'
import { metricNames, type Conventions, type MetricName } from './names.ts'

/** The metrics of one meter. Absent where the conventions have none. */
export interface Instruments {
  readonly duration: Histogram
  readonly timeToFirstChunk: Histogram
  readonly timePerChunk: Histogram
  readonly tokenUsage: Histogram | undefined
  readonly usage: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning', Counter>> | undefined
  readonly perRequest: Readonly<Record<'input' | 'output', Histogram>> | undefined
  readonly runDuration: Histogram | undefined
  readonly runRequests: Histogram | undefined
  readonly runCalls: Histogram | undefined
  readonly toolDuration: Histogram | undefined
}

export function makeInstruments(meter: Meter, conventions: Conventions): Instruments {
  const names = metricNames[conventions]
  const histogram = ({ name, unit, description, buckets = [] }: MetricName): Histogram =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: buckets.slice() } })
  const counter = ({ name, unit, description }: MetricName): Counter => meter.createCounter(name, { unit, description })
  const { usage, perRequest, tokenUsage, runDuration, runRequests, runCalls, toolDuration } = names
  return {
    duration: histogram(names.duration),
    timeToFirstChunk: histogram(names.timeToFirstChunk),
    timePerChunk: histogram(names.timePerChunk),
    tokenUsage: tokenUsage && histogram(tokenUsage),
    usage: usage && {
      input: counter(usage.input),
      output: counter(usage.output),
      cacheRead: counter(usage.cacheRead),
      cacheWrite: counter(usage.cacheWrite),
      reasoning: counter(usage.reasoning),
    },
    perRequest: perRequest && { input: histogram(perRequest.input), output: histogram(perRequest.output) },
    runDuration: runDuration && histogram(runDuration),
    runRequests: runRequests && histogram(runRequests),
    runCalls: runCalls && histogram(runCalls),
    toolDuration: toolDuration && histogram(toolDuration),
  }
}

/** Without what is `undefined`. Made anew: to delete from an object makes it slow for all who read it. */
export function known(attributes: Attributes): Attributes {
  const made: Attributes = {}
  for (const name in attributes) {
    const value = attributes[name]
    if (value !== undefined) made[name] = value
  }
  return made
}
