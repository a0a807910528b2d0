import type { CallPlan } from './dispatch.ts'
import type { FinishReason } from './events.ts'
import type { ToolCallPart, ToolOutput } from './messages.ts'
import { errorOutput, unparsableOutput } from './run-tool.ts'
import { judgeCall, structuredToolName, type StructuredState } from './structured.ts'
import type { AnyTool, FunctionTool, ToolSet } from './tool.ts'

export interface PlanOptions {
  readonly tools: ToolSet
  /** Names that the model could see in this step. */
  readonly activeTools: readonly string[]
  readonly unknownTools: 'answer' | 'client'
  readonly maxToolCallsPerStep: number
  /** Calls that may still run before the run has reached its limit. */
  readonly callsLeft: number
  /** How the turn of the calls ended. */
  readonly finishReason: FinishReason
  /** Set when nothing may run any more: the answer for each call. */
  readonly refusal?: ToolOutput | undefined
  /** Whether the application may give an input for arguments that are no JSON object. */
  readonly canRepair: boolean
  /** Gives the reason why a call must not run. */
  readonly denyCall?: ((call: ToolCallPart) => string | undefined) | undefined
  /** Set in runs with a structured answer. */
  readonly structured?: StructuredState | undefined
}

/**
 * Decides for each call of a turn, in order: run it, answer it at once, or leave it to the caller. Provider-executed calls have no plan.
 * Gives a promise only where an approval or a structured answer has to be waited for.
 */
export function planCalls(
  calls: readonly ToolCallPart[],
  options: PlanOptions,
): readonly CallPlan[] | Promise<readonly CallPlan[]> {
  return planFrom(0, calls, options, { plans: [], running: 0 })
}

interface Planning {
  readonly plans: CallPlan[]
  running: number
}

function planFrom(
  start: number,
  calls: readonly ToolCallPart[],
  options: PlanOptions,
  planning: Planning,
): readonly CallPlan[] | Promise<readonly CallPlan[]> {
  for (let index = start; index < calls.length; index++) {
    const call = calls[index]
    if (call === undefined || call.owner === 'provider') continue
    const plan = isStructuredCall(call, options)
      ? planStructured(call, calls, options)
      : planCall(call, planning.plans.length, options)
    if (plan instanceof Promise) {
      return plan.then((made) => {
        accept(made, options, planning)
        return planFrom(index + 1, calls, options, planning)
      })
    }
    accept(plan, options, planning)
  }
  return planning.plans
}

function accept(plan: CallPlan, { callsLeft }: PlanOptions, planning: Planning): void {
  const over = plan.type === 'run' && ++planning.running > callsLeft
  planning.plans.push(over ? { type: 'answer', call: plan.call, output: limitOutput() } : plan)
}

function isStructuredCall(
  call: ToolCallPart,
  options: PlanOptions,
): options is PlanOptions & { readonly structured: StructuredState } {
  return options.structured !== undefined && call.toolName === structuredToolName
}

async function planStructured(
  call: ToolCallPart,
  calls: readonly ToolCallPart[],
  { structured, refusal }: PlanOptions & { readonly structured: StructuredState },
): Promise<CallPlan> {
  // A limit leaves room for the answer; a hook or a filter that ended the run does not.
  if (refusal?.type === 'error' && refusal.value.code === 'not-executed') {
    return { type: 'answer', call, output: refusal, hidden: true }
  }
  const alone = calls.every((other) => other === call || other.owner === 'provider')
  return { type: 'answer', call, output: await judgeCall(structured, call, alone), hidden: true }
}

function planCall(call: ToolCallPart, position: number, options: PlanOptions): CallPlan | Promise<CallPlan> {
  const answer = (output: ToolOutput): CallPlan => ({ type: 'answer', call, output })
  if (call.invalid === 'truncated') return answer(truncatedOutput(options.finishReason))
  if (options.refusal !== undefined) return answer(options.refusal)
  if (position >= options.maxToolCallsPerStep) {
    const message = `At most ${options.maxToolCallsPerStep} calls are run per step. Call again for the rest.`
    return answer(errorOutput('too-many-calls', message))
  }
  const tool = findTool(call.toolName, options)
  if (tool === undefined) {
    const clients = options.unknownTools === 'client' || isProviderTool(call.toolName, options)
    return clients ? clientPlan(call) : answer(unknownOutput(call, options))
  }
  const denied = tool.execute === undefined ? undefined : options.denyCall?.(call)
  if (denied !== undefined) return answer(errorOutput('denied', denied))
  const { needsApproval } = tool
  if (call.invalid !== undefined) {
    // What cannot be shown to an approver cannot be approved, so it is not repaired either.
    const repairable = options.canRepair && tool.execute !== undefined && !needsApproval
    return repairable ? { type: 'run', call, tool } : answer(unparsableOutput(call))
  }
  if (tool.execute === undefined) return clientPlan(call)
  if (typeof needsApproval !== 'function') return approvalPlan(call, tool, needsApproval === true)
  return askForApproval(call, tool, needsApproval as (input: unknown) => boolean | Promise<boolean>)
}

function clientPlan(call: ToolCallPart): CallPlan {
  return { type: 'pend', call, reason: 'client-tool' }
}

function approvalPlan(call: ToolCallPart, tool: FunctionTool<never>, needed: boolean): CallPlan {
  return needed ? { type: 'pend', call, reason: 'approval' } : { type: 'run', call, tool }
}

/** A predicate that fails must not let the call through. */
async function askForApproval(
  call: ToolCallPart,
  tool: FunctionTool<never>,
  needsApproval: (input: unknown) => boolean | Promise<boolean>,
): Promise<CallPlan> {
  try {
    return approvalPlan(call, tool, await needsApproval(call.input))
  } catch {
    return approvalPlan(call, tool, true)
  }
}

function findTool(name: string, options: PlanOptions): FunctionTool<never> | undefined {
  if (!Object.hasOwn(options.tools, name) || !options.activeTools.includes(name)) return undefined
  const tool: AnyTool | undefined = options.tools[name]
  return tool?.type === 'function' ? tool : undefined
}

function limitOutput(): ToolOutput {
  return errorOutput('limit-reached', 'The run has no calls left, so this one was not run.')
}

function truncatedOutput(finishReason: FinishReason): ToolOutput {
  const cut =
    finishReason === 'length'
      ? 'The limit of output tokens cut the call off'
      : 'The call was cut off before its arguments were complete'
  return errorOutput('truncated-call', `${cut}, so it was not run. Call again, with shorter arguments.`)
}

/** Some tools are declared by the provider and carried out by the caller: a shell, a computer, a patch. */
function isProviderTool(name: string, { tools, activeTools }: PlanOptions): boolean {
  return activeTools.some((key) => {
    const tool = tools[key]
    return tool?.type === 'provider' && tool.name === name
  })
}

function unknownOutput(call: ToolCallPart, options: PlanOptions): ToolOutput {
  const names = options.activeTools.filter((name) => options.tools[name]?.type === 'function')
  const available = names.length === 0 ? 'There are no tools.' : `Available tools: ${names.join(', ')}.`
  return errorOutput('unknown-tool', `There is no tool '${call.toolName}'. ${available}`)
}
