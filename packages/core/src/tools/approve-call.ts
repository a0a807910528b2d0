import { approvalHash, definitionIn } from './approval-hash.ts'
import type { CallPlan, RunPlan } from './call-plan.ts'
import { canonicalJson } from '../wire/canonical-json.ts'
import { LoopError } from '../contract/errors.ts'
import { toJsonValue } from '../wire/json-value.ts'
import type { ToolCallPart } from '../contract/messages.ts'
import { ownCopy } from './own-data.ts'
import { failedInput, validateInput, type ResolvedInput, type ValidInput } from './resolve-input.ts'
import type { FunctionTool } from './tool.ts'
import type { PendingCall } from '../contract/transcript.ts'

/** A person said yes to a call that waited. */
export interface GrantedApproval {
  readonly pending: PendingCall
  /** The input that the person gave instead. */
  readonly edited: { readonly input: unknown } | undefined
}

export interface Runnable {
  readonly call: ToolCallPart
  readonly tool: FunctionTool<never>
  readonly input: ValidInput
  /** The arguments are an approver's, not the model's. */
  readonly edited?: boolean | undefined
}

export function runPlan({ call, tool, input }: Runnable): RunPlan {
  return { type: 'run', call, tool, input: input.input, spentMs: input.spentMs }
}

export function grantedCall(
  { invalid: _invalid, ...call }: ToolCallPart,
  { pending, edited }: GrantedApproval,
): ToolCallPart {
  if (edited !== undefined) return withInput(call, edited.input)
  return pending.refined === undefined ? call : { ...call, input: pending.refined.input }
}

/** Other arguments are another piece of work, so the idempotency key, which is made of their text, has to change with them. */
function withInput(call: ToolCallPart, input: unknown): ToolCallPart {
  return { ...call, input, inputText: canonicalJson(input) }
}

export async function approvalPlan({ call, tool, input, edited }: Runnable): Promise<CallPlan> {
  const { toolCallId, toolName } = call
  const shown = toJsonValue(input.input)
  const refined = input.refined && { refined: { input: toJsonValue(input.refined.input) } }
  const given = refined === undefined ? call.input : refined.refined.input
  const { hash } = await approvalHash({ toolName, tool, given, input: shown })
  const pending = { toolCallId, toolName, input: shown, reason: 'approval', hash, ...refined } as const
  return { type: 'pend', call, pending: edited === true ? { ...pending, edited } : pending }
}

/** Only a plain `false` lets the call through: not a predicate that fails, and nothing that is merely falsy. */
export async function askForApproval(
  runnable: Runnable,
  needsApproval: (input: unknown) => unknown,
): Promise<CallPlan> {
  const needed = await Promise.resolve(ownCopy(runnable.input.input))
    .then(needsApproval)
    .catch(() => true)
  return needed === false ? runPlan(runnable) : approvalPlan(runnable)
}

/**
 * An approval holds for the tool as it was and for the input that was shown, or that the approver gave. Where the tool is another one now,
 * or the schema or a hook made another input of the approver's, the person is asked again.
 */
export async function grantedPlan(runnable: Runnable, granted: GrantedApproval): Promise<CallPlan> {
  const { call, tool, input } = runnable
  const { pending, edited } = granted
  const { toolName } = call
  const given = pending.refined === undefined ? call.input : pending.refined.input
  const { definition, hash } = await approvalHash({ toolName, tool, given, input: pending.input })
  const again = {
    ...runnable,
    input: { ...input, refined: input.refined ?? edited ?? pending.refined },
    edited: edited !== undefined || pending.edited === true,
  }
  if (pending.hash !== undefined && definitionIn(pending.hash) !== definition) return approvalPlan(again)
  if (pending.hash !== undefined && pending.hash !== hash) throw otherArguments(call)
  const shown = toJsonValue(input.input)
  if (edited === undefined) {
    const executedInput = pending.edited === true ? { input: shown } : undefined
    const made = executedInput === undefined ? call : withInput(call, given)
    if (isSame(shown, pending.input))
      return { ...runPlan({ ...runnable, call: made }), granted: { pending, executedInput } }
    return approvalPlan(again)
  }
  if (!isSame(shown, edited.input)) return approvalPlan(again)
  const made = grantedCall(call, granted)
  return { ...runPlan({ ...runnable, call: made }), granted: { pending, executedInput: { input: shown } } }
}

/**
 * The input of a call that was approved as it was shown. A schema that fills in something new each time (a date, an id) gives what was shown
 * only for what was shown.
 */
export async function approvedInput(
  resolving: ResolvedInput | Promise<ResolvedInput>,
  tool: FunctionTool<never>,
  { pending, edited }: GrantedApproval,
): Promise<ResolvedInput> {
  const resolved = await resolving
  if (edited !== undefined || pending.hash === undefined || 'output' in resolved) return resolved
  if (isSame(toJsonValue(resolved.input), pending.input)) return resolved
  const shown = await Promise.resolve(ownCopy(pending.input))
    .then((input) => validateInput(input, tool))
    .catch(failedInput)
  return 'output' in shown || !isSame(toJsonValue(shown.input), pending.input) ? resolved : shown
}

function isSame(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right)
}

export function otherArguments({ toolCallId }: { readonly toolCallId: string }): LoopError {
  const message = `Call '${toolCallId}' waits with another tool or other arguments than it has in \`messages\`. Give the transcript back unchanged, and changed input as { approved: true, input }.`
  return new LoopError('invalid-transcript', message)
}
