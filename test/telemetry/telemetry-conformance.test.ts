import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { runConformance, scenarios, type Subject } from '@steploop/conformance'
import { StepLoop, type Middleware, type Policy, type RunResult } from '@steploop/core'
import { addMiddleware } from '@steploop/core/policies'
import { telemetry } from '@steploop/otel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import config from '../../steploop.config.ts'
import { recordTrace, traceProblems, type RecordedTrace } from './trace-checker.ts'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => {
  context.disable()
})

type MakePolicy = (trace: RecordedTrace) => Policy

const watching: MakePolicy = ({ provider }) => telemetry({ tracerProvider: provider })

interface Watch {
  readonly problems: string[]
  /** What the loops gave: events, results and errors, as JSON. */
  readonly seen: string[]
  runs: number
}

/** The subject, with each of its runs seen by telemetry and judged by its trace. */
function watched(
  subject: Subject,
  makePolicy: MakePolicy | undefined,
): { readonly subject: Subject; readonly watch: Watch } {
  const watch: Watch = { problems: [], seen: [], runs: 0 }
  const judge = (trace: RecordedTrace, outcome: { result?: RunResult; error?: unknown }): void => {
    watch.runs++
    watch.seen.push(JSON.stringify(outcome))
    if (makePolicy !== undefined && trace.begun.length > 0) watch.problems.push(...traceProblems(trace, outcome.result))
  }
  const settled = <Result extends RunResult>(trace: RecordedTrace, running: Promise<Result>): Promise<Result> => {
    running.then(
      (result) => judge(trace, { result }),
      (error: unknown) => judge(trace, { error }),
    )
    return running
  }
  return {
    watch,
    subject: {
      ...subject,
      loop(given) {
        // One trace for each run: a subject makes a loop for every one.
        const trace = recordTrace()
        const policies = [...(given.policies ?? []), ...(makePolicy === undefined ? [] : [makePolicy(trace)])]
        const middleware: Middleware = {
          tool({ toolCall }, next) {
            trace.executed.push(toolCall.toolCallId)
            return next()
          },
        }
        const loop = new StepLoop({ ...given, policies, middleware })
        return {
          generate: (input, options) => settled(trace, loop.generate(input, options)),
          stream(input, options) {
            const stream = loop.stream(input, options)
            return {
              async *[Symbol.asyncIterator]() {
                for await (const event of stream) {
                  watch.seen.push(JSON.stringify(event))
                  yield event
                }
              },
              get result() {
                return settled(trace, stream.result)
              },
            }
          },
        }
      },
    },
  }
}

async function conform(name: string, makePolicy: MakePolicy | undefined, scenario?: readonly string[]) {
  const found = config.subjects.find((subject) => subject.name === name)
  if (found === undefined) throw new Error(`There is no subject ${name}.`)
  const { subject, watch } = watched(found, makePolicy)
  const only = scenario === undefined ? {} : { scenario }
  const report = await runConformance([subject], { stress: [], frontEnds: ['fetch'], details: true, ...only })
  return { report, watch }
}

/** Every subject through every scenario, which takes minutes; otherwise one subject does, and the others share the scenarios out. */
const isWhole = process.env['STEPLOOP_TELEMETRY'] === 'whole'

const subjects = config.subjects.map(({ name }, position) => {
  const mine = scenarios.filter((_scenario, index) => index % config.subjects.length === position).map(({ id }) => id)
  return { name, mine: isWhole || name === 'anthropic' ? undefined : ['parallel-calls', ...mine] }
})

test.each(subjects)(
  'with telemetry $name does the same, and every trace is right',
  { timeout: 300_000 },
  async ({ name, mine }) => {
    const plain = await conform(name, undefined, mine)
    const seen = await conform(name, watching, mine)
    expect(seen.watch.problems).toEqual([])
    expect(seen.watch.runs).toBe(plain.watch.runs)
    expect(seen.watch.seen).toEqual(plain.watch.seen)
    const cases = ({ report }: typeof plain) =>
      report.cases.map(({ address: id, verdict, details }) => [id, verdict, details?.runs])
    expect(JSON.stringify(cases(seen))).toBe(JSON.stringify(cases(plain)))
    expect(seen.watch.runs).toBeGreaterThan(name === 'anthropic' ? 80 : 0)
  },
)

const changed =
  (change: (middleware: Middleware) => Middleware): MakePolicy =>
  (trace) =>
  (options) => {
    const made = watching(trace)({ model: options.model }).middleware
    const mutant = (): Middleware => change(typeof made === 'function' ? made() : (made ?? {}))
    return addMiddleware(options, mutant)
  }

/** The tracer with its `startSpan` changed. */
const traced =
  (
    change: (
      trace: RecordedTrace,
      tracer: ReturnType<RecordedTrace['provider']['getTracer']>,
    ) => typeof tracer.startSpan,
  ): MakePolicy =>
  (trace) => {
    const tracer = trace.provider.getTracer('mutant')
    const startSpan = change(trace, tracer)
    const mutant = { startSpan, startActiveSpan: tracer.startActiveSpan.bind(tracer) }
    return telemetry({ tracerProvider: { getTracer: () => mutant } })
  }

test.each<[string, MakePolicy, RegExp]>([
  [
    'the span of a retry is missing',
    changed(({ turn, ...rest }) => ({
      ...rest,
      turn: (info, next) => (info.attempt === 1 || turn === undefined ? next() : turn(info, next)),
    })),
    /answered in/,
  ],
  [
    'the span of the first attempt is missing',
    changed(({ turn, ...rest }) => ({
      ...rest,
      turn: (info, next) => (info.attempt > 1 && turn !== undefined ? turn(info, next) : next()),
    })),
    /attempts 2/,
  ],
  [
    'a span begins in the wrong context',
    traced(
      (_trace, tracer) => (name, options, active) =>
        tracer.startSpan(name, options, name.startsWith('chat') ? ROOT_CONTEXT : active),
    ),
    /roots/,
  ],
  [
    'a call hangs below its request',
    traced((trace, tracer) => (name, options, active) => {
      const chat = trace.begun.findLast((span) => span.name.startsWith('chat'))
      if (!name.startsWith('execute_tool') || chat === undefined) return tracer.startSpan(name, options, active)
      const below = { ...chat, spanContext: () => chat.spanContext() }
      return tracer.startSpan(name, options, ROOT_CONTEXT.setValue(Symbol.for('OpenTelemetry Context Key SPAN'), below))
    }),
    /below something else/,
  ],
  [
    'content leaves without being asked for',
    ({ provider }) => telemetry({ tracerProvider: provider, content: 'spans' }),
    /it has gen_ai/,
  ],
  [
    'tokens are counted twice',
    traced((_trace, tracer) => (name, options, active) => {
      const span = tracer.startSpan(name, options, active)
      const set = span.setAttributes.bind(span)
      const input = 'gen_ai.usage.input_tokens'
      span.setAttributes = (given) => set({ ...given, ...(input in given && { [input]: Number(given[input]) * 2 }) })
      return span
    }),
    /sums to/,
  ],
  [
    'the span of a call is never ended',
    traced((_trace, tracer) => (name, options, active) => {
      const span = tracer.startSpan(name, options, active)
      return name.startsWith('execute_tool')
        ? Object.assign(Object.create(span) as typeof span, { end: () => undefined })
        : span
    }),
    /still open/,
  ],
  ['calls are not seen', changed(({ run, turn }) => ({ run, turn })), /were run/],
])('the checker notices when %s', async (_what, makePolicy, message) => {
  const found = await Promise.all(
    ['parallel-calls', 'overloaded'].map((scenario) => conform('anthropic', makePolicy, [scenario])),
  )
  expect(found.flatMap(({ watch }) => watch.problems).join('\n')).toMatch(message)
})
