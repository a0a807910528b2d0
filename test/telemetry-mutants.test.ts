/** What telemetry must not do, done on purpose within its own modules: each mutant has to be noticed by the judge of traces. */
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AdapterError, StepLoop, tool, type Middleware } from '@steploop/core'
import { addMiddleware } from '@steploop/core/policies'
import { scriptedAdapter } from '@steploop/core/testing'
import { telemetry } from '@steploop/otel'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { recordTrace, traceProblems } from './trace-checker.ts'

type Mutant = 'none' | 'retry without a span' | 'end of another span' | 'content without being asked' | 'tokens doubled'

const state = vi.hoisted(() => ({ mutant: 'none' as string }))

vi.mock('../packages/otel/src/record-turn.ts', async (load) => {
  const real = await load<typeof import('../packages/otel/src/record-turn.ts')>()
  const recordTurn: typeof real.recordTurn = (run, info, next) =>
    state.mutant === 'retry without a span' && info.attempt > 1 ? next() : real.recordTurn(run, info, next)
  return { ...real, recordTurn }
})

vi.mock('../packages/otel/src/spans.ts', async (load) => {
  const real = await load<typeof import('../packages/otel/src/spans.ts')>()
  const input = 'gen_ai.usage.input_tokens'
  let before: Parameters<typeof real.endSpan>[0] | undefined
  const endSpan: typeof real.endSpan = (span, attributes, end) => {
    const other = state.mutant === 'end of another span' ? (before ?? span) : span
    before = span
    const doubled = state.mutant === 'tokens doubled' && attributes?.[input] !== undefined
    real.endSpan(other, doubled ? { ...attributes, [input]: Number(attributes[input]) * 2 } : attributes, end)
  }
  return { ...real, endSpan }
})

vi.mock('../packages/otel/src/setup.ts', async (load) => {
  const real = await load<typeof import('../packages/otel/src/setup.ts')>()
  const makeSetup: typeof real.makeSetup = (options) =>
    real.makeSetup(state.mutant === 'content without being asked' ? { ...options, content: 'spans' } : options)
  return { ...real, makeSetup }
})

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => {
  context.disable()
})

/** A request that fails, one that calls a tool, and the answer. */
async function judged(mutant: Mutant): Promise<string> {
  state.mutant = mutant
  const trace = recordTrace()
  const overloaded = new AdapterError({ provider: 's', model: 'm', code: 'overloaded', retryAfterMs: 0 })
  const usage = { inputTokens: 7, outputTokens: 3 }
  const call = { type: 'call', toolName: 'look', input: {} } as const
  const answer = { type: 'text', text: 'done' } as const
  const watch: Middleware = {
    tool({ toolCall }, next) {
      trace.executed.push(toolCall.toolCallId)
      return next()
    },
  }
  const loop = new StepLoop({
    model: scriptedAdapter([overloaded, { parts: [call], usage }, { parts: [answer], usage }]),
    tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
    policies: [telemetry({ tracerProvider: trace.provider }), (options) => addMiddleware(options, () => watch)],
  })
  const result = await loop.generate('x')
  return traceProblems(trace, result).join('\n')
}

test('the run is right as it is', async () => {
  expect(await judged('none')).toBe('')
})

test.each<[Mutant, RegExp]>([
  ['retry without a span', /answered in/],
  ['end of another span', /still open/],
  ['content without being asked', /it has gen_ai\.input\.messages/],
  ['tokens doubled', /gen_ai\.usage\.input_tokens sums to 28, the run has 14/],
])('the judge notices: %s', async (mutant, message) => {
  expect(await judged(mutant)).toMatch(message)
})
