import type { Clock } from './clock.ts'
import type { EagerCall } from './eager-tools.ts'
import type { LoopEvent } from './loop-events.ts'
import type { Message, ToolCallPart, ToolOutput, ToolResultPart } from './messages.ts'
import { errorOutput, runTool, type InputHooks, type ToolOutcome } from './run-tool.ts'
import { createRunningTools, stopTools, type RunningTools } from './running-tools.ts'
import type { FunctionTool } from './tool.ts'
import type { PendingCall } from './transcript.ts'

/** What is to become of one call of a step. */
export type CallPlan =
  | {
      readonly type: 'run'
      readonly call: ToolCallPart
      readonly tool: FunctionTool<never>
      /** A person said yes to these arguments: nothing may change them any more. */
      readonly approved?: boolean | undefined
    }
  | {
      readonly type: 'answer'
      readonly call: ToolCallPart
      readonly output: ToolOutput
      /** Core's own call: nobody sees it. */
      readonly hidden?: boolean | undefined
    }
  | { readonly type: 'pend'; readonly call: ToolCallPart; readonly reason: PendingCall['reason'] }

export interface DispatchOptions {
  readonly plans: readonly CallPlan[]
  readonly concurrency: number
  /** Milliseconds; 0: none. A tool's own `timeout` wins. */
  readonly toolTimeout: number
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly idempotencyKey: (call: ToolCallPart) => string
  readonly transcriptId: string
  /** The conversation up to the calls. */
  readonly messages: readonly Message[]
  readonly inputHooks: InputHooks
  /** Calls that run already, by id. They count; those that are not to run after all are cancelled. */
  readonly started: ReadonlyMap<string, EagerCall>
  /** Absent when nobody reads the events. */
  readonly emit: ((event: LoopEvent) => void) | undefined
}

export interface Dispatch {
  /** Settles when every call that runs has its outcome. Never rejects. */
  readonly done: Promise<void>
  /** Results in call order, pending calls left out. What has no outcome yet is answered `aborted`, and stays so. */
  results(): readonly ToolResultPart[]
  /** The first call, in call order, whose tool threw. */
  failure(): { readonly call: ToolCallPart; readonly cause: unknown } | undefined
}

/** Runs the calls of one step with bounded concurrency. Each gets exactly one result, whatever order they finish in. */
export function dispatchCalls(options: DispatchOptions): Dispatch {
  const { plans } = options
  const outcomes: (ToolOutcome | undefined)[] = plans.map((plan) =>
    plan.type === 'answer' ? { output: plan.output } : undefined,
  )
  const { signal } = options
  const running = createRunningTools(options.clock)
  const onAbort = (): void => stopTools(running, signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  let sealed: readonly ToolResultPart[] | undefined
  if (options.emit !== undefined) {
    for (const plan of plans) if (plan.type !== 'answer' || !plan.hidden) announce(plan, options.emit, options.started)
  }
  const finish = (index: number, call: ToolCallPart, outcome: ToolOutcome): void => {
    // Too late: the call was answered when the run was aborted.
    if (sealed !== undefined) return
    outcomes[index] = outcome
    if (options.emit !== undefined) settle(call, outcome, options.emit)
  }
  return {
    done: runAll({ ...options, running }, finish),
    results() {
      if (sealed !== undefined) return sealed
      if (signal.aborted) giveUp(plans, outcomes, options.emit)
      sealed = resultsOf(plans, outcomes)
      signal.removeEventListener('abort', onAbort)
      stopTools(running, signal.reason)
      return sealed
    },
    failure() {
      const index = outcomes.findIndex((outcome) => outcome !== undefined && 'cause' in outcome)
      const plan = plans[index]
      return plan && { call: plan.call, cause: outcomes[index]?.cause }
    },
  }
}

type Emit = (event: LoopEvent) => void

function announce(plan: CallPlan, emit: Emit, started: DispatchOptions['started']): void {
  const { toolCallId, toolName } = plan.call
  if (!started.has(toolCallId)) emit({ type: 'tool-state', toolCallId, toolName, state: 'queued' })
  if (plan.type === 'answer') settle(plan.call, { output: plan.output }, emit)
}

function settle(call: ToolCallPart, outcome: ToolOutcome, emit: Emit): void {
  const { toolCallId, toolName, owner } = call
  const state = outcome.output.type === 'error' ? 'failed' : 'completed'
  emit({ type: 'tool-state', toolCallId, toolName, state })
  emit({ type: 'tool-result', toolCallId, toolName, output: outcome.output, owner })
}

/** The run was aborted: what has no outcome gets the one that it will have in the history, and whoever watches is told. */
function giveUp(
  plans: readonly CallPlan[],
  outcomes: (ToolOutcome | undefined)[],
  emit: DispatchOptions['emit'],
): void {
  for (const [index, { type, call }] of plans.entries()) {
    if (outcomes[index] !== undefined) continue
    const outcome = { output: type === 'run' ? abortedOutput() : endedOutput() }
    if (type === 'run') outcomes[index] = outcome
    if (emit !== undefined) settle(call, outcome, emit)
  }
}

function abortedOutput(): ToolOutput {
  return errorOutput('aborted', 'The run was aborted before this call was done.')
}

/** For a call that nobody ran, or could answer, before its run failed. */
export function endedOutput(): ToolOutput {
  return errorOutput('aborted', 'The run ended before this call was done.')
}

type RunOptions = DispatchOptions & { readonly running: RunningTools }

function runAll(
  options: RunOptions,
  finish: (index: number, call: ToolCallPart, outcome: ToolOutcome) => void,
): Promise<void> {
  const { plans, concurrency } = options
  let next = 0
  let active = 0
  return new Promise((resolve) => {
    const follow = (index: number, call: ToolCallPart, running: Promise<ToolOutcome>): void => {
      active++
      void running.then((outcome) => {
        active--
        finish(index, call, outcome)
        pump()
      })
    }
    const pump = (): void => {
      while (active < concurrency && next < plans.length && !options.signal.aborted) {
        const plan = plans[next]
        if (plan?.type === 'run' && !options.started.has(plan.call.toolCallId)) {
          follow(next, plan.call, runPlan(plan, options))
        }
        next++
      }
      if (active === 0) resolve()
    }
    for (const [index, { type, call }] of plans.entries()) {
      const started = options.started.get(call.toolCallId)
      if (started === undefined) continue
      if (type === 'run') follow(index, call, started.outcome)
      else started.cancel()
    }
    pump()
  })
}

function runPlan(plan: Extract<CallPlan, { type: 'run' }>, options: RunOptions): Promise<ToolOutcome> {
  const { call, tool } = plan
  options.emit?.({ type: 'tool-state', toolCallId: call.toolCallId, toolName: call.toolName, state: 'running' })
  return runTool({
    call,
    tool,
    timeout: tool.timeout ?? options.toolTimeout,
    signal: options.signal,
    idempotencyKey: options.idempotencyKey,
    transcriptId: options.transcriptId,
    messages: options.messages,
    inputHooks: plan.approved ? noInputHooks : options.inputHooks,
    running: options.running,
  })
}

const noInputHooks: InputHooks = Object.freeze({})

function resultsOf(
  plans: readonly CallPlan[],
  outcomes: readonly (ToolOutcome | undefined)[],
): readonly ToolResultPart[] {
  const results: ToolResultPart[] = []
  for (const [index, plan] of plans.entries()) {
    if (plan.type === 'pend') continue
    const output = outcomes[index]?.output ?? abortedOutput()
    results.push(resultOf(plan.call, output))
  }
  return results
}

export function resultOf(call: ToolCallPart, output: ToolOutput): ToolResultPart {
  return { type: 'tool-result', toolCallId: call.toolCallId, toolName: call.toolName, output }
}
