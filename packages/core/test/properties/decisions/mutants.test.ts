import * as fc from 'fast-check'
import { afterAll, expect, test, vi } from 'vitest'
import type { approvalHash } from '../../../src/tools/approval-hash.ts'
import type { checkAnswers, withEveryApproval } from '../../../src/transcript/check-answers.ts'
import type { callsProblem } from '../../../src/transcript/check-messages.ts'
import type { closeOpenCalls } from '../../../src/run/execute-calls.ts'
import type { openCalls } from '../../../src/run/judge-calls.ts'
import type { settleOpenStep } from '../../../src/run/settle-step.ts'
import type { askToolHook } from '../../../src/run/hooks.ts'
import type { idempotencyKey } from '../../../src/tools/idempotency-key.ts'
import type { historyHash } from '../../../src/transcript/message-hash.ts'
import type { planCalls, PlanOptions } from '../../../src/tools/plan-calls.ts'
import type { mapTools, originOf, sinceUser } from '../../../src/policies/compose.ts'
import type { faithfulJson } from '../../../src/policies/plain-data.ts'
import type { resolveInput } from '../../../src/tools/resolve-input.ts'
import type { readInput } from '../../../src/run/run-input.ts'
import type { transcriptOf } from '../../../src/run/run-state.ts'
import type { runTool } from '../../../src/tools/run-tool.ts'
import type { AnyTool, FunctionTool, ToolSet } from '../../../src/tools/tool.ts'
import type { buildRequest } from '../../../src/run/turn-request.ts'
import type { knownUsage } from '../../../src/contract/usage.ts'
import { createSurroundings } from '../testing.ts'
import { decisionChecks, problemsOf } from './check.ts'
import { playDecisions } from './play.ts'
import { decisionDraws } from './testing.ts'
import { createCounts } from '../../../src/run/limits.ts'

/** Functions of the loop that a mutant may change. */
interface Seams {
  approvalHash: typeof approvalHash
  checkAnswers: typeof checkAnswers
  withEveryApproval: typeof withEveryApproval
  callsProblem: typeof callsProblem
  closeOpenCalls: typeof closeOpenCalls
  openCalls: typeof openCalls
  settleOpenStep: typeof settleOpenStep
  askToolHook: typeof askToolHook
  idempotencyKey: typeof idempotencyKey
  createCounts: typeof createCounts
  historyHash: typeof historyHash
  freezeData: (value: unknown) => unknown
  ownCopy: (value: unknown) => unknown
  planCalls: typeof planCalls
  mapTools: typeof mapTools
  originOf: typeof originOf
  sinceUser: typeof sinceUser
  faithfulJson: typeof faithfulJson
  resolveInput: typeof resolveInput
  readInput: typeof readInput
  transcriptOf: typeof transcriptOf
  runTool: typeof runTool
  buildRequest: typeof buildRequest
  knownUsage: typeof knownUsage
}

const seams = await vi.hoisted(() => import('../seams.ts'))

vi.mock('../../../src/tools/approval-hash.ts', async (real) => seams.through(await real(), 'approvalHash'))
vi.mock('../../../src/transcript/check-answers.ts', async (real) =>
  seams.through(await real(), 'checkAnswers', 'withEveryApproval'),
)
vi.mock('../../../src/transcript/check-messages.ts', async (real) => seams.through(await real(), 'callsProblem'))
vi.mock('../../../src/run/execute-calls.ts', async (real) => seams.through(await real(), 'closeOpenCalls'))
vi.mock('../../../src/run/judge-calls.ts', async (real) => seams.through(await real(), 'openCalls'))
vi.mock('../../../src/run/settle-step.ts', async (real) => seams.through(await real(), 'settleOpenStep'))
vi.mock('../../../src/run/hooks.ts', async (real) => seams.through(await real(), 'askToolHook'))
vi.mock('../../../src/tools/idempotency-key.ts', async (real) => seams.through(await real(), 'idempotencyKey'))
vi.mock('../../../src/run/limits.ts', async (real) => seams.through(await real(), 'createCounts'))
vi.mock('../../../src/transcript/message-hash.ts', async (real) => seams.through(await real(), 'historyHash'))
vi.mock('../../../src/tools/own-data.ts', async (real) => seams.through(await real(), 'freezeData', 'ownCopy'))
vi.mock('../../../src/tools/plan-calls.ts', async (real) => seams.through(await real(), 'planCalls'))
vi.mock('../../../src/policies/compose.ts', async (real) =>
  seams.through(await real(), 'mapTools', 'originOf', 'sinceUser'),
)
vi.mock('../../../src/policies/plain-data.ts', async (real) => seams.through(await real(), 'faithfulJson'))
vi.mock('../../../src/tools/resolve-input.ts', async (real) => seams.through(await real(), 'resolveInput'))
vi.mock('../../../src/run/run-input.ts', async (real) => seams.through(await real(), 'readInput'))
vi.mock('../../../src/run/run-state.ts', async (real) => seams.through(await real(), 'transcriptOf'))
vi.mock('../../../src/tools/run-tool.ts', async (real) => seams.through(await real(), 'runTool'))
vi.mock('../../../src/run/turn-request.ts', async (real) => seams.through(await real(), 'buildRequest'))
vi.mock('../../../src/contract/usage.ts', async (real) => seams.through(await real(), 'knownUsage'))

type Invariant = keyof typeof decisionChecks

interface Mutant {
  readonly name: string
  readonly invariant: Invariant
  readonly seam: keyof Seams
  readonly change: (real: never) => unknown
}

function mutant<Seam extends keyof Seams>(
  invariant: Invariant,
  name: string,
  seam: Seam,
  change: (real: Seams[Seam]) => Seams[Seam],
): Mutant {
  return { name, invariant, seam, change }
}

/** Plans with other options. */
function planned(change: (options: PlanOptions) => Partial<PlanOptions>): (real: typeof planCalls) => typeof planCalls {
  return (real) => (calls, options) => real(calls, { ...options, ...change(options) })
}

function withTools(tools: ToolSet, change: (tool: AnyTool) => AnyTool): ToolSet {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, change(tool)]))
}

const mutants: readonly Mutant[] = [
  mutant(
    'judgedIsExecuted',
    'a tool gets the arguments as they came',
    'runTool',
    (real) => (options) => real({ ...options, input: options.call.input }),
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
  mutant('judgedIsExecuted', 'nobody refines, and nothing is filled in', 'resolveInput', () => ({ call }) => ({
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
  mutant(
    'keysAreForOneCall',
    'the turn is not in the key',
    'idempotencyKey',
    (real) => (ids, call) => real(ids, call, 0),
  ),
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
    'idempotencyKey',
    (real) => (ids, call, turn) => `${real(ids, call, turn)}:${attempts++}`,
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
        return { ...made, hash: `${made.hash}${attempts++}` }
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

let attempts = 0

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

const draws = fc.sample(decisionDraws, { seed: 12, numRuns: 2000 })

const kills: string[] = []

test.each(mutants)('$invariant notices that $name', { timeout: 60_000 }, async (changed) => {
  const killed = await seams.drawsToKill(changed, draws, async (draw) => {
    const observation = await playDecisions(draw, surroundings)
    surroundings.takeUnhandled()
    return problemsOf(observation).some(({ invariant }) => invariant === changed.invariant)
  })
  kills.push(`${changed.invariant.padEnd(28)} ${changed.name}: ${killed ?? 'lives'}`)
  expect(killed).toBeDefined()
})

test(
  'every invariant has a mutant, and the loop as it is breaks none on the same draws',
  { timeout: 60_000 },
  async () => {
    process.stdout.write(`invariant, mutant, and the draws that it took to notice it:\n${kills.join('\n')}\n`)
    const held = new Set(mutants.map(({ invariant }) => invariant))
    const mutated = Object.keys(decisionChecks).filter((name) => name !== 'settles')
    expect([...held].toSorted()).toEqual(mutated.toSorted())
    for (const draw of draws) expect(problemsOf(await playDecisions(draw, surroundings))).toEqual([])
  },
)
