import type { ToolCallPart } from '../contract/messages.ts'
import { approvalPlan } from './approve-call.ts'
import type { PendPlan } from './call-plan.ts'
import {
  clientPlan,
  functionTool,
  isClients,
  isStructuredCall,
  settledInput,
  shownCall,
  type PlanOptions,
} from './plan-calls.ts'
import type { ValidInput } from './resolve-input.ts'
import { isThenable } from '../tools/thenable.ts'

type OpenOptions = Omit<PlanOptions, 'running'>

/**
 * How a call goes on waiting when nobody is left who could judge it, if it is the caller's, or if a person may have to approve it. `denyCall` is
 * asked, since a call that it denies must not be shown to anybody, but nobody waits for it.
 */
export async function openPlan(
  call: ToolCallPart,
  position: number,
  options: OpenOptions,
): Promise<PendPlan | undefined> {
  const { judging } = options
  const known = judging.plans[position]
  if (known !== undefined) return known.type === 'pend' ? known : undefined
  const input = settledInput(judging.inputs[position])
  if (input !== undefined && 'output' in input) return undefined
  if (call.invalid !== undefined && input === undefined) return undefined
  if (position >= options.maxToolCallsPerStep) return undefined
  if (isStructuredCall(call, options)) return undefined
  const verdict = verdictNow(call, input, options)
  const plan = verdict === 'denied' ? undefined : await waitingPlan(call, input, options)
  return plan === undefined || verdict === 'allowed' ? plan : { ...plan, pending: { ...plan.pending, unjudged: true } }
}

/** `undefined`: the input that would be judged is not known, or the judge takes its time, or fails. */
function verdictNow(
  call: ToolCallPart,
  input: ValidInput | undefined,
  { denyCall, tools }: OpenOptions,
): 'allowed' | 'denied' | undefined {
  if (input === undefined && functionTool(call.toolName, tools) !== undefined) return undefined
  try {
    const denied = denyCall?.(shownCall(call, input))
    if (!isThenable(denied)) return denied === undefined ? 'allowed' : 'denied'
    denied.then(undefined, () => undefined)
  } catch {
    // It has failed before, or will be asked again.
  }
  return undefined
}

async function waitingPlan(
  call: ToolCallPart,
  input: ValidInput | undefined,
  options: OpenOptions,
): Promise<PendPlan | undefined> {
  const { toolCallId, toolName } = call
  const tool = functionTool(toolName, options.tools)
  const active = tool !== undefined && options.activeTools.includes(toolName)
  if (!active) return isClients(call, tool, options) ? clientPlan(call, input) : undefined
  if (tool.execute === undefined) return clientPlan(call, input)
  if (tool.needsApproval === undefined || tool.needsApproval === false) return undefined
  // Without a hash the approval is bound to nothing: it is asked for again where more than these arguments would run.
  if (input === undefined) {
    return { type: 'pend', call, pending: { toolCallId, toolName, input: call.input, reason: 'approval' } }
  }
  const plan = await approvalPlan({ call, tool, input }).catch(() => undefined)
  return plan?.type === 'pend' ? plan : undefined
}
