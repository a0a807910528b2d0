import {
  context,
  SpanKind,
  trace,
  type Attributes,
  type Context,
  type Histogram,
  type MeterProvider,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import type { Middleware, Policy } from '@steploop/core'
import { addMiddleware } from '@steploop/core/policies'

/**
 * The spans and measurements of a run in as few lines as they can be had: as many as `@steploop/otel` makes, with as many attributes, all of
 * them constants, and nothing seen of the run. What it costs is what the SDK costs.
 */
export function bareTelemetry(providers: {
  readonly tracerProvider: TracerProvider
  readonly meterProvider?: MeterProvider | undefined
}): Policy {
  const tracer = providers.tracerProvider.getTracer('bare')
  const histogram = providers.meterProvider?.getMeter('bare').createHistogram('bare', { unit: 's' })
  return (options) => addMiddleware(options, () => bareRun(tracer, histogram))
}

function bareRun(tracer: Tracer, histogram: Histogram | undefined): Middleware {
  let parent: Context = context.active()
  const measure = (count: number): void => {
    for (let index = 0; index < count; index++) histogram?.record(0.01, labels)
  }
  const span = (name: string, kind: SpanKind, [first, last]: readonly [Attributes, Attributes]): void => {
    tracer.startSpan(name, { kind, attributes: first }, parent).setAttributes(last).end()
  }
  return {
    async run(_info, next) {
      const root = tracer.startSpan('invoke_agent', { attributes: ofRun[0] }, parent)
      parent = trace.setSpan(parent, root)
      const result = await next()
      root.setAttributes(ofRun[1]).end()
      measure(3)
      return result
    },
    turn({ mode }, next) {
      span('chat bench-1', SpanKind.CLIENT, ofRequest)
      // Its duration, and its tokens in two counters and two histograms.
      measure(5)
      return mode === 'stream' && histogram !== undefined ? measuredChunks(next(), () => measure(1)) : next()
    },
    tool(_info, next) {
      span('execute_tool weather', SpanKind.INTERNAL, ofCall)
      measure(1)
      return next()
    },
  }
}

function measuredChunks<Batch>(batches: AsyncIterable<Batch>, measure: () => void): AsyncIterable<Batch> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = batches[Symbol.asyncIterator]()
      return {
        next() {
          measure()
          return iterator.next()
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      }
    },
  }
}

const labels: Attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai-compatible',
  'gen_ai.request.model': 'bench-1',
  'gen_ai.response.model': 'bench-1',
}

const conversation = '01890a5d-ac96-774b-bcce-b302099a8057'

/** At the start, and at the end. */
const ofRun: readonly [Attributes, Attributes] = [
  { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': conversation },
  {
    'steploop.status': 'completed',
    'steploop.stop_reason': 'answer',
    'steploop.steps': 11,
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 1100,
    'gen_ai.usage.output_tokens': 220,
  },
]

const ofRequest: readonly [Attributes, Attributes] = [
  {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai-compatible',
    'gen_ai.request.model': 'bench-1',
    'gen_ai.conversation.id': conversation,
    'steploop.step': 1,
    'steploop.attempt': 1,
  },
  {
    'gen_ai.response.id': 'chatcmpl-1',
    'gen_ai.response.model': 'bench-1',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
  },
]

const ofCall: readonly [Attributes, Attributes] = [
  {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'weather',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': 'call_1_0',
    'gen_ai.conversation.id': conversation,
    'steploop.step': 1,
  },
  {},
]
