import type { ToolCallPart } from '../contract/messages.ts'
import type { PendingCall } from '../contract/transcript.ts'
import type { CallPlan } from '../calls/call-plan.ts'
import { freezeData } from '../tools/own-data.ts'
import { openPlan } from '../calls/open-plan.ts'
import { planCalls, type PlanOptions } from '../calls/plan-calls.ts'
import { createRunningTools, stopTools, type RunningTools } from '../calls/running-tools.ts'
import { callerCalls } from '../transcript/history.ts'
import { checkAbort, type RunState } from './state/run-state.ts'

/** An abort waits for no judgement of a call, and leaves no timer. */
export function judge(
  run: Pick<RunState, 'scope'>,
  calls: readonly ToolCallPart[],
  options: PlanOptions,
): readonly CallPlan[] | Promise<readonly CallPlan[]> {
  const planning = planCalls(calls, options)
  if (planning instanceof Promise) return judged(run, planning, options)
  // A judgement has aborted the run: not all calls have a plan.
  checkAbort(run)
  return planning
}

async function judged(
  run: Pick<RunState, 'scope'>,
  planning: Promise<readonly CallPlan[]>,
  { running }: PlanOptions,
): Promise<readonly CallPlan[]> {
  try {
    return await run.scope.race(planning)
  } finally {
    stopTools(running)
  }
}

/** What is another in each step. */
type StepOptions = Pick<PlanOptions, 'activeTools' | 'finishReason' | 'refusal' | 'takesAnswer' | 'granted' | 'judging'>

/** One literal: to spread one object over another takes as long as to plan a call. */
export function planOptions(run: RunState, step: StepOptions): PlanOptions {
  const { config, structured } = run
  const { tools, unknownTools, maxToolCallsPerStep, denyCall, toolTimeout } = config
  return {
    tools,
    activeTools: step.activeTools,
    finishReason: step.finishReason,
    refusal: step.refusal,
    takesAnswer: step.takesAnswer,
    granted: step.granted,
    judging: step.judging,
    unknownTools,
    maxToolCallsPerStep,
    callsLeft: config.maxToolCalls - run.counts.toolCalls,
    inputHooks: config,
    denyCall,
    structured,
    started: run.eager,
    messages: Object.freeze(run.messages.slice()),
    signal: run.scope.signal,
    toolTimeout,
    running: runningTools(run),
  }
}

/** The tools of all steps of a run, which stop when it is aborted. */
function runningTools(run: Pick<RunState, 'running' | 'scope' | 'config'>): RunningTools {
  if (run.running !== undefined) return run.running
  const { signal } = run.scope
  const running = createRunningTools(run.config.clock)
  signal.addEventListener('abort', () => stopTools(running, signal.reason))
  return (run.running = running)
}

/** A tool that only the edit of this step offered has to be known when the call is approved, or judged at last. */
export function offeredHere<Plan extends CallPlan>({ config }: Pick<RunState, 'config'>, plan: Plan): Plan {
  if (plan.type !== 'pend' || config.activeTools.includes(plan.pending.toolName)) return plan
  if (plan.pending.reason !== 'approval' && plan.pending.unjudged !== true) return plan
  return { ...plan, pending: { ...plan.pending, offered: true } }
}

/**
 * What waits for the caller in a run that failed, or was aborted, before the calls of its turn were carried out: nothing was done with them, so
 * nothing is lost.
 */
export async function openCalls(run: RunState): Promise<readonly PendingCall[]> {
  const { openTurn } = run
  if (openTurn === undefined) return run.pending
  const { message, refused } = openTurn
  if (refused || run.ended !== undefined) return []
  const options = planOptions(run, openTurn)
  const plans = await Promise.all(callerCalls(message).map((call, index) => openPlan(call, index, options)))
  return freezeData(plans.flatMap((plan) => (plan === undefined ? [] : offeredHere(run, plan).pending)))
}
