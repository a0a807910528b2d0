import { limitOutput, tooManyOutput, truncatedOutput, undecidedOutput, unknownOutput } from './call-answers.ts'
import {
  approvalPlan,
  approvedInput,
  askForApproval,
  grantedCall,
  grantedPlan,
  runPlan,
  withSpent,
  type GrantedApproval,
} from './approve-call.ts'
import type { CallPlan, PendPlan } from './call-plan.ts'
import type { EagerCall } from './eager-call.ts'
import type { FinishReason } from '../contract/adapter.ts'
import { toJsonValue } from '../wire/json-value.ts'
import type { Message, ToolCallPart, ToolOutput } from '../contract/messages.ts'
import { ownCopy } from '../tools/own-data.ts'
import type { InputRules } from '../tools/input-hooks.ts'
import { resolveInput, unparsableOutput, type ResolvedInput, type ValidInput } from './resolve-input.ts'
import { inTime, timedOut, timeLeft, type RunningTools } from './running-tools.ts'
import { judgeCall, structuredToolName, type StructuredState } from '../output/structured.ts'
import { isThenable } from '../tools/thenable.ts'
import type { FunctionTool, ToolSet } from '../tools/tool.ts'
import { errorOutput } from '../wire/tool-output.ts'

export interface PlanOptions {
  readonly tools: ToolSet
  /** Names that the model could see in this step. */
  readonly activeTools: readonly string[]
  readonly unknownTools: 'answer' | 'client'
  readonly maxToolCallsPerStep: number
  /** Calls that may still run before the run has reached its limit. */
  readonly callsLeft: number
  /** How the turn of the calls ended; absent for calls of an earlier run. */
  readonly finishReason?: FinishReason | undefined
  /** Set when nothing may run any more: the answer for each call. */
  readonly refusal?: ToolOutput | undefined
  /** A structured answer is taken all the same: a limit leaves room for it, a hook or a filter that ended the run does not. */
  readonly takesAnswer?: boolean | undefined
  readonly inputHooks: InputRules
  /** Gives the reason why a call must not run. */
  readonly denyCall?: ((call: ToolCallPart) => string | undefined | Promise<string | undefined>) | undefined
  /** Set in runs with a structured answer. */
  readonly structured?: StructuredState | undefined
  /** Calls that run already. */
  readonly started: ReadonlyMap<string, EagerCall> | undefined
  /** Approvals that were granted, by call id. */
  readonly granted?: ReadonlyMap<string, GrantedApproval> | undefined
  /** The conversation up to the calls. */
  readonly messages: readonly Message[]
  /** Once aborted, nothing is asked any more. */
  readonly signal: AbortSignal
  /** Milliseconds; 0: none. A tool's own `timeout` wins. */
  readonly toolTimeout: number
  /** Holds the calls that are judged. */
  readonly running: RunningTools
  /** What is decided so far, for a stop in between. */
  readonly judging: Judging
}

export interface Judging {
  /** By position. */
  inputs: readonly (ResolvedInput | Promise<ResolvedInput> | undefined)[]
  readonly plans: CallPlan[]
  /** Plans to run. */
  running: number
}

export function nothingJudged(): Judging {
  return { inputs: [], plans: [], running: 0 }
}

/**
 * Decides for each call of a turn, in order: run it, answer it at once, or leave it to the caller. Every call goes the same way, be it new,
 * approved or edited by an approver: refine, validate, deny, limits and active tools, approval. Whoever judges gets a copy of the value that
 * `execute` will get. Gives a promise only where something has to be waited for.
 *
 * Throws `LoopError` `invalid-transcript` for an approval that does not fit its call.
 */
export function planCalls(
  given: readonly ToolCallPart[],
  options: PlanOptions,
): readonly CallPlan[] | Promise<readonly CallPlan[]> {
  // A frozen list takes ten times as long to go through.
  const calls = [...given]
  const inputs = calls.map((call, position) => inputOf(call, position, options))
  options.judging.inputs = inputs
  if (!inputs.some((input) => input instanceof Promise)) return planFrom(calls, options)
  const keep = async (input: (typeof inputs)[number], position: number): Promise<void> => {
    inputs[position] = await input
  }
  return Promise.all(inputs.map(keep)).then(() => planFrom(calls, options))
}

/** `undefined` where it is not needed: the call is answered anyway, or runs already. */
function inputOf(
  call: ToolCallPart,
  position: number,
  options: PlanOptions,
): ResolvedInput | Promise<ResolvedInput> | undefined {
  if (options.refusal !== undefined || position >= options.maxToolCallsPerStep) return undefined
  if (call.invalid === 'truncated' || options.started?.has(call.toolCallId)) return undefined
  const tool = functionTool(call.toolName, options.tools)
  if (tool === undefined) {
    return call.invalid !== undefined && isClients(call, tool, options) ? { output: unparsableOutput(call) } : undefined
  }
  const granted = options.granted?.get(call.toolCallId)
  if (granted === undefined) return resolveInput(call, tool, options)
  // What was shown to a person as it would run is validated again, and not changed any more.
  const bound = granted.edited === undefined && granted.pending.hash !== undefined
  return approvedInput(grantedCall(call, granted), tool, bound ? { ...options, inputHooks: {} } : options, granted)
}

function planFrom(
  calls: readonly ToolCallPart[],
  options: PlanOptions,
): readonly CallPlan[] | Promise<readonly CallPlan[]> {
  const { plans, inputs } = options.judging
  // By numbers: a piece of a list that is frozen, as the content of a message is, takes twenty times as long.
  for (let call = calls[plans.length]; call !== undefined; call = calls[plans.length]) {
    if (options.signal.aborted) break
    const position = plans.length
    const plan = isStructuredCall(call, options)
      ? planStructured(call, calls, options)
      : planCall(call, settledInput(inputs[position]), position, options)
    if (plan instanceof Promise) {
      return plan.then((made) => {
        accept(made, options)
        return planFrom(calls, options)
      })
    }
    accept(plan, options)
  }
  return plans
}

/** `undefined` for one that is still waited for. */
export function settledInput(input: Judging['inputs'][number]): ResolvedInput | undefined {
  return input instanceof Promise ? undefined : input
}

function accept(plan: CallPlan, { callsLeft, judging }: PlanOptions): void {
  const over = plan.type === 'run' && ++judging.running > callsLeft
  judging.plans.push(over ? { type: 'answer', call: plan.call, output: limitOutput() } : plan)
}

export function isStructuredCall<Options extends Pick<PlanOptions, 'structured'>>(
  call: ToolCallPart,
  options: Options,
): options is Options & { readonly structured: StructuredState } {
  return options.structured !== undefined && call.toolName === structuredToolName
}

async function planStructured(
  call: ToolCallPart,
  calls: readonly ToolCallPart[],
  { structured, refusal, takesAnswer }: PlanOptions & { readonly structured: StructuredState },
): Promise<CallPlan> {
  if (refusal !== undefined && takesAnswer !== true) {
    return { type: 'answer', call, output: refusal, hidden: true }
  }
  const alone = calls.every((other) => other === call)
  return { type: 'answer', call, output: await judgeCall(structured, call, alone), hidden: true }
}

function planCall(
  call: ToolCallPart,
  input: ResolvedInput | undefined,
  position: number,
  options: PlanOptions,
): CallPlan | Promise<CallPlan> {
  const tool = functionTool(call.toolName, options.tools)
  const refusal = refusalOf(call, position, options)
  if (refusal !== undefined) return { type: 'answer', call, output: refusal }
  // What was started early was judged then; only the limits are looked at once more.
  if (tool !== undefined && options.started?.has(call.toolCallId)) return { type: 'run', call, tool, input: undefined }
  if (input !== undefined && 'output' in input) return { type: 'answer', call, ...input }
  const denied = options.denyCall?.(shownCall(call, input))
  if (isThenable(denied)) return waitForDenial(call, input, denied, options)
  return denied === undefined ? planAllowed(call, tool, input, options) : deniedPlan(call, denied)
}

async function waitForDenial(
  call: ToolCallPart,
  input: ValidInput | undefined,
  denied: PromiseLike<unknown>,
  options: PlanOptions,
): Promise<CallPlan> {
  const tool = functionTool(call.toolName, options.tools)
  const limit = limitFor(tool, options)
  const { value, ms } = await inTime(denied, timeLeft(limit, input?.spentMs), options.running)
  if (value === timedOut) return { type: 'answer', call, output: undecidedOutput(call, limit) }
  return value === undefined ? planAllowed(call, tool, input && withSpent(input, ms), options) : deniedPlan(call, value)
}

function limitFor(tool: FunctionTool<never> | undefined, { toolTimeout }: PlanOptions): number {
  return tool?.timeout ?? toolTimeout
}

function refusalOf(call: ToolCallPart, position: number, options: PlanOptions): ToolOutput | undefined {
  if (call.invalid === 'truncated') return truncatedOutput(options.finishReason)
  const { refusal, maxToolCallsPerStep } = options
  return refusal ?? (position < maxToolCallsPerStep ? undefined : tooManyOutput(maxToolCallsPerStep))
}

/** The call as judges see it: a copy, with the input that `execute` gets. */
export function shownCall(call: ToolCallPart, input: ValidInput | undefined): ToolCallPart {
  return input === undefined ? ownCopy(call) : { ...ownCopy(call), input: ownCopy(input.input) }
}

/** Only `undefined` lets a call through: whatever else `denyCall` gave is a denial. */
function deniedPlan(call: ToolCallPart, denied: unknown): CallPlan {
  const reason = typeof denied === 'string' ? denied : `'${call.toolName}' may not be run here.`
  return { type: 'answer', call, output: errorOutput('denied', reason) }
}

function planAllowed(
  call: ToolCallPart,
  tool: FunctionTool<never> | undefined,
  input: ValidInput | undefined,
  options: PlanOptions,
): CallPlan | Promise<CallPlan> {
  if (tool === undefined || input === undefined || !options.activeTools.includes(call.toolName)) {
    return isClients(call, tool, options) ? clientPlan(call, input) : unknownPlan(call, options)
  }
  if (tool.execute === undefined) return clientPlan(call, input)
  const granted = options.granted?.get(call.toolCallId)
  if (granted !== undefined) return grantedPlan({ call, tool, input }, granted)
  const { needsApproval } = tool
  if (needsApproval === undefined || needsApproval === false) return runPlan(call, tool, input)
  if (typeof needsApproval !== 'function') return approvalPlan({ call, tool, input })
  const time = { limit: limitFor(tool, options), running: options.running }
  return askForApproval({ call, tool, input }, needsApproval as (input: unknown) => unknown, time)
}

export function clientPlan(call: ToolCallPart, input: ValidInput | undefined): PendPlan {
  const { toolCallId, toolName } = call
  const shown = input === undefined ? call.input : toJsonValue(input.input)
  return { type: 'pend', call, pending: { toolCallId, toolName, input: shown, reason: 'client-tool' } }
}

export function functionTool(name: string, tools: ToolSet): FunctionTool<never> | undefined {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  return tool?.type === 'function' ? tool : undefined
}

/** Some tools are declared by the provider and carried out by the caller: a shell, a computer, a patch. */
export function isClients(
  call: ToolCallPart,
  tool: FunctionTool<never> | undefined,
  options: Pick<PlanOptions, 'tools' | 'activeTools' | 'unknownTools'>,
): boolean {
  if (tool?.execute !== undefined) return false
  const { tools, activeTools, unknownTools } = options
  if (unknownTools === 'client') return true
  return activeTools.some((key) => {
    const declared = tools[key]
    return declared?.type === 'provider' && declared.name === call.toolName
  })
}

function unknownPlan(call: ToolCallPart, { tools, activeTools }: PlanOptions): CallPlan {
  const names = activeTools.filter((name) => tools[name]?.type === 'function')
  return { type: 'answer', call, output: unknownOutput(call, names) }
}
