import { mutant, testMutants, type Mutant } from '../seams.ts'
import * as fc from 'fast-check'
import { afterAll } from 'vitest'
import type { planCalls, PlanOptions } from '../../../src/calls/plan-calls.ts'
import type { AnyTool, FunctionTool, ToolSet } from '../../../src/tools/tool.ts'
import { createSurroundings } from '../testing.ts'
import { decisionChecks, problemsOf } from './check.ts'
import { playDecisions } from './play.ts'
import { decisionDraws } from './testing.ts'

/** Plans with other options. */
function planned(change: (options: PlanOptions) => Partial<PlanOptions>): (real: typeof planCalls) => typeof planCalls {
  return (real) => (calls, options) => real(calls, { ...options, ...change(options) })
}

function withTools(tools: ToolSet, change: (tool: AnyTool) => AnyTool): ToolSet {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, change(tool)]))
}

const mutants: readonly Mutant<keyof typeof decisionChecks>[] = [
  mutant(
    'judgedIsExecuted',
    'a tool gets the arguments as they came',
    'runTool',
    (real) =>
      (plan, ...rest) =>
        real({ ...plan, input: plan.call.input }, ...rest),
  ),
  mutant('judgedIsExecuted', 'judges and tools hold one value', 'ownCopy', () => (value) => value),
  mutant('judgedIsExecuted', '`denyCall` sees the arguments as they came', 'planCalls', (real) => (calls, options) => {
    const { denyCall } = options
    const raw = (id: string) => calls.find(({ toolCallId }) => toolCallId === id)
    return real(calls, { ...options, denyCall: denyCall && ((call) => denyCall(raw(call.toolCallId) ?? call)) })
  }),
  mutant('judgedIsExecuted', 'hooks see the arguments as they came', 'askToolHook', (real) => (run, name, details) => {
    const { response, toolCall } = details
    const raw = response?.content.find((part) => part.type === 'tool-call' && part.toolCallId === toolCall?.toolCallId)
    return real(run, name, { ...details, ...(raw?.type === 'tool-call' && { toolCall: raw }) })
  }),
  mutant('judgedIsExecuted', 'nobody refines, and nothing is filled in', 'resolveInput', () => (call) => ({
    input: structuredClone(call.input),
  })),
  mutant(
    'oneDecisionOneExecution',
    'a predicate that says nothing lets the call through',
    'planCalls',
    planned(({ tools }) => ({ tools: withTools(tools, truthfully) })),
  ),
  mutant(
    'forgedTranscriptsAreRefused',
    'approvals are for any tool and any input',
    'approvalHash',
    () => () => Promise.resolve({ definition: 'same', hash: 'same.same' }),
  ),
  mutant('oneDecisionOneExecution', 'whoever is asked may answer anything', 'checkAnswers', () => () => undefined),
  mutant(
    'oneDecisionOneExecution',
    'only what the loop runs is denied',
    'planCalls',
    planned(({ tools, denyCall }) => ({
      denyCall: denyCall && ((call) => (isRun(tools[call.toolName]) ? denyCall(call) : undefined)),
    })),
  ),
  mutant(
    'oneDecisionOneExecution',
    'nothing is denied',
    'planCalls',
    planned(() => ({ denyCall: undefined })),
  ),
  mutant(
    'oneDecisionOneExecution',
    'every tool is active for what was approved',
    'planCalls',
    planned(({ tools, granted, activeTools }) => ({ activeTools: granted ? Object.keys(tools) : activeTools })),
  ),
  mutant('oneDecisionOneExecution', 'a no is a yes', 'settleOpenStep', (real) => (run, open, abandoned) => {
    const answers = Object.entries(open.answers).map(([id, answer]) => {
      return [id, 'approved' in answer ? { approved: true as const } : answer] as const
    })
    return real(run, { ...open, answers: Object.fromEntries(answers) }, abandoned)
  }),
  mutant('oneDecisionOneExecution', 'silence is a yes', 'withEveryApproval', (real) => (given, pending) => {
    const open = pending.filter(({ reason }) => reason === 'approval').map(({ toolCallId }) => toolCallId)
    return real({ ...Object.fromEntries(open.map((id) => [id, { approved: true } as const])), ...given }, pending)
  }),
  mutant('historyIsTheLoops', 'the history lies open', 'freezeData', () => (value) => value),
  mutant(
    'historyIsTheLoops',
    'what an approver changed stays a secret',
    'planCalls',
    (real) => async (calls, options) => {
      const plans = await real(calls, options)
      return plans.map((plan) => (plan.type === 'run' ? { ...plan, granted: undefined } : plan))
    },
  ),
  mutant('historyIsTheLoops', 'long histories are cut in secret', 'buildRequest', (real) => (run, edit, finalizing) => {
    const built = real(run, edit, finalizing)
    const { messages } = built.request
    const kept = messages.length > 3 ? messages.slice(2) : messages
    return { ...built, request: { ...built.request, messages: kept } }
  }),
  mutant('noCallIsLost', 'a failure closes what waits', 'closeOpenCalls', (real) => (run) => {
    run.pending = []
    return real(run)
  }),
  mutant('noCallIsLost', 'what nobody judged is closed', 'openCalls', () => () => Promise.resolve([])),
  mutant('noCallIsLost', 'a failure leaves its calls open', 'closeOpenCalls', () => () => []),
  mutant('noCallIsLost', 'a transcript forgets what waits', 'transcriptOf', (real) => (run, over) => ({
    ...real(run, over),
    ...(run.steps.length === 0 && { pendingCalls: [] }),
  })),
  mutant('keysAreForOneCall', 'the turn is not in the key', 'idempotencyKeys', (real) => (ids) => real(ids, 0)),
  mutant(
    'keysAreForOneCall',
    'turns are counted in what is left of the history',
    'readInput',
    (real) => (input, tools) => {
      const start = real(input, tools)
      return { ...start, turns: start.messages.filter(({ role }) => role === 'assistant').length }
    },
  ),
  mutant(
    'keysAreForOneCall',
    'every attempt has a key of its own',
    'idempotencyKeys',
    (real) => (ids, turn) => (call) => `${real(ids, turn)(call)}:${crypto.randomUUID()}`,
  ),
  mutant(
    'resumingGoesOn',
    'limits begin anew',
    'createCounts',
    (real) => (before) => real({ ...before, toolCalls: 0, tokens: 0 }),
  ),
  mutant('resumingGoesOn', 'whoever goes on begins anew', 'readInput', (real) => (input, tools) => ({
    ...real(input, tools),
    progress: undefined,
  })),
  mutant('resumingGoesOn', 'a choice is forced in every run', 'buildRequest', (real) => (run, edit, finalizing) => {
    const built = real(run, edit, finalizing)
    const toolChoice = run.steps.length === 0 && !finalizing ? run.config.toolChoice : built.request.toolChoice
    return { ...built, request: { ...built.request, toolChoice } }
  }),
  mutant('forgedTranscriptsAreRefused', 'calls may have one id', 'callsProblem', () => () => undefined),
  mutant('forgedTranscriptsAreRefused', 'anything may be approved', 'checkAnswers', () => () => undefined),
  mutant(
    'honestTranscriptsAreTaken',
    'what is shown is not what is bound',
    'approvalHash',
    (real) =>
      async (...given) => {
        const made = await real(...given)
        return { ...made, hash: `${made.hash}${crypto.randomUUID()}` }
      },
  ),
  mutant('continuationFits', 'all histories are one', 'historyHash', () => () => 'same'),
  mutant(
    'policiesMeanTheirNames',
    'a cache knows inputs by their JSON',
    'faithfulJson',
    () => (value) => JSON.stringify(value),
  ),
  mutant('policiesMeanTheirNames', 'a cache keeps what writes', 'originOf', (real) => (tool) => harmless(real(tool))),
  mutant(
    'policiesMeanTheirNames',
    'what the loop says counts as the user’s words',
    'sinceUser',
    () => (messages) => messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1),
  ),
  mutant(
    'policiesMeanTheirNames',
    'attempts that fail are paid for',
    'mapTools',
    (real) => (options, change) => real(options, (tool, name) => ({ ...change(tool, name), effect: tool.effect })),
  ),
  mutant('policiesMeanTheirNames', 'whatever a provider counts is counted', 'knownUsage', () => (usage) => usage),
]

function truthfully(tool: AnyTool): AnyTool {
  if (tool.type !== 'function' || typeof tool.needsApproval !== 'function') return tool
  const ask = tool.needsApproval as (input: unknown) => unknown
  return {
    ...tool,
    needsApproval: (async (input: unknown) => (await ask(input)) === true) as typeof tool.needsApproval,
  }
}

const harmlessTools = new WeakMap<FunctionTool<never>, FunctionTool<never>>()

function harmless(tool: FunctionTool<never>): FunctionTool<never> {
  const made = harmlessTools.get(tool) ?? { ...tool, effect: 'read' }
  harmlessTools.set(tool, made)
  return made
}

function isRun(tool: AnyTool | undefined): boolean {
  return tool?.type === 'function' && tool.execute !== undefined
}

const surroundings = createSurroundings()
afterAll(() => {
  surroundings.close()
})

testMutants({
  mutants,
  checks: Object.keys(decisionChecks).filter((name) => name !== 'settles'),
  draws: fc.sample(decisionDraws, { seed: 12, numRuns: 2000 }),
  broken: async (draw) => {
    const observation = await playDecisions(draw, surroundings)
    surroundings.takeUnhandled()
    return problemsOf(observation).map(({ invariant }) => invariant)
  },
})
