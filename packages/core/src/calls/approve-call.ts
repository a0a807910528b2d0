import { approvalHash } from '../tools/approval-hash.ts'
import type { CallPlan, RunPlan } from './call-plan.ts'
import { canonicalJson } from '../wire/canonical-json.ts'
import { LoopError } from '../contract/errors.ts'
import { describe, toJsonValue } from '../wire/json-value.ts'
import type { ToolCallPart } from '../contract/messages.ts'
import { ownCopy } from '../tools/own-data.ts'
import { resolveInput, type ResolvedInput, type ResolveOptions, type ValidInput } from './resolve-input.ts'
import { inTime, timeLeft, type RunningTools } from './running-tools.ts'
import { isThenable } from '../tools/thenable.ts'
import type { FunctionTool } from '../tools/tool.ts'
import { errorOutput } from '../wire/tool-output.ts'
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

export function runPlan(call: ToolCallPart, tool: FunctionTool<never>, { input, spentMs }: ValidInput): RunPlan {
  return { type: 'run', call, tool, input, spentMs }
}

export function grantedCall(call: ToolCallPart, { pending, edited }: GrantedApproval): ToolCallPart {
  if (edited !== undefined) return withInput(call, edited.input)
  const { invalid: _invalid, ...valid } = call
  return pending.refined === undefined ? valid : { ...valid, input: pending.refined.input }
}

/** Other arguments are another piece of work, so the idempotency key, which is made of their text, has to change with them. */
function withInput({ invalid: _invalid, ...call }: ToolCallPart, input: unknown): ToolCallPart {
  return { ...call, input, inputText: canonicalJson(input) }
}

export async function approvalPlan({ call, tool, input, edited }: Runnable, again?: string): Promise<CallPlan> {
  const { toolCallId, toolName } = call
  const described = describe(input.input)
  if ('lost' in described) return unshownPlan(call, described.lost)
  const shown = described.json
  const refined = input.refined && { refined: { input: toJsonValue(input.refined.input) } }
  const given = refined === undefined ? call.input : refined.refined.input
  const { hash } = await approvalHash({ toolName, tool, given, input: shown })
  const pending = { toolCallId, toolName, input: shown, reason: 'approval', hash, ...refined } as const
  return { type: 'pend', call, pending: edited === true ? { ...pending, edited } : pending, again }
}

/** What cannot be shown is not asked about. */
function unshownPlan(call: ToolCallPart, lost: string): CallPlan {
  const message = `'${call.toolName}' was not run: an approver cannot be shown its input, which holds ${lost}. Let the schema make plain data, or give the class a \`toJSON\`.`
  return { type: 'answer', call, output: errorOutput('tool-failed', message), cause: new TypeError(message) }
}

/**
 * Only a plain `false` lets the call through: not a predicate that fails or takes longer than the call may (`limit` milliseconds; 0: none),
 * and nothing that is merely falsy.
 */
export function askForApproval(
  runnable: Runnable,
  needsApproval: (input: unknown) => unknown,
  { limit, running }: { readonly limit: number; readonly running: RunningTools },
): CallPlan | Promise<CallPlan> {
  const { call, tool, input } = runnable
  try {
    const needed = needsApproval(ownCopy(input.input))
    if (!isThenable(needed)) return needed === false ? runPlan(call, tool, input) : approvalPlan(runnable)
    return inTime(needed, timeLeft(limit, input.spentMs), running).then(
      ({ value, ms }) => (value === false ? runPlan(call, tool, withSpent(input, ms)) : approvalPlan(runnable)),
      () => approvalPlan(runnable),
    )
  } catch {
    return approvalPlan(runnable)
  }
}

/** The time of the call is one: what those who judge it take is not left for its tool. */
export function withSpent(input: ValidInput, ms: number): ValidInput {
  return { ...input, spentMs: (input.spentMs ?? 0) + ms }
}

/**
 * An approval holds for the tool as it was and for the input that was shown, or that the approver gave. Where the tool is another one now,
 * or the schema or a hook made another input of the approver's, the person is asked again.
 */
export async function grantedPlan(runnable: Runnable, { pending, edited }: GrantedApproval): Promise<CallPlan> {
  const { call, tool, input } = runnable
  const { toolName } = call
  const given = pending.refined === undefined ? call.input : pending.refined.input
  const { definition, hash } = await approvalHash({ toolName, tool, given, input: pending.input })
  const isApprovers = edited !== undefined || pending.edited === true
  const refined = input.refined ?? edited ?? pending.refined
  const again = { ...runnable, input: { ...input, refined }, edited: isApprovers }
  if (pending.hash?.startsWith(`${definition}.`) === false) return approvalPlan(again, otherTool)
  if (pending.hash !== undefined && pending.hash !== hash) throw otherArguments(call)
  const { input: shown } = edited ?? pending
  if (!isAsShown(input, shown)) {
    if (edited !== undefined) return approvalPlan(again, otherEdit)
    return approvalPlan(again, pending.hash === undefined ? notReady : otherInput)
  }
  const made = isApprovers ? withInput(call, edited === undefined ? given : edited.input) : call
  const executedInput = isApprovers ? { input: shown } : undefined
  return { ...runPlan(made, tool, input), granted: { pending, executedInput } }
}

// Why an approval does not hold.

const otherTool =
  'its tool is declared otherwise than when it was shown. A description or schema has to be the same in each run'
const otherEdit = 'its schema or a hook makes another input of what the approver gave'
const otherInput =
  'its schema makes another input of the same arguments. What is new each time has to be made in `execute`'
const notReady = 'its run had failed before the input was ready'

/**
 * The input of a call that was approved as it was shown. A schema that fills in something new each time (a date, an id) gives what was shown
 * only for what was shown.
 */
export async function approvedInput(
  call: ToolCallPart,
  tool: FunctionTool<never>,
  options: ResolveOptions,
  { pending, edited }: GrantedApproval,
): Promise<ResolvedInput> {
  const resolved = await resolveInput(call, tool, options)
  if (edited !== undefined || pending.hash === undefined || isAsShown(resolved, pending.input)) return resolved
  const again = await resolveInput({ ...call, input: pending.input }, tool, options)
  return isAsShown(again, pending.input) ? again : resolved
}

function isAsShown({ input }: ResolvedInput, shown: unknown): boolean {
  const described = describe(input)
  return 'json' in described && canonicalJson(described.json) === canonicalJson(shown)
}

export function otherArguments({ toolCallId }: { readonly toolCallId: string }): LoopError {
  const message = `Call '${toolCallId}' waits with another tool or other arguments than it has in \`messages\`. Give the transcript back unchanged, and changed input as { approved: true, input }.`
  return new LoopError('invalid-transcript', message)
}
