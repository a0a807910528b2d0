import type { Warning } from '../contract/adapter.ts'
import type { ToolCallPart, ToolResultPart } from '../contract/messages.ts'
import type { PendingCall, ToolAnswer } from '../contract/transcript.ts'
import type { GrantedApproval } from '../calls/approve-call.ts'
import type { CallPlan } from '../calls/call-plan.ts'
import { freezeData } from '../tools/own-data.ts'
import { nothingJudged } from '../calls/plan-calls.ts'
import { callerCalls } from '../transcript/history.ts'
import { toJsonValue } from '../wire/json-value.ts'
import { errorOutput, clientToolOutput } from '../wire/tool-output.ts'
import { carryOut } from './execute-calls.ts'
import { judge, offeredHere, planOptions } from './judge-calls.ts'
import type { OpenStep } from './run-input.ts'
import { warn, type RunState } from './state/run-state.ts'

/** Finishes the step that a suspended transcript left open: answers come in, approved calls run. `abandoned`: the rest is given up. */
export async function settleOpenStep(
  run: RunState,
  open: OpenStep,
  abandoned: boolean,
): Promise<readonly ToolResultPart[]> {
  const calls = callerCalls(open.message)
  const waiting = new Map(open.pending.map((pending) => [pending.toolCallId, pending]))
  const granted = new Map<string, GrantedApproval>()
  const settled = new Map<string, CallPlan>()
  const unjudged = new Set<string>()
  for (const call of calls) {
    const pending = waiting.get(call.toolCallId)
    if (pending === undefined) continue
    const answer = Object.hasOwn(open.answers, call.toolCallId) ? open.answers[call.toolCallId] : undefined
    if (answer !== undefined && 'approved' in answer && answer.approved)
      granted.set(call.toolCallId, grantOf(pending, answer))
    else
      settled.set(call.toolCallId, answer === undefined ? unanswered(call, pending, abandoned) : answered(call, answer))
    if (pending.unjudged === true && (answer !== undefined || !abandoned)) unjudged.add(call.toolCallId)
  }
  const asked = calls.filter(({ toolCallId }) => granted.has(toolCallId) || unjudged.has(toolCallId))
  const offered = open.pending.filter((pending) => pending.offered === true).map(({ toolName }) => toolName)
  const activeTools = [...run.config.activeTools, ...offered]
  const options = planOptions(run, { activeTools, granted, judging: nothingJudged() })
  const planned = await judge(run, asked, options)
  for (const plan of planned) settle(settled, offeredHere(run, plan))
  const plans = calls.flatMap(({ toolCallId }) => settled.get(toolCallId) ?? [])
  await warn(run, planned.flatMap(askedAgain))
  return carryOut(run, {
    message: open.message,
    calls,
    plans,
    messages: options.messages,
    running: options.running,
    earlier: open.results,
  })
}

/** What judges say at last of a call that waited unjudged: it is denied, or waits judged, or needs no person after all; else its answer counts. */
function settle(settled: Map<string, CallPlan>, plan: CallPlan): void {
  const { toolCallId } = plan.call
  const known = settled.get(toolCallId)
  const unneeded = plan.type === 'run' && known?.type === 'pend' && known.pending.reason === 'approval'
  if (known === undefined || plan.type === 'answer' || plan.type === known.type || unneeded)
    settled.set(toolCallId, plan)
}

function grantOf(pending: PendingCall, answer: Extract<ToolAnswer, { approved: true }>): GrantedApproval {
  const edited = answer.input === undefined ? undefined : { input: freezeData(toJsonValue(answer.input)) }
  return { pending, edited }
}

function askedAgain(plan: CallPlan): readonly Warning[] {
  if (plan.type !== 'pend' || plan.again === undefined) return []
  const message = `the approval of '${plan.call.toolName}' does not hold, and is asked for again: ${plan.again}`
  return [{ type: 'coerced', path: `toolOutputs.${plan.call.toolCallId}`, message }]
}

function unanswered(call: ToolCallPart, pending: PendingCall, abandoned: boolean): CallPlan {
  if (!abandoned) return { type: 'pend', call, pending }
  const message = 'The user went on without answering this call.'
  return { type: 'answer', call, output: errorOutput('not-executed', message) }
}

function answered(call: ToolCallPart, answer: ToolAnswer): CallPlan {
  if (!('approved' in answer)) return { type: 'answer', call, output: clientToolOutput(answer) }
  const reason = answer.approved || answer.reason === undefined ? '' : ` Reason: ${answer.reason}`
  return { type: 'answer', call, output: errorOutput('denied', `The call was not approved.${reason}`) }
}
