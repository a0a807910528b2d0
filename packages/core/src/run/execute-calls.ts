import { endedOutput, failedRunOutput } from '../calls/call-answers.ts'
import type { CallPlan } from '../calls/call-plan.ts'
import {
  dispatchCalls,
  failureOf,
  pendingOf,
  resultsOf,
  type CallHooks,
  type Dispatch,
  type DispatchOptions,
} from '../calls/dispatch.ts'
import { discardEager } from './turn/eager-tools.ts'
import { errorText } from '../wire/error-text.ts'
import { LoopError } from '../contract/errors.ts'
import type { FinishReason, TurnRequest } from '../contract/adapter.ts'
import { callerCalls } from '../transcript/history.ts'
import { askToolHook } from './state/hooks.ts'
import type { StepContext } from '../options/loop-hooks.ts'
import { idempotencyKeys } from '../calls/idempotency-key.ts'
import type { LoopEvent } from '../contract/loop-events.ts'
import type { AssistantMessage, Message, ToolCallPart, ToolOutput, ToolResultPart } from '../contract/messages.ts'
import { freezeData } from '../tools/own-data.ts'
import { addEvent } from '../calls/progress.ts'
import type { Judging } from '../calls/plan-calls.ts'
import type { RunningTools } from '../calls/running-tools.ts'
import { judge, offeredHere, planOptions } from './judge-calls.ts'
import { append, emit, tellLast, toolAround, type RunState, type Written } from './state/run-state.ts'
import type { PendingCall } from '../contract/transcript.ts'
import { outputOf, resultOf } from '../wire/tool-output.ts'

export interface ExecuteOptions {
  readonly activeTools: readonly string[]
  readonly judging: Judging
  /** Calls of the message that the loop or the caller has to answer. */
  readonly calls: readonly ToolCallPart[]
  /** How the turn of the calls ended. */
  readonly finishReason: FinishReason
  /** Set when nothing may run any more: the answer for each call. */
  readonly refusal?: ToolOutput | undefined
  readonly takesAnswer?: boolean | undefined
  /** What the model was asked, for hooks. */
  readonly request?: TurnRequest | undefined
}

/**
 * Runs what the loop owns of the calls in `message`, which is the last message, and appends their results. What the caller has to answer
 * ends up in `run.pending`. Whatever happens in between, every call that is not pending has its result when this settles.
 */
export function executeCalls(
  run: RunState,
  message: AssistantMessage,
  options: ExecuteOptions,
): readonly ToolResultPart[] | Promise<readonly ToolResultPart[]> {
  const { calls } = options
  if (calls.length === 0) return []
  const asked = planOptions(run, options)
  const { messages, running } = asked
  const goOn = (planned: readonly CallPlan[]): Promise<readonly ToolResultPart[]> => {
    run.openTurn = undefined
    const plans = planned.map((plan) => offeredHere(run, plan))
    return carryOut(run, { message, calls, plans, messages, running, earlier: [], request: options.request })
  }
  const judged = judge(run, calls, asked)
  return judged instanceof Promise ? judged.then(goOn) : goOn(judged)
}

interface Work {
  readonly message: AssistantMessage
  /** All calls of the step, in order. */
  readonly calls: readonly ToolCallPart[]
  readonly plans: readonly CallPlan[]
  /** The conversation up to the calls. */
  readonly messages: readonly Message[]
  readonly running: RunningTools
  /** Results of the calls that have no plan any more. */
  readonly earlier: readonly ToolResultPart[]
  /** Not known where an earlier run made it. */
  readonly request?: TurnRequest | undefined
}

/** What tools have told that was not handed on yet, and who is told of more, or of the last outcome. */
interface Sleeper {
  readonly events: LoopEvent[]
  wake: (() => void) | undefined
  done: boolean
}

function wake(sleeper: Sleeper): void {
  const { wake: waiting } = sleeper
  sleeper.wake = undefined
  waiting?.()
}

/**
 * Runs the plans, handing on the events of running tools as they come, appends one tool message with earlier and new results in call order,
 * and keeps what pends. No `async` function: its promise is fulfilled where the last call is done.
 */
export function carryOut(run: RunState, work: Work): Promise<readonly ToolResultPart[]> {
  const sleeper: Sleeper = { events: [], wake: undefined, done: false }
  const { events } = sleeper
  run.counts.toolCalls += countRuns(work.plans)
  const dispatch = dispatchCalls(dispatchOptions(run, work, sleeper))
  let results: readonly ToolResultPart[] | undefined
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      results ??= takeResults(run, work, dispatch, events)
      reject(cause)
    }
    const goOn = (): void => {
      try {
        const told = emit(run, events.length === 0 ? events : events.splice(0))
        if (told !== undefined) void told.then(goOn, fail)
        else if (results !== undefined) resolve(unlessFailed(run, dispatch, results))
        else if (sleeper.done) {
          run.scope.leaveBy(undefined)
          results = takeResults(run, work, dispatch, events)
          // What a hook kept from beginning was answered just now.
          goOn()
        } else if (run.observer.events === undefined) sleeper.wake = goOn
        // What is told together is handed on together.
        else sleeper.wake = () => void Promise.resolve().then(goOn)
      } catch (cause) {
        fail(cause)
      }
    }
    run.scope.leaveBy((reason) => void Promise.reject(reason).catch(fail))
    goOn()
  })
}

function takeResults(
  run: RunState,
  { calls, plans, earlier }: Work,
  dispatch: Dispatch,
  events: LoopEvent[],
): readonly ToolResultPart[] {
  const results = resultsOf(dispatch)
  const content = inCallOrder(calls, earlier.length === 0 ? results : [...earlier, ...results])
  // Each of them is frozen: a list that is as well is not gone through again.
  Object.freeze(results)
  discardEager(run)
  if (content.length > 0) append(run, { role: 'tool', content })
  const waiting = pendingOf(dispatch)
  run.counts.toolCalls -= countWaiting(plans, waiting)
  run.pending = freezeData(waiting)
  if (run.scope.reason !== undefined) tellLast(run, events.splice(0))
  return results
}

function unlessFailed<Results>({ config }: RunState, dispatch: Dispatch, results: Results): Results {
  if (dispatch.hookFailure !== undefined) throw dispatch.hookFailure.cause
  const failure = config.onToolError === 'throw' ? failureOf(dispatch) : undefined
  if (failure !== undefined) throw toolFailed(failure)
  return results
}

function countRuns(plans: readonly CallPlan[]): number {
  let runs = 0
  for (const { type } of plans) if (type === 'run') runs++
  return runs
}

function dispatchOptions(run: RunState, work: Work, sleeper: Sleeper): DispatchOptions {
  const { message, plans, messages, running, request } = work
  const { maxToolConcurrency: concurrency, toolTimeout } = run.config
  return {
    plans,
    concurrency,
    toolTimeout,
    running,
    signal: run.scope.signal,
    idempotencyKey: idempotencyKeys(run, run.turns),
    transcriptId: run.transcriptId,
    messages,
    started: run.eager,
    hooks: callHooks(run, { request, response: message }),
    around: toolAround(run),
    emit:
      run.observer.events &&
      ((event) => {
        addEvent(sleeper.events, event)
        wake(sleeper)
      }),
    done() {
      sleeper.done = true
      wake(sleeper)
    },
  }
}

/** An approved call that did not begin is none of those that ran. */
function countWaiting(plans: readonly CallPlan[], waiting: readonly PendingCall[]): number {
  if (waiting.length === 0) return 0
  return plans.filter((plan) => plan.type === 'run' && plan.granted && waiting.includes(plan.granted.pending)).length
}

function callHooks(run: RunState, turn: Pick<StepContext, 'request' | 'response'>): CallHooks | undefined {
  const { onToolStart, onToolExecuted } = run.config
  if (onToolStart === undefined && onToolExecuted === undefined) return undefined
  return {
    ended: () => run.ended !== undefined,
    start: onToolStart && (async (toolCall) => answerOf(await askToolHook(run, 'onToolStart', { ...turn, toolCall }))),
    executed:
      onToolExecuted &&
      ((toolCall, toolResult) => askToolHook(run, 'onToolExecuted', { ...turn, toolCall, toolResult })),
  }
}

function answerOf(control: { readonly output: unknown } | undefined): ToolOutput | undefined {
  return control && outputOf(control.output)
}

function toolFailed({ call, cause }: { readonly call: ToolCallPart; readonly cause: unknown }): LoopError {
  const message = `The tool '${call.toolName}' failed: ${errorText(cause)}`
  return new LoopError('tool-failed', message, { cause, toolCall: call })
}

function inCallOrder(calls: readonly ToolCallPart[], results: readonly ToolResultPart[]): readonly ToolResultPart[] {
  if (results.every(({ toolCallId }, index) => calls[index]?.toolCallId === toolCallId)) return results
  const byId = new Map(results.map((result) => [result.toolCallId, result]))
  return calls.flatMap((call) => byId.get(call.toolCallId) ?? [])
}

/**
 * After a failure, so that the history can be used again: what waits for the caller goes on waiting, and every other call that is still
 * open is answered `aborted`. Gives the new results. `all`: nothing waits any more.
 */
export function closeOpenCalls(
  run: Written & Pick<RunState, 'pending' | 'earlier'>,
  all = false,
): readonly ToolResultPart[] {
  const last = run.messages.at(-1)
  const partial = last?.role === 'tool' ? last : undefined
  const message = run.messages.at(partial === undefined ? -1 : -2)
  const calls = message?.role === 'assistant' ? callerCalls(message) : []
  if (all) run.pending = []
  const settled = new Set(run.pending.map((pending) => pending.toolCallId))
  const ids = new Set(calls.map(({ toolCallId }) => toolCallId))
  const known = (partial?.content ?? run.earlier).filter(({ toolCallId }) => ids.has(toolCallId))
  for (const { toolCallId } of known) settled.add(toolCallId)
  const open = calls.filter(({ toolCallId }) => !settled.has(toolCallId))
  const given = open.map((call) => resultOf(call, all ? endedOutput() : failedRunOutput()))
  if (given.length === 0 && (partial !== undefined || known.length === 0)) return given
  if (partial !== undefined) {
    run.messages.pop()
    if (run.added.at(-1) === partial) run.added.pop()
  }
  append(run, { role: 'tool', content: inCallOrder(calls, [...known, ...given]) })
  return given
}
