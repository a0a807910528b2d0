import { mutant, testMutants } from './seams.ts'
import * as fc from 'fast-check'
import { afterAll } from 'vitest'
import type { createChannel } from '../../src/loop/channel.ts'
import type { createTurnCollector } from '../../src/wire/collect-turn.ts'
import { AdapterError } from '../../src/contract/errors.ts'
import { checks } from './invariants.ts'
import { playDraw } from './play.ts'
import { loopDraws } from './loop-draws.ts'
import { createSurroundings } from './testing.ts'

const never = Infinity

/** Values of any type pass through. */
function repeatLast(real: typeof createChannel): typeof createChannel {
  return (read) => {
    let last: Parameters<typeof read>[0]
    const channel = real((pulled: typeof last) => {
      const given = pulled ?? last
      if (pulled === undefined) last = undefined
      return read(given)
    })
    return {
      ...channel,
      close(value) {
        last = value
        channel.close(value)
      },
    }
  }
}

type Collector = ReturnType<typeof createTurnCollector>

/** Collectors whose turns, or whose events, are changed. */
function collectors(
  changedTurn: (turn: ReturnType<Collector['turn']>) => ReturnType<Collector['turn']>,
  changedEvents: (events: Parameters<Collector['push']>[0]) => Parameters<Collector['push']>[0] = (events) => events,
): (real: typeof createTurnCollector) => typeof createTurnCollector {
  return (real) => (origin) => {
    const collector = real(origin)
    return {
      push: (events) => collector.push(changedEvents(events)),
      turn: () => changedTurn(collector.turn()),
      get ended() {
        return collector.ended
      },
    }
  }
}

const mutants = [
  mutant(
    '1',
    'calls count only when the finish reason says so',
    'createTurnCollector',
    collectors((given) => {
      if (given.finishReason === 'tool-calls') return given
      const content = given.message.content.filter((part) => part.type !== 'tool-call' || part.owner === 'provider')
      return { ...given, message: { ...given.message, content } }
    }),
  ),
  mutant(
    '1',
    'the raw finish reason is tidied up',
    'createTurnCollector',
    collectors((turn) => ({ ...turn, rawFinishReason: turn.finishReason })),
  ),
  mutant(
    '2',
    'what was cut off runs with what there is',
    'planCalls',
    (real) => (calls, options) =>
      real(
        calls.map(({ invalid, ...call }) => (invalid === undefined ? call : { ...call, input: { key: 0 } })),
        options,
      ),
  ),
  mutant(
    '2',
    'what the token limit cut runs when somebody closed it',
    'createTurnCollector',
    collectors(
      (turn) => turn,
      (events) =>
        events.map((event) =>
          event.type === 'turn-end' && event.finishReason === 'length'
            ? { ...event, finishReason: 'tool-calls' }
            : event,
        ),
    ),
  ),
  mutant('3', 'a run that fails leaves its calls open', 'closeOpenCalls', () => () => []),
  mutant(
    '3',
    'results stand in the order of their arrival',
    'append',
    (real) => (run, message) =>
      real(run, message.role === 'tool' ? { ...message, content: message.content.toReversed() } : message),
  ),
  mutant(
    '4',
    'a tool runs again',
    'runTool',
    (real) => (plan, position, step, settle) => real(plan, position, step, () => real(plan, position, step, settle)),
  ),
  mutant(
    '4',
    'the idempotency key is that of the conversation',
    'idempotencyKeys',
    () =>
      ({ transcriptId }) =>
      () =>
        transcriptId,
  ),
  mutant('5', 'what a tool returns is handed on as it is', 'toJsonValue', () => (value) => value),
  mutant('5', 'a tool that throws ends the run', 'resolveConfig', (real) => (options) => ({
    ...real(options),
    onToolError: 'throw',
  })),
  mutant('6', 'an abort is requested and then waited for', 'createAbortScope', (real) => (options) => {
    const scope = real(options)
    return {
      ...scope,
      get reason() {
        return undefined
      },
      race: (promise) => Promise.resolve(promise),
    }
  }),
  mutant('6', 'the last event comes twice', 'createChannel', repeatLast),
  mutant(
    '6',
    'the timer of a tool outlives it',
    'createRunningTools',
    (real) => (clock) => real({ ...clock, after: (ms, callback) => (clock.after(ms, callback), () => undefined) }),
  ),
  mutant('7', 'settings are for the first request', 'buildRequest', (real) => (run, edit, finalizing) => {
    const built = real(run, edit, finalizing)
    return run.steps.length === 0 ? built : { ...built, request: { ...built.request, settings: undefined } }
  }),
  mutant('7', 'a forced choice stays forced', 'buildRequest', (real) => (run, edit, finalizing) => {
    const built = real(run, edit, finalizing)
    const toolChoice = built.request.toolChoice ?? run.config.toolChoice
    return { ...built, request: { ...built.request, ...(built.request.tools && { toolChoice }) } }
  }),
  mutant(
    '8',
    'one step more',
    'limitOf',
    (real) => (run) => real({ ...run, config: { ...run.config, maxSteps: run.config.maxSteps + 1 } }),
  ),
  mutant(
    '8',
    'the capped batch runs before the run ends',
    'executeCalls',
    (real) => (run, message, options) => real(run, message, { ...options, refusal: undefined }),
  ),
  mutant('8', 'only steps are limited', 'limitOf', (real) => (run) => {
    const config = { ...run.config, maxToolCalls: never, maxTokens: never, maxCost: never }
    return real({ ...run, config })
  }),
  mutant('9', 'nobody is asked for an approval', 'planCalls', (real) => async (calls, options) => {
    const plans = await real(calls, options)
    return plans.map((plan) => {
      const tool = options.tools[plan.call.toolName]
      const asks = plan.type === 'pend' && plan.pending.reason === 'approval' && tool?.type === 'function'
      return asks ? { type: 'run', call: plan.call, tool, input: plan.call.input } : plan
    })
  }),
  mutant(
    '9',
    'all calls run at once',
    'dispatchCalls',
    (real) => (options) => real({ ...options, concurrency: never }),
  ),
  mutant('10', 'a stored conversation comes back without its payloads', 'readInput', (real) => (input, tools) => {
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
  mutant('11', 'a continuation leaves out what is new', 'buildRequest', (real) => (run, edit, finalizing) => {
    const built = real(run, edit, finalizing)
    const { continuation, messages } = built.request
    if (continuation === undefined) return built
    return { ...built, request: { ...built.request, continuation: { ...continuation, from: messages.length } } }
  }),
  mutant(
    '11',
    'another model goes on from a response that it never gave',
    'buildRequest',
    (real) => (run, edit, finalizing) => {
      const built = real(run, edit, finalizing)
      const { continuation = run.continuable } = built.request
      return { ...built, request: { ...built.request, continuation } }
    },
  ),
  mutant(
    '12',
    'a turn without usage takes the sum away',
    'addUsage',
    (real) => (left, right) => (right === undefined ? undefined : real(left, right)),
  ),
  mutant('12', 'usage is that of the last turn', 'addUsage', () => (left, right) => right ?? left),
  mutant('13', 'what will not pass is asked again', 'askModel', (real) => async (run, request, asked) => {
    try {
      return await real(run, request, asked)
    } catch (error) {
      if (AdapterError.isInstance(error) && !error.retryable) return real(run, request, asked)
      throw error
    }
  }),
  mutant('13', 'nobody waits before asking again', 'resolveConfig', (real) => (options) => {
    const config = real(options)
    return { ...config, clock: { ...config.clock, after: (_ms, callback) => config.clock.after(0, callback) } }
  }),
  mutant(
    '14',
    'all answers bear the name of one model',
    'createTurnCollector',
    (real) => () => real({ provider: 'main', model: 'main-1' }),
  ),
  mutant(
    '14',
    'parts come back in another order',
    'createTurnCollector',
    collectors((given) => {
      return { ...given, message: { ...given.message, content: given.message.content.toReversed() } }
    }),
  ),
  mutant(
    'middleware',
    'calls go past the middleware',
    'runTool',
    (real) => (plan, position, step, settle) => real(plan, position, { ...step, around: undefined }, settle),
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

testMutants({
  mutants,
  checks: Object.keys(checks),
  draws: fc.sample(loopDraws, { seed: 14, numRuns: 1500 }),
  broken: async (draw) => {
    const observation = await playDraw(draw, surroundings)
    return Object.keys(checks).filter((name) => (checks[name]?.(observation).length ?? 0) > 0)
  },
})
