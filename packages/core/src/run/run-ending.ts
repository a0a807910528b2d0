import type { Turn } from '../wire/collect-turn.ts'
import { LoopError } from '../contract/errors.ts'
import { settle } from '../calls/call-events.ts'
import { closeOpenCalls } from './execute-calls.ts'
import { applyOverride, guardHook } from './state/hooks.ts'
import { limitOptions } from './state/limits.ts'
import type { LoopEvent } from '../contract/loop-events.ts'
import type { ToolCallPart } from '../contract/messages.ts'
import type { Ending, LimitReason } from '../contract/run-result.ts'
import { append, emit, stepNumber, type RunState, type Written, type Numbered } from './state/run-state.ts'
import { judgeAnswer, type StructuredState } from '../output/structured.ts'

/** A hook ended the run. */
export async function hookEnding(run: RunState): Promise<Ending> {
  if (run.ended?.type !== 'override' && run.pending.length > 0) return suspended(run)
  // An answer of its own leaves nothing to wait for.
  const events: LoopEvent[] = []
  for (const result of closeOpenCalls(run, true))
    settle({ ...result, owner: 'client' }, result, (event) => events.push(event))
  await emit(run, events)
  await emit(run, applyOverride(run))
  return { status: 'completed', stopReason: 'hook' }
}

export interface EndingOptions {
  /** Calls of the turn, without those that the provider ran. */
  readonly calls: readonly ToolCallPart[]
  /** The request offered tools: without any, an answer is an answer and owes nothing to a limit. */
  readonly tools: boolean
  readonly limit: LimitReason | undefined
}

/** How the run ends after this turn; `undefined`: it goes on. Gives a promise only where the application has to be asked. */
export function endingOf(
  run: RunState,
  turn: Turn,
  options: EndingOptions,
): Ending | undefined | Promise<Ending | undefined> {
  const { calls, limit, tools } = options
  if (run.pending.length > 0) return suspended(run)
  const { finishReason } = turn
  if (finishReason === 'content-filter') return { status: 'completed', stopReason: 'content-filter' }
  const { onLimit, stopWhen } = run.config
  const finalized = tools && onLimit === 'finalize' ? limit : undefined
  if (run.structured?.found !== undefined) return { status: 'completed', stopReason: finalized ?? 'answer' }
  if (calls.length === 0 && finishReason !== 'pause') {
    if (finishReason === 'length') return { status: 'completed', stopReason: 'length' }
    const stopReason = finalized ?? 'answer'
    if (run.structured === undefined) return { status: 'completed', stopReason }
    return isOutputMissing(run, run.structured, turn, tools).then((isMissing) => {
      if (!isMissing) return { status: 'completed', stopReason }
      return finalized && { status: 'incomplete', stopReason: finalized }
    })
  }
  if (limit !== undefined) return limitEnding(run, limit)
  if (stopWhen === undefined) return undefined
  const stops = guardHook(run, 'stopWhen', () => stopWhen(run.steps.slice()))
  return stops.then((yes) => (yes ? { status: 'completed', stopReason: 'stop-when' } : undefined))
}

/** True when the answer is not the object that was asked for: the model is told so, and goes on. */
async function isOutputMissing(
  run: Written & Pick<RunState, 'model' | 'mode' | 'scope'>,
  structured: StructuredState,
  turn: Turn,
  tools: boolean,
): Promise<boolean> {
  const { model, mode } = run
  const problem = await run.scope.race(judgeAnswer(structured, turn.message, { model, mode, tools }))
  if (problem === undefined) return false
  append(run, { role: 'user', content: problem, synthetic: true })
  return true
}

/** A model that calls once more in place of an answer has not finished. */
export function limitEnding(run: Numbered & Pick<RunState, 'config'>, limit: LimitReason): Ending {
  if (run.config.onLimit !== 'throw') return { status: 'incomplete', stopReason: limit }
  const code = limit === 'token-budget' || limit === 'cost-budget' ? 'budget' : limit
  const fix = `Raise \`${limitOptions[limit]}\`, or set \`onLimit\` to 'finalize'.`
  throw new LoopError(code, `The run reached its limit (${limit}) after ${stepNumber(run)} steps. ${fix}`)
}

export function suspended(run: Pick<RunState, 'pending'>): Ending {
  const approval = run.pending.every((call) => call.reason === 'approval')
  return { status: 'requires-action', stopReason: approval ? 'approval' : 'client-tool' }
}
