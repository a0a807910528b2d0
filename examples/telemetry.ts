import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { TracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace'
import { StepLoop, tool } from '@steploop/core'
import { telemetry } from '@steploop/otel'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

const weather = tool({
  description: 'Current weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 21 }),
})

/** A run as a trace: a request, two calls, and the request with their results. An SDK of your own takes `print`'s place. */
export async function telemetryTree({ model, print }: ExampleContext): Promise<void> {
  const spans: ReadableSpan[] = []
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd: (span) => void spans.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  // What `NodeSDK` does when it starts: with it, `telemetry()` needs no options.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracerProvider = new TracerProvider({ spanProcessors: [processor] })
  const policies = [telemetry({ tracerProvider, agent: { name: 'weather' } })]
  const loop = new StepLoop({ model, tools: { weather }, policies })
  const { text } = await loop.generate('How warm is it in Paris and in Oslo?')
  for (const line of linesOf(spans)) print(line)
  print(text)
  context.disable()
}

const shown: readonly string[] = [
  'gen_ai.response.finish_reasons',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'steploop.step',
  'steploop.attempt',
  'steploop.status',
  'error.type',
]

/** The spans below their parents, in the order in which they began. */
function linesOf(spans: readonly ReadableSpan[], parent?: ReadableSpan, indent = ''): readonly string[] {
  const below = spans.filter((span) => span.parentSpanContext?.spanId === parent?.spanContext().spanId)
  return below.toSorted(byStart).flatMap((span) => {
    const attributes = shown.flatMap((name) => {
      const value = span.attributes[name]
      return value === undefined ? [] : [`${name.replace(/^.*\./, '')}=${JSON.stringify(value)}`]
    })
    return [`${indent}${span.name}  ${attributes.join(' ')}`, ...linesOf(spans, span, `${indent}  `)]
  })
}

function byStart({ startTime: left }: ReadableSpan, { startTime: right }: ReadableSpan): number {
  return left[0] - right[0] || left[1] - right[1]
}
