import * as fc from 'fast-check'
import { afterAll, expect, test, vi } from 'vitest'
import type { createAbortScope } from '../../src/run/abort-scope.ts'
import type { askModel } from '../../src/run/ask-model.ts'
import type { Channel } from '../../src/run/channel.ts'
import type { createTurnCollector } from '../../src/wire/collect-turn.ts'
import type { dispatchCalls } from '../../src/tools/dispatch.ts'
import type { closeOpenCalls, executeCalls } from '../../src/run/execute-calls.ts'
import type { idempotencyKey } from '../../src/tools/idempotency-key.ts'
import type { toJsonValue } from '../../src/wire/json-value.ts'
import type { limitOf } from '../../src/run/limits.ts'
import type { planCalls } from '../../src/tools/plan-calls.ts'
import type { resolveConfig } from '../../src/run/run-config.ts'
import type { readInput } from '../../src/run/run-input.ts'
import type { append } from '../../src/run/run-state.ts'
import type { runTool } from '../../src/tools/run-tool.ts'
import type { createRunningTools } from '../../src/tools/running-tools.ts'
import type { buildRequest } from '../../src/run/turn-request.ts'
import type { addUsage } from '../../src/contract/usage.ts'
import { AdapterError } from '../../src/contract/errors.ts'
import { checks, violations } from './invariants.ts'
import { playDraw } from './play.ts'
import { loopDraws } from './loop-draws.ts'
import { createSurroundings } from './testing.ts'

/** Functions of the loop that a mutant may change. */
interface Seams {
  createAbortScope: typeof createAbortScope
  askModel: typeof askModel
  createChannel: () => Channel<unknown>
  createTurnCollector: typeof createTurnCollector
  dispatchCalls: typeof dispatchCalls
  closeOpenCalls: typeof closeOpenCalls
  executeCalls: typeof executeCalls
  idempotencyKey: typeof idempotencyKey
  toJsonValue: typeof toJsonValue
  limitOf: typeof limitOf
  planCalls: typeof planCalls
  resolveConfig: typeof resolveConfig
  readInput: typeof readInput
  append: typeof append
  runTool: typeof runTool
  createRunningTools: typeof createRunningTools
  buildRequest: typeof buildRequest
  addUsage: typeof addUsage
}

const seams = await vi.hoisted(() => import('./seams.ts'))

vi.mock('../../src/run/abort-scope.ts', async (real) => seams.through(await real(), 'createAbortScope'))
vi.mock('../../src/run/ask-model.ts', async (real) => seams.through(await real(), 'askModel'))
vi.mock('../../src/run/channel.ts', async (real) => seams.through(await real(), 'createChannel'))
vi.mock('../../src/wire/collect-turn.ts', async (real) => seams.through(await real(), 'createTurnCollector'))
vi.mock('../../src/tools/dispatch.ts', async (real) => seams.through(await real(), 'dispatchCalls'))
vi.mock('../../src/run/execute-calls.ts', async (real) => seams.through(await real(), 'closeOpenCalls', 'executeCalls'))
vi.mock('../../src/tools/idempotency-key.ts', async (real) => seams.through(await real(), 'idempotencyKey'))
vi.mock('../../src/wire/json-value.ts', async (real) => seams.through(await real(), 'toJsonValue'))
vi.mock('../../src/run/limits.ts', async (real) => seams.through(await real(), 'limitOf'))
vi.mock('../../src/tools/plan-calls.ts', async (real) => seams.through(await real(), 'planCalls'))
vi.mock('../../src/run/run-config.ts', async (real) => seams.through(await real(), 'resolveConfig'))
vi.mock('../../src/run/run-input.ts', async (real) => seams.through(await real(), 'readInput'))
vi.mock('../../src/run/run-state.ts', async (real) => seams.through(await real(), 'append'))
vi.mock('../../src/tools/run-tool.ts', async (real) => seams.through(await real(), 'runTool'))
vi.mock('../../src/tools/running-tools.ts', async (real) => seams.through(await real(), 'createRunningTools'))
vi.mock('../../src/run/turn-request.ts', async (real) => seams.through(await real(), 'buildRequest'))
vi.mock('../../src/contract/usage.ts', async (real) => seams.through(await real(), 'addUsage'))

interface Mutant {
  readonly name: string
  readonly invariant: number | 'middleware'
  readonly seam: keyof Seams
  readonly change: (real: never) => unknown
}

function mutant<Seam extends keyof Seams>(
  invariant: Mutant['invariant'],
  name: string,
  seam: Seam,
  change: (real: Seams[Seam]) => Seams[Seam],
): Mutant {
  return { name, invariant, seam, change }
}

const never = Infinity

/** Values of any type pass through. */
function repeatLast(channel: Channel<unknown>): Channel<unknown> {
  let last: unknown
  return {
    ...channel,
    close(value) {
      last = value
      channel.close(value)
    },
    pull(read, reply) {
      return channel.pull((pulled) => {
        if (pulled !== undefined) return read(pulled)
        const again = last
        last = undefined
        return read(again)
      }, reply)
    },
  }
}

const mutants: readonly Mutant[] = [
  mutant(1, 'calls count only when the finish reason says so', 'createTurnCollector', (real) => (origin) => {
    const collector = real(origin)
    const turn: typeof collector.turn = () => {
      const given = collector.turn()
      if (given.finishReason === 'tool-calls') return given
      const content = given.message.content.filter((part) => part.type !== 'tool-call' || part.owner === 'provider')
      return { ...given, message: { ...given.message, content } }
    }
    return {
      push: (events) => collector.push(events),
      turn,
      get ended() {
        return collector.ended
      },
    }
  }),
  mutant(1, 'the raw finish reason is tidied up', 'createTurnCollector', (real) => (origin) => {
    const collector = real(origin)
    const turn: typeof collector.turn = () => ({ ...collector.turn(), rawFinishReason: collector.turn().finishReason })
    return {
      push: (events) => collector.push(events),
      turn,
      get ended() {
        return collector.ended
      },
    }
  }),
  mutant(
    2,
    'what was cut off runs with what there is',
    'planCalls',
    (real) => (calls, options) =>
      real(
        calls.map(({ invalid, ...call }) => (invalid === undefined ? call : { ...call, input: { key: 0 } })),
        options,
      ),
  ),
  mutant(2, 'what the token limit cut runs when somebody closed it', 'createTurnCollector', (real) => (origin) => {
    const collector = real(origin)
    return {
      push: (events) =>
        collector.push(
          events.map((event) =>
            event.type === 'turn-end' && event.finishReason === 'length'
              ? { ...event, finishReason: 'tool-calls' }
              : event,
          ),
        ),
      turn: () => collector.turn(),
      get ended() {
        return collector.ended
      },
    }
  }),
  mutant(3, 'a run that fails leaves its calls open', 'closeOpenCalls', () => () => []),
  mutant(
    3,
    'results stand in the order of their arrival',
    'append',
    (real) => (run, message) =>
      real(run, message.role === 'tool' ? { ...message, content: message.content.toReversed() } : message),
  ),
  mutant(4, 'a tool runs again', 'runTool', (real) => async (options) => {
    await real(options)
    return real(options)
  }),
  mutant(
    4,
    'the idempotency key is that of the conversation',
    'idempotencyKey',
    () =>
      ({ transcriptId }) =>
        transcriptId,
  ),
  mutant(5, 'what a tool returns is handed on as it is', 'toJsonValue', () => (value) => value),
  mutant(5, 'a tool that throws ends the run', 'resolveConfig', (real) => (options) => ({
    ...real(options),
    onToolError: 'throw',
  })),
  mutant(6, 'an abort is requested and then waited for', 'createAbortScope', (real) => (options) => {
    const scope = real(options)
    return {
      ...scope,
      get reason() {
        return undefined
      },
      race: (promise) => Promise.resolve(promise),
    }
  }),
  mutant(6, 'the last event comes twice', 'createChannel', (real) => () => repeatLast(real())),
  mutant(
    6,
    'the timer of a tool outlives it',
    'createRunningTools',
    (real) => (clock) => real({ ...clock, after: (ms, callback) => (clock.after(ms, callback), () => undefined) }),
  ),
  mutant(7, 'settings are for the first request', 'buildRequest', (real) => (run, edit, finalizing) => {
    const built = real(run, edit, finalizing)
    return run.steps.length === 0 ? built : { ...built, request: { ...built.request, settings: undefined } }
  }),
  mutant(7, 'a forced choice stays forced', 'buildRequest', (real) => (run, edit, finalizing) => {
    const built = real(run, edit, finalizing)
    const toolChoice = built.request.toolChoice ?? run.config.toolChoice
    return { ...built, request: { ...built.request, ...(built.request.tools && { toolChoice }) } }
  }),
  mutant(
    8,
    'one step more',
    'limitOf',
    (real) => (run) => real({ ...run, config: { ...run.config, maxSteps: run.config.maxSteps + 1 } }),
  ),
  mutant(
    8,
    'the capped batch runs before the run ends',
    'executeCalls',
    (real) => (run, message, options) => real(run, message, { ...options, refusal: undefined }),
  ),
  mutant(8, 'only steps are limited', 'limitOf', (real) => (run) => {
    const config = { ...run.config, maxToolCalls: never, maxTokens: never, maxCost: never }
    return real({ ...run, config })
  }),
  mutant(9, 'nobody is asked for an approval', 'planCalls', (real) => async (calls, options) => {
    const plans = await real(calls, options)
    return plans.map((plan) => {
      const tool = options.tools[plan.call.toolName]
      const asks = plan.type === 'pend' && plan.pending.reason === 'approval' && tool?.type === 'function'
      return asks ? { type: 'run', call: plan.call, tool, input: plan.call.input } : plan
    })
  }),
  mutant(9, 'all calls run at once', 'dispatchCalls', (real) => (options) => real({ ...options, concurrency: never })),
  mutant(10, 'a stored conversation comes back without its payloads', 'readInput', (real) => (input, tools) => {
    const start = real(input, tools)
    const messages = start.messages.map((message) => {
      if (message.role !== 'assistant') return message
      const content = message.content.map((part) =>
        'providerMetadata' in part && part.type !== 'opaque' ? { ...part, providerMetadata: undefined } : part,
      )
      return { ...message, content }
    })
    return { ...start, messages }
  }),
  mutant(11, 'a continuation leaves out what is new', 'buildRequest', (real) => (run, edit, finalizing) => {
    const built = real(run, edit, finalizing)
    const { continuation, messages } = built.request
    if (continuation === undefined) return built
    return { ...built, request: { ...built.request, continuation: { ...continuation, from: messages.length } } }
  }),
  mutant(
    11,
    'another model goes on from a response that it never gave',
    'buildRequest',
    (real) => (run, edit, finalizing) => {
      const built = real(run, edit, finalizing)
      const { continuation = run.continuable } = built.request
      return { ...built, request: { ...built.request, continuation } }
    },
  ),
  mutant(
    12,
    'a turn without usage takes the sum away',
    'addUsage',
    (real) => (left, right) => (right === undefined ? undefined : real(left, right)),
  ),
  mutant(12, 'usage is that of the last turn', 'addUsage', () => (left, right) => right ?? left),
  mutant(13, 'what will not pass is asked again', 'askModel', (real) => async (run, request, asked) => {
    try {
      return await real(run, request, asked)
    } catch (error) {
      if (AdapterError.isInstance(error) && !error.retryable) return real(run, request, asked)
      throw error
    }
  }),
  mutant(13, 'nobody waits before asking again', 'resolveConfig', (real) => (options) => {
    const config = real(options)
    return { ...config, clock: { ...config.clock, after: (_ms, callback) => config.clock.after(0, callback) } }
  }),
  mutant(
    14,
    'all answers bear the name of one model',
    'createTurnCollector',
    (real) => () => real({ provider: 'main', model: 'main-1' }),
  ),
  mutant(14, 'parts come back in another order', 'createTurnCollector', (real) => (origin) => {
    const collector = real(origin)
    const turn: typeof collector.turn = () => {
      const given = collector.turn()
      return { ...given, message: { ...given.message, content: given.message.content.toReversed() } }
    }
    return {
      push: (events) => collector.push(events),
      turn,
      get ended() {
        return collector.ended
      },
    }
  }),
  mutant(
    'middleware',
    'calls go past the middleware',
    'runTool',
    (real) => (given) => real({ ...given, around: undefined }),
  ),
  mutant('middleware', 'a retry goes past the middleware', 'askModel', (real) => (run, request, asked) => {
    const { turn: _turn, ...middleware } = run.config.middleware
    return real(run.steps.length === 0 ? run : { ...run, config: { ...run.config, middleware } }, request, asked)
  }),
]

const surroundings = createSurroundings()
afterAll(() => {
  surroundings.close()
})

const draws = fc.sample(loopDraws, { seed: 14, numRuns: 1500 })

const kills: string[] = []

test.each(mutants)('invariant $invariant notices that $name', { timeout: 60_000 }, async (changed) => {
  const checked = checks[changed.invariant]
  const killed = await seams.drawsToKill(changed, draws, async (draw) => {
    return (checked?.(await playDraw(draw, surroundings)).length ?? 0) > 0
  })
  kills.push(`${String(changed.invariant).padStart(4)}  ${changed.name}: ${killed ?? 'lives'}`)
  expect(killed).toBeDefined()
})

test(
  'every invariant has a mutant, and the loop as it is breaks none on the same draws',
  { timeout: 60_000 },
  async () => {
    process.stdout.write(`invariant, mutant, and the draws that it took to notice it:\n${kills.join('\n')}\n`)
    const held = new Set(mutants.map(({ invariant }) => String(invariant)))
    expect([...held].toSorted()).toEqual(Object.keys(checks).toSorted())
    for (const draw of draws) expect(violations(await playDraw(draw, surroundings))).toEqual([])
  },
)
