import { abortedOutput, endedOutput, failedRunOutput, undecidedOutput } from './call-answers.ts'
import type { CallPlan, PendPlan, RunPlan } from './call-plan.ts'
import type { LoopEvent } from '../contract/loop-events.ts'
import type { ToolCallPart, ToolOutput, ToolResultPart } from '../contract/messages.ts'
import { freezeData, ownCopy } from '../tools/own-data.ts'
import { announce, settle, toolState } from './call-events.ts'
import { failedInput } from './resolve-input.ts'
import { runTool, type ToolOutcome, type ToolStep } from './run-tool.ts'
import { inTime, startTogether, stopTools, timedOut, timeLeft } from './running-tools.ts'
import { withExecutedInput, resultOf } from '../wire/tool-output.ts'
import type { PendingCall } from '../contract/transcript.ts'
import type { EagerCall } from './eager-call.ts'
import { withItem } from '../wire/json.ts'

/** The application's hooks around each call. Both settle; a failure of theirs ends the dispatch. */
export interface CallHooks {
  /** Asked before a call begins; gives the answer of a call that is not to run. */
  readonly start?: ((call: ToolCallPart) => Promise<ToolOutput | undefined>) | undefined
  readonly executed?: ((call: ToolCallPart, result: ToolResultPart) => Promise<unknown>) | undefined
  /** True once a hook has ended the run: nothing begins any more. */
  readonly ended: () => boolean
}

export interface DispatchOptions extends ToolStep {
  readonly plans: readonly CallPlan[]
  readonly concurrency: number
  /** Calls that run already, by id. They count; those that are not to run after all are cancelled. */
  readonly started: ReadonlyMap<string, EagerCall> | undefined
  /** Absent when the events are not read. */
  readonly emit: ((event: LoopEvent) => void) | undefined
  /** Absent when there are none. */
  readonly hooks: CallHooks | undefined
  /** Called when every call that runs has its outcome. */
  readonly done: () => void
}

/** Calls of a step under way. */
export interface Dispatch {
  readonly options: DispatchOptions
  readonly outcomes: (ToolOutcome | undefined)[]
  /** By index, the calls whose tools were begun, as hooks see them. */
  readonly begun: (ToolCallPart | undefined)[]
  /** Hooks are asked one after the other. */
  hookQueue: Promise<unknown> | undefined
  /** What a hook threw. */
  hookFailure: { readonly cause: unknown } | undefined
  /** The results were taken: nothing changes any more. */
  sealed: boolean
  /** Number of the plan that is looked at next, and how many calls are under way. */
  next: number
  active: number
  readonly settled: Settled
}

/** Runs the calls of one step with bounded concurrency. Each gets exactly one result, whatever order they finish in. */
export function dispatchCalls(options: DispatchOptions): Dispatch {
  const { plans, emit, started } = options
  const work: Dispatch = {
    options,
    outcomes: plans.map((plan) => (plan.type === 'answer' ? outcomeOf(plan) : undefined)),
    begun: plans.map(() => undefined),
    hookQueue: undefined,
    hookFailure: undefined,
    sealed: false,
    next: 0,
    active: 0,
    settled(outcome, index) {
      const asking = finish(work, index, outcome)
      if (asking === undefined) leave(work)
      else void asking.then(() => leave(work))
    },
  }
  if (emit !== undefined) {
    for (const plan of plans) if (plan.type !== 'answer' || !plan.hidden) announce(plan, emit, started)
  }
  runAll(work)
  return work
}

/** The first call, in call order, whose tool threw. */
export function failureOf({
  options,
  outcomes,
}: Dispatch): { readonly call: ToolCallPart; readonly cause: unknown } | undefined {
  const index = outcomes.findIndex((outcome) => outcome !== undefined && 'cause' in outcome)
  const plan = options.plans[index]
  return plan && { call: plan.call, cause: outcomes[index]?.cause }
}

function outcomeOf(plan: Extract<CallPlan, { type: 'answer' }>): ToolOutcome {
  const output = freezeData(plan.output)
  return 'cause' in plan ? { output, cause: plan.cause } : { output }
}

function unfinishedOutput({ options, hookFailure }: Dispatch): ToolOutput {
  if (options.signal.aborted) return abortedOutput()
  return hookFailure === undefined ? endedOutput() : failedRunOutput()
}

/** An approved call that was not begun before the run failed: nothing has happened, so nothing is lost. */
function waitsAgain({ options, hookFailure, begun, outcomes }: Dispatch, index: number, plan: RunPlan): boolean {
  const failed = options.signal.aborted || hookFailure !== undefined
  return plan.granted !== undefined && failed && begun[index] === undefined && outcomes[index] === undefined
}

/** Calls that wait for the caller, in call order; approved ones that an abort kept from beginning wait again. */
export function pendingOf(work: Dispatch): readonly PendingCall[] {
  const pending: PendingCall[] = []
  work.options.plans.forEach((plan, index) => {
    if (plan.type === 'pend' && work.outcomes[index] === undefined) pending.push(plan.pending)
    if (plan.type === 'run' && plan.granted && waitsAgain(work, index, plan)) pending.push(plan.granted.pending)
  })
  return pending
}

function runAll(work: Dispatch): void {
  const { started, running } = work.options
  if (started !== undefined) followStarted(work, started)
  startTogether(running, () => pump(work))
}

function followStarted(work: Dispatch, started: ReadonlyMap<string, EagerCall>): void {
  const { plans, emit } = work.options
  plans.forEach((plan, index) => {
    const eager = started.get(plan.call.toolCallId)
    if (eager === undefined) return
    if (plan.type === 'run') {
      if (emit !== undefined) eager.reports.follow(emit)
      follow(work, index, eager.outcome)
    } else eager.cancel()
  })
}

function follow(work: Dispatch, index: number, asked: Promise<ToolOutcome | undefined>): void {
  work.active++
  void asked.then((outcome) => work.settled(outcome, index))
}

/** Begins what may begin, or tells that all is done. */
function pump(work: Dispatch): void {
  const { plans, concurrency, started, hooks, done } = work.options
  for (; work.active < concurrency && work.next < plans.length && mayBegin(work); work.next++) {
    const plan = plans[work.next]
    if (plan?.type === 'run' && !started?.has(plan.call.toolCallId)) {
      work.active++
      begin(work, work.next, plan)
    } else if (plan?.type === 'pend' && hooks?.start !== undefined && plan.pending.reason === 'client-tool') {
      follow(work, work.next, askInstead(work, plan, hooks.start))
    } else if (plan?.type === 'answer' && hooks?.executed !== undefined && !plan.hidden) {
      follow(work, work.next, Promise.resolve(work.outcomes[work.next]))
    }
  }
  if (work.active === 0) done()
}

function leave(work: Dispatch): void {
  work.active--
  pump(work)
}

/** Called once a call has its outcome; `undefined`: a hook, or an abort, kept it from beginning. */
type Settled = (outcome: ToolOutcome | undefined, index: number) => void

function mayBegin({ options: { signal, hooks }, hookFailure }: Dispatch): boolean {
  return !signal.aborted && hookFailure === undefined && !hooks?.ended()
}

/** Keeps the outcome of a call and tells of it, before the next one begins. Gives a promise only where a hook has to be waited for. */
function finish(work: Dispatch, index: number, outcome: ToolOutcome | undefined): Promise<unknown> | undefined {
  const { plans, emit, hooks, started } = work.options
  const plan = plans[index]
  // Not begun, or too late: the results were taken.
  if (plan === undefined || outcome === undefined || work.sealed) return undefined
  work.hookFailure ??= outcome.failure
  if (outcome.failure !== undefined) return undefined
  if (plan.type !== 'answer') {
    const output = sayExecuted(work, index, outcome.output)
    // Core has made it: nothing else is in it.
    freezeData(output.value)
    Object.freeze(output)
    work.outcomes[index] = output === outcome.output ? outcome : { ...outcome, output }
    if (emit !== undefined) settle(plan.call, { output }, emit)
  }
  const executed = hooks?.executed
  if (executed === undefined) return undefined
  const result = resultOf(plan.call, work.outcomes[index]?.output ?? outcome.output)
  const shown = work.begun[index] ?? started?.get(plan.call.toolCallId)?.shown
  return inQueue(work, () => executed(shown ?? plan.call, result))
}

/** The output of a call; one that was begun with the approver's arguments says so. What a hook answered was run with none at all. */
function sayExecuted({ options, begun }: Dispatch, index: number, output: ToolOutput): ToolOutput {
  const plan = options.plans[index]
  const changed = plan?.type === 'run' && begun[index] !== undefined ? plan.granted?.executedInput : undefined
  return changed === undefined ? output : withExecutedInput(output, changed.input)
}

/** Asks a hook when those before it have settled, unless one of them ended the run or failed. */
function inQueue<T>(work: Dispatch, ask: () => Promise<T>): Promise<T | undefined> {
  const asked = (work.hookQueue ?? Promise.resolve()).then(async () => {
    if (!mayBegin(work)) return undefined
    try {
      return await ask()
    } catch (cause) {
      work.hookFailure ??= { cause }
      return undefined
    }
  })
  work.hookQueue = asked
  return asked
}

/** A hook may answer what would wait for the caller. */
function askInstead(
  work: Dispatch,
  { call, pending }: PendPlan,
  start: NonNullable<CallHooks['start']>,
): Promise<ToolOutcome | undefined> {
  const shown = { ...call, input: freezeData(ownCopy(pending.input)) }
  const asking = inQueue(work, () => askInTime(start(shown), call, work.options))
  return asking.then((asked) => asked?.output && { output: asked.output })
}

/** A hook that takes longer than the call may leaves it undecided, so that it neither runs nor waits. */
async function askInTime(
  asking: Promise<ToolOutput | undefined>,
  call: ToolCallPart,
  { running, toolTimeout }: DispatchOptions,
  limit = toolTimeout,
): Promise<{ readonly output: ToolOutput | undefined; readonly ms: number }> {
  const { value, ms } = await inTime(asking, limit, running)
  return { output: value === timedOut ? undecidedOutput(call, limit) : value, ms }
}

function begin(work: Dispatch, index: number, plan: RunPlan): void {
  const { settled } = work
  const { hooks, toolTimeout } = work.options
  try {
    // Before the tool can write to it.
    const shown = hooks && { ...plan.call, input: freezeData(ownCopy(plan.input)) }
    if (shown === undefined || hooks?.start === undefined) {
      runPlan(work, index, plan, shown)
      return
    }
    const { start } = hooks
    const { spentMs = 0 } = plan
    const limit = timeLeft(plan.tool.timeout ?? toolTimeout, spentMs)
    void inQueue(work, () => askInTime(start(shown), plan.call, work.options, limit)).then((asked) => {
      if (asked?.output !== undefined) settled({ output: asked.output }, index)
      else if (asked === undefined || !mayBegin(work)) settled(undefined, index)
      else runPlan(work, index, { ...plan, spentMs: spentMs + asked.ms }, shown)
    })
  } catch (cause) {
    void Promise.resolve(failedInput(cause)).then((outcome) => settled(outcome, index))
  }
}

function runPlan(work: Dispatch, index: number, plan: RunPlan, shown: ToolCallPart = plan.call): void {
  work.begun[index] = shown
  work.options.emit?.(toolState(plan.call, 'running'))
  runTool(plan, index, work.options, work.settled)
}

/**
 * Results in call order; calls that wait for the caller have none. From then on nothing changes: what was begun and has no outcome is
 * answered `aborted`, what was not begun `aborted` or `not-executed`.
 */
export function resultsOf(work: Dispatch): readonly ToolResultPart[] {
  work.sealed = true
  const { options, outcomes } = work
  const { plans, emit } = options
  let results: ToolResultPart[] = []
  plans.forEach((plan, index) => {
    // What has no outcome gets the one that it will have in the history, and readers of events get it.
    if (plan.type === 'run' && outcomes[index] === undefined && !waitsAgain(work, index, plan)) {
      const outcome = { output: freezeData(sayExecuted(work, index, unfinishedOutput(work))) }
      outcomes[index] = outcome
      if (emit !== undefined) settle(plan.call, outcome, emit)
    }
    const output = outcomes[index]?.output
    // Its output is frozen.
    if (output !== undefined) results = withItem(results, Object.freeze(resultOf(plan.call, output)))
  })
  stopTools(options.running, options.signal.reason)
  // This one stays as long as the run.
  return results.length > 1 ? results.slice() : results
}
