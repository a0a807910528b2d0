import { canonicalJson } from './canonical-json.ts'
import { endedOutput, dispatchCalls, resultOf, type CallPlan, type Dispatch } from './dispatch.ts'
import type { FinishReason } from './events.ts'
import { errorText } from './error-text.ts'
import { LoopError } from './errors.ts'
import { discardEager } from './eager-tools.ts'
import { callerCalls } from './history.ts'
import { idempotencyKey } from './idempotency-key.ts'
import type { ToolAnswer } from './loop-options.ts'
import type { LoopEvent } from './loop-events.ts'
import type { AssistantMessage, ToolCallPart, ToolOutput, ToolResultPart } from './messages.ts'
import { planCalls } from './plan-calls.ts'
import type { OpenStep } from './run-input.ts'
import { append, emit, tellLast, type RunState } from './run-state.ts'
import { errorOutput, outputOf } from './run-tool.ts'
import type { PendingCall } from './transcript.ts'

export interface ExecuteOptions {
  readonly activeTools: readonly string[]
  /** How the turn of the calls ended. */
  readonly finishReason: FinishReason
  /** Set when nothing may run any more: the answer for each call. */
  readonly refusal?: ToolOutput | undefined
}

/**
 * Runs what the loop owns of the calls in `message`, which is the last message, and appends their results. What the caller has to answer
 * ends up in `run.pending`. Whatever happens in between, every call that is not pending has its result when this settles.
 */
export async function executeCalls(
  run: RunState,
  message: AssistantMessage,
  options: ExecuteOptions,
): Promise<readonly ToolResultPart[]> {
  const calls = callerCalls(message)
  if (calls.length === 0) return []
  const { tools, unknownTools, maxToolCallsPerStep, denyCall, inputHooks } = run.config
  const canRepair = inputHooks.onInvalidInput !== undefined
  const { structured } = run
  const planning = planCalls(calls, {
    ...options,
    tools,
    unknownTools,
    maxToolCallsPerStep,
    denyCall,
    canRepair,
    callsLeft: run.config.maxToolCalls - run.counts.toolCalls,
    structured,
  })
  const plans = planning instanceof Promise ? await run.scope.race(planning) : planning
  return carryOut(run, { calls, plans, earlier: [] })
}

/** Finishes the step that a suspended transcript left open: answers come in, approved calls run. `abandoned`: the rest is given up. */
export async function settleOpenStep(
  run: RunState,
  open: OpenStep,
  abandoned: boolean,
): Promise<readonly ToolResultPart[]> {
  const pending = new Map(open.pending.map((call) => [call.toolCallId, call]))
  const calls = callerCalls(open.message)
  const plans: CallPlan[] = []
  for (const call of calls) {
    const wait = pending.get(call.toolCallId)
    if (wait === undefined) continue
    const answer = Object.hasOwn(open.answers, call.toolCallId) ? open.answers[call.toolCallId] : undefined
    plans.push(answer === undefined ? unanswered(call, wait, abandoned) : answered(run, call, answer))
  }
  return carryOut(run, { calls, plans, earlier: open.results })
}

function unanswered(call: ToolCallPart, wait: PendingCall, abandoned: boolean): CallPlan {
  if (!abandoned) return { type: 'pend', call, reason: wait.reason }
  const message = 'The user went on without answering this call.'
  return { type: 'answer', call, output: errorOutput('not-executed', message) }
}

function answered(run: RunState, call: ToolCallPart, answer: ToolAnswer): CallPlan {
  if ('output' in answer) return { type: 'answer', call, output: outputOf(answer.output) }
  if ('error' in answer) return { type: 'answer', call, output: errorOutput('tool-failed', answer.error) }
  if (!answer.approved) {
    const reason = answer.reason === undefined ? '' : ` Reason: ${answer.reason}`
    return { type: 'answer', call, output: errorOutput('denied', `The call was not approved.${reason}`) }
  }
  const denied = run.config.denyCall?.(call)
  if (denied !== undefined) return { type: 'answer', call, output: errorOutput('denied', denied) }
  const tool = Object.hasOwn(run.config.tools, call.toolName) ? run.config.tools[call.toolName] : undefined
  if (tool?.type !== 'function' || tool.execute === undefined) {
    const message = `The approved tool '${call.toolName}' is not among the tools of this loop any more.`
    return { type: 'answer', call, output: errorOutput('unknown-tool', message) }
  }
  const approved = answer.input === undefined ? call : withInput(call, answer.input)
  return { type: 'run', call: approved, tool, approved: true }
}

/** Other arguments are another piece of work, so the idempotency key, which is made of their text, has to change with them. */
function withInput(call: ToolCallPart, input: unknown): ToolCallPart {
  return { ...call, input, inputText: canonicalJson(input) }
}

interface Work {
  /** All calls of the step, in order. */
  readonly calls: readonly ToolCallPart[]
  readonly plans: readonly CallPlan[]
  /** Results of the calls that have no plan any more. */
  readonly earlier: readonly ToolResultPart[]
}

/** Who waits for the next event of a tool. */
interface Sleeper {
  wake?: (() => void) | undefined
}

/** Runs the plans, appends one tool message with earlier and new results in call order, and keeps what pends. */
async function carryOut(run: RunState, { calls, plans, earlier }: Work): Promise<readonly ToolResultPart[]> {
  const watched = run.observer.events !== undefined
  const events: LoopEvent[] = []
  const sleeper: Sleeper = {}
  const { maxToolConcurrency: concurrency, toolTimeout, clock, onToolError } = run.config
  run.counts.toolCalls += plans.filter((plan) => plan.type === 'run').length
  const dispatch = dispatchCalls({
    plans,
    concurrency,
    toolTimeout,
    clock,
    signal: run.scope.signal,
    idempotencyKey: (call) => idempotencyKey(run.transcriptId, call),
    transcriptId: run.transcriptId,
    messages: run.messages,
    inputHooks: run.config.inputHooks,
    started: run.eager,
    emit: watched
      ? (event) => {
          events.push(event)
          sleeper.wake?.()
        }
      : undefined,
  })
  try {
    if (!watched) await run.scope.race(dispatch.done)
    else await emitWhile(run, dispatch, events, sleeper)
  } finally {
    const results = dispatch.results()
    const content = inCallOrder(calls, earlier.length === 0 ? results : [...earlier, ...results])
    discardEager(run)
    if (content.length > 0) append(run, { role: 'tool', content })
    if (run.scope.reason !== undefined) void tellLast(run, events)
  }
  run.pending = plans.filter((plan) => plan.type === 'pend').map(pendingOf)
  const failure = dispatch.failure()
  if (failure !== undefined && onToolError === 'throw') throw toolFailed(run, failure)
  return dispatch.results()
}

function pendingOf({ call, reason }: Extract<CallPlan, { type: 'pend' }>): PendingCall {
  return { toolCallId: call.toolCallId, toolName: call.toolName, input: call.input, reason }
}

function toolFailed(run: RunState, failure: { readonly call: ToolCallPart; readonly cause: unknown }): LoopError {
  const { call, cause } = failure
  const message = `The tool '${call.toolName}' failed: ${errorText(cause)}`
  return new LoopError('tool-failed', message, { step: run.steps.length, cause })
}

/** Hands on the events of running tools as they come, until all are done. */
async function emitWhile(run: RunState, dispatch: Dispatch, events: LoopEvent[], sleeper: Sleeper): Promise<void> {
  let done = false
  void dispatch.done.then(() => {
    done = true
    sleeper.wake?.()
  })
  for (;;) {
    // An aborted run hands on what is left of its events with its last one.
    if (run.scope.reason !== undefined) throw run.scope.reason
    if (events.length > 0) {
      await emit(run, events.splice(0))
      continue
    }
    if (done) return
    await run.scope.race(
      new Promise<void>((resolve) => {
        sleeper.wake = resolve
      }),
    )
  }
}

function inCallOrder(calls: readonly ToolCallPart[], results: readonly ToolResultPart[]): readonly ToolResultPart[] {
  if (results.every(({ toolCallId }, index) => calls[index]?.toolCallId === toolCallId)) return results
  const byId = new Map(results.map((result) => [result.toolCallId, result]))
  return calls.flatMap((call) => byId.get(call.toolCallId) ?? [])
}

/** After a failure: the calls that are still open are answered `aborted`, so that the history can be used again. */
export function closeOpenCalls(run: RunState): readonly ToolResultPart[] {
  const last = run.messages.at(-1)
  const partial = last?.role === 'tool' ? last : undefined
  const message = run.messages.at(partial === undefined ? -1 : -2)
  const calls = message?.role === 'assistant' ? callerCalls(message) : []
  if (calls.length === 0) return []
  const known = new Map((partial?.content ?? run.earlier).map((result) => [result.toolCallId, result]))
  if (partial !== undefined && calls.every((call) => known.has(call.toolCallId))) return []
  const aborted = endedOutput()
  const content = calls.map((call) => known.get(call.toolCallId) ?? resultOf(call, aborted))
  if (partial !== undefined) {
    run.messages.pop()
    if (run.added.at(-1) === partial) run.added.pop()
  }
  append(run, { role: 'tool', content })
  run.pending = []
  return content.filter(({ toolCallId }) => !known.has(toolCallId))
}
