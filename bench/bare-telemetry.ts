import {
  context,
  SpanKind,
  type Span,
  trace,
  type Attributes,
  type Context,
  type Histogram,
  type MeterProvider,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import type { Middleware, Policy } from '@steploop/core'
import type { TurnEvent } from '@steploop/core/adapter'
import { addMiddleware } from '@steploop/core/policies'

/**
 * What somebody would write by hand around a loop: as many spans and measurements as `@steploop/otel` makes, with as many attributes, each span
 * active while its work runs and ended with it. The attributes are constants, and nothing is guarded. What it costs is what the SDK costs.
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
  const start = (name: string, kind: SpanKind, attributes: Attributes): Started => {
    const span = tracer.startSpan(
      name,
      { kind, attributes, startTime: performance.timeOrigin + performance.now() },
      parent,
    )
    return { span, active: trace.setSpan(parent, span) }
  }
  const end = ({ span }: Started, attributes: Attributes): void =>
    span.setAttributes(attributes).end(performance.timeOrigin + performance.now())
  return {
    async run(_info, next) {
      const root = start('invoke_agent', SpanKind.INTERNAL, ofRun[0])
      parent = root.active
      const result = await context.with(parent, next)
      end(root, ofRun[1])
      measure(3)
      return result
    },
    turn(_info, next) {
      const request = start('chat bench-1', SpanKind.CLIENT, ofRequest[0])
      return watched(
        context.with(request.active, next),
        (ask) => context.with(request.active, ask),
        (done) => {
          if (!done) return measure(1)
          end(request, ofRequest[1])
          // Its duration, and its tokens in two counters and two histograms.
          measure(5)
        },
      )
    },
    async tool(_info, next) {
      const call = start('execute_tool weather', SpanKind.INTERNAL, ofCall[0])
      const output = await context.with(call.active, next)
      end(call, ofCall[1])
      measure(1)
      return output
    },
  }
}

interface Started {
  readonly span: Span
  /** With the span, for the work below it. */
  readonly active: Context
}

type Batch = readonly TurnEvent[]

/** `seen` hears of each batch, and whether it is the last one. */
function watched(
  batches: AsyncIterable<Batch>,
  inside: <T>(ask: () => T) => T,
  seen: (done: boolean) => void,
): AsyncIterable<Batch> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = inside(() => batches[Symbol.asyncIterator]())
      return {
        next() {
          const asked = inside(() => iterator.next())
          void asked.then((result) => seen(result.done === true || result.value.at(-1)?.type === 'turn-end'))
          return asked
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
