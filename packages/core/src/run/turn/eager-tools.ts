import { turnOver } from '../../http/http-exchange.ts'
import type { ToolDefinition, TurnEvent } from '../../contract/adapter.ts'
import type { LoopEvent } from '../../contract/loop-events.ts'
import type { ToolCallPart } from '../../contract/messages.ts'
import { functionTool } from '../../calls/plan-calls.ts'
import { toolState } from '../../calls/call-events.ts'
import { idempotencyKeys } from '../../calls/idempotency-key.ts'
import { freezeData, ownCopy } from '../../tools/own-data.ts'
import { resolveInput, type ResolvedInput } from '../../calls/resolve-input.ts'
import type { Limited } from '../state/limits.ts'
import { toolAround, type RunState } from '../state/run-state.ts'
import { runTool, type ToolOutcome, type ToolStep } from '../../calls/run-tool.ts'
import { createRunningTools, stopTools } from '../../calls/running-tools.ts'
import type { FunctionTool } from '../../tools/tool.ts'
import { addEvent } from '../../calls/progress.ts'
import type { EagerCall, EagerReports } from '../../calls/eager-call.ts'

/** What there is to know of a turn under way. */
export interface EagerTurn {
  readonly offered: readonly ToolDefinition[]
  /** Slots of the calls that were begun. */
  readonly parts: Set<number>
  /** Calls that are complete, but may be the last one, by slot: they wait for another call, or for the end of the turn. */
  readonly waiting: Map<number, ToolCallPart>
  /** The highest slot so far. */
  last: number
}

/**
 * Starts complete calls of tools with `effect: 'read'` while the turn goes on. Anything that is not clear yet (approval, too many at once,
 * whether the token limit cut the last call) waits for the end of the turn, and so does every call where `denyCall` has a say: it is asked
 * once per call, and never about one of a turn that fails. Gives the events of what was started.
 */
export function startEager(run: RunState, event: TurnEvent, turn: EagerTurn): readonly LoopEvent[] {
  if ((event.type !== 'tool-call-start' && event.type !== 'tool-call') || event.owner === 'provider') return []
  const { parts, waiting } = turn
  parts.add(event.part)
  if (event.type === 'tool-call') {
    const { part, ...call } = event
    waiting.set(part, call)
  }
  turn.last = Math.max(turn.last, event.part)
  const followed = [...waiting].filter(([part]) => part < turn.last)
  return followed.flatMap(([part, call]) => {
    waiting.delete(part)
    return startFollowed(run, part, call, turn)
  })
}

function startFollowed(run: RunState, part: number, call: ToolCallPart, turn: EagerTurn): readonly LoopEvent[] {
  const tool = eagerTool(run, call)
  const fits =
    run.scope.reason === undefined && tool !== undefined && turn.offered.some(({ name }) => name === call.toolName)
  return fits && isWithinLimits(run, part, turn) ? start(run, call, tool) : []
}

/** Calls before this one may use up what may run. Slots are numbered by start order, so that all of them are known. */
function isWithinLimits({ config, counts }: Limited, part: number, { parts }: EagerTurn): boolean {
  const most = Math.min(config.maxToolCallsPerStep, config.maxToolCalls - counts.toolCalls)
  let before = 0
  for (const other of parts) if (other < part && ++before >= most) return false
  return most > 0
}

function start(run: RunState, call: ToolCallPart, tool: FunctionTool<never>): readonly LoopEvent[] {
  const { clock, toolTimeout } = run.config
  const messages = Object.freeze(run.messages.slice())
  // Now: when the input is there, the turn may have been counted.
  const idempotencyKey = idempotencyKeys(run, run.turns + 1)(call)
  const running = createRunningTools(clock)
  const resolving = resolveInput(call, tool, { inputHooks: run.config, messages, toolTimeout, running })
  // What is refused is refused again, for good, when the turn has ended.
  if ('output' in resolving) return []
  const controller = new AbortController()
  const cancel = (): void => {
    controller.abort(turnOver())
    stopTools(running, turnOver())
  }
  const reports = createReports()
  const eager: Omit<EagerCall, 'outcome'> = { toolName: call.toolName, reports, cancel }
  const work = async (resolved: ResolvedInput): Promise<ToolOutcome> => {
    if ('output' in resolved) return resolved
    const { input } = resolved
    if (run.config.onToolExecuted !== undefined) eager.shown = { ...call, input: freezeData(ownCopy(input)) }
    const step: ToolStep = {
      signal: controller.signal,
      transcriptId: run.transcriptId,
      messages,
      running,
      toolTimeout,
      idempotencyKey: () => idempotencyKey,
      emit: run.observer.events && reports.add,
      around: toolAround(run),
    }
    return new Promise((resolve) => runTool({ call, tool, input }, 0, step, resolve))
  }
  const outcome = resolving instanceof Promise ? resolving.then(work) : work(resolving)
  run.eager ??= new Map()
  run.eager.set(call.toolCallId, Object.assign(eager, { outcome }))
  return [toolState(call, 'queued'), toolState(call, 'running')]
}

function createReports(): EagerReports {
  const waiting: LoopEvent[] = []
  let emit: ((event: LoopEvent) => void) | undefined
  return {
    add(event) {
      if (emit === undefined) addEvent(waiting, event)
      else emit(event)
    },
    take: () => waiting.splice(0),
    follow(next) {
      emit = next
      for (const event of waiting) next(event)
    },
  }
}

/** What the calls under way have told since it was asked last. */
export function eagerReports(run: Pick<RunState, 'eager'>): readonly LoopEvent[] {
  return [...(run.eager?.values() ?? [])].flatMap(({ reports }) => reports.take())
}

/** What the application may forbid or answer before it begins waits for the end of the turn: it is asked about calls that count, once each. */
function eagerTool(run: Pick<RunState, 'config' | 'eager'>, call: ToolCallPart): FunctionTool<never> | undefined {
  const { tools, denyCall, onToolStart, maxToolConcurrency } = run.config
  if (denyCall !== undefined || onToolStart !== undefined || run.eager?.size === maxToolConcurrency) return undefined
  if (call.owner !== 'loop' || call.invalid !== undefined) return undefined
  const tool = functionTool(call.toolName, tools)
  if (tool?.effect !== 'read') return undefined
  return tool.needsApproval === undefined || tool.needsApproval === false ? tool : undefined
}

/** The turn failed, or the step is over: what was started and not used is cancelled. */
export function discardEager(run: Pick<RunState, 'eager'>): void {
  run.eager?.forEach((call) => call.cancel())
  run.eager = undefined
}

/** What to tell of the calls that `discardEager` is about to cancel, should the run end here: they are in no history. */
export function discardedStates(run: Pick<RunState, 'eager'>): readonly LoopEvent[] {
  return [...(run.eager ?? [])].map(([toolCallId, { toolName }]) => toolState({ toolCallId, toolName }, 'failed'))
}
