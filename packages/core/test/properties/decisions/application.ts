import type { Adapter } from '../../../src/contract/adapter.ts'
import { isObject } from '../../../src/wire/json.ts'
import type {
  Policy,
  PrepareStepContext,
  RunOptions,
  StepEdit,
  StepLoopOptions,
} from '../../../src/options/loop-options.ts'
import type { ToolCallPart } from '../../../src/contract/messages.ts'
import { allowTools, denyTools } from '../../../src/policies/allow-tools.ts'
import { cacheToolResults } from '../../../src/policies/cache-tool-results.ts'
import { finalizeAfterTools } from '../../../src/policies/finalize-after-tools.ts'
import { forceFirstTool } from '../../../src/policies/force-first-tool.ts'
import { limitToolCalls } from '../../../src/policies/limit-tool-calls.ts'
import { limitToolOutput } from '../../../src/policies/limit-tool-output.ts'
import { limitTurnTime } from '../../../src/options/turn-timeout.ts'
import { refineInput } from '../../../src/policies/refine-input.ts'
import { retryEmpty } from '../../../src/policies/retry-empty.ts'
import { shareToolCalls } from '../../../src/policies/share-tool-calls.ts'
import type { AppDraw, ChangeKind, HookDraw, PolicyDraw } from './draw.ts'
import { judge, mayWrite, type Ledger } from './ledger.ts'
import { answerSchema } from './schemas/testing.ts'
import { isDanger, makeTools } from './tools.ts'
import type { StepContext, ToolStartControl } from '../../../src/options/loop-hooks.ts'

/** Milliseconds between two events that a slow reader asks for; more than a turn may take. */
export const slowness = 200
const turnTime = 100

export function makeOptions(ledger: Ledger, model: Adapter): StepLoopOptions {
  const { app } = ledger.draw
  const { toolChoice, maxSteps, maxToolCalls, maxTokens, maxRepeatedCalls, onLimit, onToolError, unknownTools } = app
  let conversations = 0
  return {
    model,
    tools: makeTools(ledger),
    policies: policiesOf(app),
    toolChoice: toolChoice === 'tool' ? { type: 'tool', toolName: 't0' } : toolChoice,
    maxSteps,
    maxToolCalls,
    maxTokens,
    maxRepeatedCalls,
    onLimit,
    onToolError,
    unknownTools,
    timeout: app.timeout,
    eagerTools: app.eager,
    maxRetries: 1,
    clock: ledger.time.clock,
    random: () => 0.5,
    generateId: () => `conversation-${conversations++}`,
    ...(app.structured !== 'none' && { output: { schema: answerSchema, maxRepairs: 3 } }),
    ...(app.deny && { denyCall: (call) => deny(ledger, call) }),
    ...inputHooks(ledger),
    ...((app.trim !== undefined || app.writer !== undefined) && { prepareStep: (context) => trim(ledger, context) }),
    ...hooksOf(ledger),
  }
}

/** The options that a run has of its own. */
export function changedOptions(ledger: Ledger, change: ChangeKind, policies: StepLoopOptions['policies']): RunOptions {
  switch (change) {
    case 'none':
      return {}
    case 'deny':
      return { policies: [...(policies ?? []), denyTools(['t0', 'ask'])] }
    case 'inactive':
      return { activeTools: activeNames(change, ledger) }
    case 'one-call':
      return { maxToolCalls: 1 }
    case 'definition':
    case 'always':
      return { tools: makeTools(ledger) }
    default:
      return change satisfies never
  }
}

/** Names of the tools that a run may use. */
export function activeNames(change: ChangeKind, { draw }: Pick<Ledger, 'draw'>): readonly string[] {
  const all = [...draw.tools.map((_tool, index) => `t${index}`), 'ask', 'shell']
  return change === 'inactive' ? all.filter((name) => name !== 't0') : all
}

/** Whether a policy of the run keeps a tool from running. */
export function isDenied(name: string, change: ChangeKind, { policies }: AppDraw): boolean {
  const denied = policies.some((policy) => {
    if (policy.type === 'allow') return !policy.tools.includes(name)
    return policy.type === 'deny' && policy.tools.includes(name)
  })
  return denied || (change === 'deny' && ['t0', 'ask'].includes(name))
}

function policiesOf({ policies, refine }: AppDraw): readonly Policy[] {
  const filling = refine === 'policy' ? [refineInput({ tool: 't0', fill: () => ({ n: 5000 }) })] : []
  return [...policies.map(policyOf), ...filling]
}

function policyOf(policy: PolicyDraw): Policy {
  switch (policy.type) {
    case 'allow':
      return allowTools(policy.tools)
    case 'deny':
      return denyTools(policy.tools)
    case 'limit':
      return limitToolCalls({ [policy.tool]: policy.most })
    case 'share':
      return shareToolCalls(policy.most)
    case 'force':
      return forceFirstTool({ tool: policy.tool })
    case 'cache':
      return cacheToolResults()
    case 'retry-empty':
      return retryEmpty({ maxRetries: 2 })
    case 'turn-time':
      return limitTurnTime(turnTime)
    case 'finalize':
      return finalizeAfterTools()
    case 'cut-output':
      return limitToolOutput({ maxCharacters: 5_000 })
    default:
      return policy satisfies never
  }
}

function deny(ledger: Ledger, call: ToolCallPart): string | undefined {
  const passes = !isDanger(call.input)
  judge(ledger, { by: 'denyCall', tool: call.toolName, id: call.toolCallId, input: call.input, passes })
  mayWrite(ledger, 'denyCall', call)
  return passes ? undefined : 'It is dangerous.'
}

/** What `refineInput` gives for an input, `undefined` to keep it. */
export function refined({ refine }: AppDraw, tool: string, input: unknown): unknown {
  if (tool !== 't0' || !isObject(input)) return undefined
  if (refine === 'replace') return { n: 5000 }
  if ((refine === 'fill' || refine === 'policy') && input['n'] === undefined) return { ...input, n: 5000 }
  return undefined
}

/** What `onInvalidInput` gives. */
export function fixed({ fix }: AppDraw, input: unknown): unknown {
  if (fix === 'empty') return {}
  const n = fix === 'fix' && isObject(input) ? input['n'] : undefined
  return typeof n === 'string' ? { n: Number(n.replace(',', '')) } : undefined
}

function inputHooks(ledger: Ledger): Pick<StepLoopOptions, 'refineInput' | 'onInvalidInput'> {
  const { app } = ledger.draw
  const given = (call: ToolCallPart, messages: unknown, make: () => unknown): unknown => {
    const made = make()
    mayWrite(ledger, 'refineInput', call, messages)
    return made
  }
  return {
    ...(app.refine !== 'none' &&
      app.refine !== 'policy' && {
        refineInput: (call, { messages }) => given(call, messages, () => refined(app, call.toolName, call.input)),
      }),
    ...(app.fix !== 'none' && {
      onInvalidInput: (call, _error, { messages }) => given(call, messages, () => fixed(app, call.input)),
    }),
  }
}

function trim(ledger: Ledger, { step, steps, messages }: PrepareStepContext): StepEdit | undefined {
  const { app } = ledger.draw
  const { when = 'first', keep = 0 } = app.trim ?? {}
  const cut = keep > 0 && (when === 'every' || step === 0) && messages.length > keep ? messages.slice(-keep) : undefined
  if (cut === undefined) mayWrite(ledger, 'prepareStep', messages, steps)
  return cut && { messages: cut }
}

const hookNames = ['onStepStart', 'onResponse', 'onToolStart', 'onToolExecuted', 'onStepEnd'] as const

function hooksOf(ledger: Ledger): Pick<StepLoopOptions, HookDraw['name']> {
  const { hooks, writer } = ledger.draw.app
  if (hooks.length === 0 && writer === undefined) return {}
  const counts = new Map<string, number>()
  // With `onToolStart` nothing starts early.
  const names = hookNames.filter((name) => name !== 'onToolStart' || !ledger.draw.app.eager)
  const entries = names.map((name) => {
    const hook = (context: StepContext): ToolStartControl | undefined => {
      const key = `${ledger.run} ${name}`
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      const act = hooks.find((drawn) => drawn.name === name && drawn.at === count)?.act
      ledger.hooks.push({ at: ledger.next(), run: ledger.run, name, act })
      noteCall(ledger, context)
      writeTo(ledger, context)
      return actOf(name, act)
    }
    return [name, hook] as const
  })
  return Object.fromEntries(entries)
}

function noteCall(ledger: Ledger, { toolCall }: StepContext): void {
  if (toolCall === undefined) return
  const { toolName: tool, toolCallId: id, input } = toolCall
  judge(ledger, { by: 'hook', tool, id, input, passes: true })
}

function writeTo(ledger: Ledger, context: StepContext): void {
  const { messages, steps, request, response, toolCall, toolResult, transcript } = context
  mayWrite(ledger, 'hook', messages, steps, request?.messages, response, toolCall, toolResult, transcript)
}

function actOf(name: HookDraw['name'], act: HookDraw['act'] | undefined): ToolStartControl | undefined {
  switch (act) {
    case undefined:
      return undefined
    case 'throw':
      throw new Error('hook')
    case 'stop':
      return { type: 'stop', reason: 'enough' }
    case 'override':
      return { type: 'override', response: 'overridden' }
    case 'extend':
      return { type: 'continue', messages: [{ role: 'user', content: 'Go on.' }] }
    case 'answer':
      return name === 'onToolStart' ? { type: 'answer', output: 'answered by a hook' } : undefined
    default:
      return act satisfies never
  }
}
