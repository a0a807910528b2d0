import { printed } from './invalid-option.ts'
import { LoopError, type LoopErrorCode } from '../contract/errors.ts'
import type { Warning } from '../contract/events.ts'
import { callerCalls } from '../transcript/history.ts'
import type { AssistantMessage, ToolOutput } from '../contract/messages.ts'
import { errorOutput } from '../wire/tool-output.ts'
import { stepNumber, type RunState } from './run-state.ts'
import type { Adapter } from '../contract/adapter.ts'
import { knownUsage, type Usage } from '../contract/usage.ts'
import type { LimitReason } from './run-result.ts'
import { batchHash, type LimitCounts } from './limit-counts.ts'

/** What a limit looks at. */
type Limited = Pick<RunState, 'config' | 'counts'>

/**
 * The limit that makes the turn to come the last one. Budgets are reserved before the call: an ordinary turn needs room for itself and
 * for the one that finalizes.
 */
export function limitOf(run: Limited & Pick<RunState, 'firstStep' | 'steps'>): LimitReason | undefined {
  const { config, counts } = run
  if (stepNumber(run) >= config.maxSteps) return 'max-steps'
  if (counts.toolCalls >= config.maxToolCalls) return 'max-tool-calls'
  if (counts.repeated) return 'repeated-call'
  const { tokens } = counts
  if (tokens >= config.maxTokens || tokens + 2 * counts.lastTokens > config.maxTokens) return 'token-budget'
  return counts.cost >= config.maxCost || counts.cost + 2 * counts.lastCost > config.maxCost ? 'cost-budget' : undefined
}

/** True when not even the turn that finalizes fits into the budget. */
export function isSpent({ config: { maxTokens, maxCost }, counts }: Limited): boolean {
  const { tokens } = counts
  if (tokens >= maxTokens || counts.cost >= maxCost) return true
  return tokens + counts.lastTokens > maxTokens || counts.cost + counts.lastCost > maxCost
}

/** The `LoopError` that `onLimit: 'throw'` raises for a limit. */
export const limitErrors: Readonly<Record<LimitReason, { readonly code: LoopErrorCode; readonly mend: string }>> = {
  'max-steps': { code: 'max-steps', mend: 'Raise `maxSteps`.' },
  'max-tool-calls': { code: 'max-tool-calls', mend: 'Raise `maxToolCalls`.' },
  timeout: { code: 'timeout', mend: 'Raise `timeout`.' },
  'token-budget': { code: 'budget', mend: 'Raise `maxTokens`.' },
  'cost-budget': { code: 'budget', mend: 'Raise `maxCost`.' },
  'repeated-call': { code: 'repeated-call', mend: 'Look at what the tool answers, or raise `maxRepeatedCalls`.' },
}

/** How far a limit was used, for a person: `max-steps reached (10/10)`. `undefined` when `reason` is no limit. */
export function limitDetail(run: RunState, reason: string): string | undefined {
  const { config, counts } = run
  const reached = (used: number, most: number): string => `${reason} reached (${Math.min(used, most)}/${most})`
  switch (reason) {
    case 'max-steps':
      return reached(stepNumber(run), config.maxSteps)
    case 'max-tool-calls':
      return reached(counts.toolCalls, config.maxToolCalls)
    case 'token-budget':
      return `${reason} used up (${counts.tokens}/${config.maxTokens})`
    case 'cost-budget':
      return `${reason} used up (${counts.cost}/${config.maxCost})`
    case 'timeout':
      return `${reason} over (${config.timeout} ms)`
    case 'repeated-call':
      return `${reason} seen (${config.maxRepeatedCalls} times)`
    default:
      return undefined
  }
}

/** Counts a turn. To be called once per turn, before its calls are planned. Gives what is to be told of its usage. */
export function countTurn(
  { counts, config }: Limited,
  model: Adapter,
  message: AssistantMessage,
  given: Usage | undefined,
): readonly Warning[] {
  const usage = knownUsage(given)
  counts.steps++
  counts.lastTokens = tokensOf(usage)
  counts.tokens += counts.lastTokens
  counts.lastCost = usage === undefined ? 0 : costOf(config, model, usage)
  counts.cost += counts.lastCost
  const calls = callerCalls(message)
  if (config.maxRepeatedCalls > 0 && calls.length > 0) counts.batches.push(calls)
  return blindSpots(config, usage)
}

/** A budget sees only what the provider says. The same words each time, so that a run has the warning once. */
function blindSpots({ maxTokens, maxCost }: RunState['config'], usage: Usage | undefined): readonly Warning[] {
  if (maxTokens === Infinity && maxCost === Infinity) return []
  if (usage?.inputTokens !== undefined && usage.outputTokens !== undefined) return []
  const message = 'a turn came without its token counts, so that `maxTokens` and `maxCost` do not see all that was used'
  return [{ type: 'unsupported', path: 'usage', message }]
}

/** A step that only the caller answers is no sign of a model that runs in circles: somebody looks at each of its calls. */
export function forgetWaiting({ config, counts }: Limited): void {
  if (config.maxRepeatedCalls > 0) counts.batches.pop()
}

/** A price that is no number would switch the budget off without a word. */
function costOf(config: RunState['config'], model: Adapter, usage: Usage): number {
  const cost = config.costOf?.(usage, model) ?? 0
  if (typeof cost === 'number' && cost >= 0) return cost
  const message = `\`costOf\` gave ${printed(cost)} for ${model.provider}/${model.model}. Give a number from 0.`
  throw new LoopError('hook-failed', message)
}

/**
 * Why the calls of the turn that was just counted are not run although no limit is reached: the same calls, in a pattern of up to four
 * steps, for the `maxRepeatedCalls`-th time. The first time the model is told so; if it goes on, the next turn is the last.
 */
export function repetitionOf({ counts, config }: Limited): ToolOutput | undefined {
  const times = config.maxRepeatedCalls
  if (times === 0 || !repeats(counts.batches, times)) {
    counts.nudged = false
    return undefined
  }
  counts.repeated = counts.nudged
  counts.nudged = true
  const message = `The same call with the same input came ${times} times, so it was not run again. Use the results that you have, or try something else.`
  return errorOutput('repeated-call', message)
}

const longestPeriod = 4

function repeats(batches: LimitCounts['batches'], times: number): boolean {
  for (let period = 1; period <= longestPeriod; period++) {
    const length = period * times
    if (batches.length < length) return false
    const start = batches.length - length
    let same = true
    for (let index = start + period; index < batches.length && same; index++) {
      same = batchHash(batches, index) === batchHash(batches, index - period)
    }
    if (same) return true
  }
  return false
}

function tokensOf(usage: Usage | undefined): number {
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
}
