import { objectOf } from '../../wire/json.ts'
import { printed } from '../../options/invalid-option.ts'
import { LoopError } from '../../contract/errors.ts'
import type { Adapter, FinishReason, ToolChoice, Warning } from '../../contract/adapter.ts'
import { endedOutput } from '../../calls/call-answers.ts'
import type { ToolCallPart, ToolOutput } from '../../contract/messages.ts'
import { canonicalJson } from '../../wire/canonical-json.ts'
import { textHash } from '../../wire/legal-name.ts'
import { errorOutput } from '../../wire/tool-output.ts'
import type { RunConfig } from '../../options/run-config.ts'
import type { RunProgress } from '../../contract/transcript.ts'
import { knownUsage, type Usage } from '../../contract/usage.ts'
import type { LimitReason, StopReason } from '../../contract/run-result.ts'

/** What the limits count, updated once per step. */
export interface LimitCounts {
  /** Turns that are in the history: a turn counts as soon as it is, also where its calls end the run. */
  steps: number
  /** Calls that were run. */
  toolCalls: number
  tokens: number
  cost: number
  /** Tokens of the last turn: what the next one will need at least, since the conversation only grows. */
  lastTokens: number
  lastCost: number
  /** The calls of each step, to see repetitions: themselves, until their hash is asked for. */
  readonly batches: (string | readonly ToolCallPart[])[]
  /** The model was told that it repeats itself. */
  nudged: boolean
  repeated: boolean
}

/** Counts on where a run goes on. */
export function createCounts(before: RunProgress): LimitCounts {
  return { ...before, batches: before.batches.slice(), repeated: false }
}

export function progressOf({ repeated: _repeated, batches, ...counted }: LimitCounts): RunProgress {
  return { ...counted, batches: batches.map((_, index) => batchHash(batches, index)) }
}

/** Progress of a run that begins. */
export const noProgress: RunProgress = Object.freeze({
  steps: 0,
  toolCalls: 0,
  tokens: 0,
  cost: 0,
  lastTokens: 0,
  lastCost: 0,
  batches: [],
  nudged: false,
})

/**
 * Hash of a step's calls, the same for the same calls with the same inputs, however they are spelled. Most runs end before it is asked for, so it
 * is made once it is.
 */
function batchHash(batches: LimitCounts['batches'], index: number): string {
  const batch = batches[index] ?? ''
  if (typeof batch === 'string') return batch
  const texts = batch.map((call) => `${call.toolName} ${textOfInput(call)}`)
  return (batches[index] = texts.map((text) => `${textHash(text)}${text.length}`).join(' '))
}

/** An input that only a foreign adapter can give, a bigint say, has no JSON: the hash is made in the middle of a failure too, and must not throw. */
function textOfInput({ input, inputText }: ToolCallPart): string {
  if (input === undefined) return inputText
  try {
    return canonicalJson(input)
  } catch {
    return inputText
  }
}

/** What a limit looks at. */
export interface Limited {
  readonly config: RunConfig
  readonly counts: LimitCounts
}

/**
 * The limit that makes the turn to come the last one. Budgets are reserved before the call: an ordinary turn needs room for itself and
 * for the one that finalizes.
 */
export function limitOf({ config, counts }: Limited): LimitReason | undefined {
  if (counts.steps >= config.maxSteps) return 'max-steps'
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

/** The option that sets a limit. */
export const limitOptions = {
  'max-steps': 'maxSteps',
  'max-tool-calls': 'maxToolCalls',
  timeout: 'timeout',
  'token-budget': 'maxTokens',
  'cost-budget': 'maxCost',
  'repeated-call': 'maxRepeatedCalls',
} as const satisfies Readonly<Record<LimitReason, keyof RunConfig>>

function isLimit(reason: StopReason): reason is LimitReason {
  return reason in limitOptions
}

/** How far a limit was used, for a person: `max-steps reached (10/10)`. `undefined` when `reason` is no limit. */
export function limitDetail({ config, counts }: Limited, reason: StopReason): string | undefined {
  if (!isLimit(reason)) return undefined
  const most = config[limitOptions[reason]]
  switch (reason) {
    case 'max-steps':
    case 'max-tool-calls': {
      const used = reason === 'max-steps' ? counts.steps : counts.toolCalls
      return `${reason} reached (${Math.min(used, most)}/${most})`
    }
    case 'token-budget':
    case 'cost-budget':
      return `${reason} used up (${reason === 'token-budget' ? counts.tokens : counts.cost}/${most})`
    case 'timeout':
      return `${reason} over (${most} ms)`
    case 'repeated-call':
      return `${reason} seen (${most} times)`
    default:
      return reason satisfies never
  }
}

/** Counts a turn. To be called once per turn, before its calls are planned. Gives what is to be told of its usage. */
export function countTurn(
  { counts, config }: Limited,
  model: Adapter,
  calls: readonly ToolCallPart[],
  given: Usage | undefined,
): readonly Warning[] {
  const usage = knownUsage(given)
  counts.steps++
  counts.lastTokens = tokensOf(usage)
  counts.tokens += counts.lastTokens
  counts.lastCost = usage === undefined ? 0 : costOf(config, model, usage)
  counts.cost += counts.lastCost
  if (config.maxRepeatedCalls > 0 && calls.length > 0) counts.batches.push(calls)
  return blindSpots(config, usage)
}

/** A budget sees only what the provider says. The same words each time, so that a run has the warning once. */
function blindSpots({ maxTokens, maxCost }: RunConfig, usage: Usage | undefined): readonly Warning[] {
  if (maxTokens === Infinity && maxCost === Infinity) return []
  if (usage?.inputTokens !== undefined && usage.outputTokens !== undefined) return []
  const message = 'a turn came without its token counts, which `maxTokens` and `maxCost` do not see'
  return [{ type: 'unsupported', path: 'usage', message }]
}

/** A step that only the caller answers is no sign of a model that runs in circles: somebody looks at each of its calls. */
export function forgetWaiting({ config, counts }: Limited): void {
  if (config.maxRepeatedCalls > 0) counts.batches.pop()
}

/** A price that is no number would switch the budget off without a word. */
function costOf(config: RunConfig, model: Adapter, usage: Usage): number {
  const cost = config.costOf?.(usage, model) ?? 0
  if (typeof cost === 'number' && cost >= 0) return cost
  const message = `\`costOf\` gave ${printed(cost)} for ${model.provider}/${model.model}. Give a number from 0.`
  throw new LoopError('hook-failed', message)
}

/** Why no call of a turn may run, if so. */
export function refusalOf(
  run: Limited & { readonly ended: unknown },
  finishReason: FinishReason,
  { limit, choice }: { readonly limit: LimitReason | undefined; readonly choice: ToolChoice | undefined },
): ToolOutput | undefined {
  if (run.ended !== undefined) return endedOutput()
  if (finishReason === 'content-filter') {
    return errorOutput('not-executed', 'The turn was stopped by a content filter, so its calls were not run.')
  }
  if (limit !== undefined) {
    return errorOutput('limit-reached', `The run reached its limit (${limit}), so this call was not run.`)
  }
  // Servers do not always listen (llama.cpp's Messages).
  if (choice === 'none') return errorOutput('not-executed', "The tool choice was 'none', so this call was not run.")
  return repetitionOf(run)
}

/**
 * Why the calls of the turn that was just counted are not run although no limit is reached: the same calls, in a pattern of up to four
 * steps, for the `maxRepeatedCalls`-th time. The first time the model is told so; if it goes on, the next turn is the last.
 */
function repetitionOf({ counts, config }: Limited): ToolOutput | undefined {
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
    let same = true
    for (let index = batches.length - 1; index >= batches.length - length + period && same; index--) {
      same =
        !areApart(batches[index], batches[index - period]) &&
        batchHash(batches, index) === batchHash(batches, index - period)
    }
    if (same) return true
  }
  return false
}

type Batch = LimitCounts['batches'][number] | undefined

/** Most steps are told apart by a text that their first calls say, and need no hash for it. */
function areApart(left: Batch, right: Batch): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return false
  const [one, other] = [objectOf(left[0]?.input), objectOf(right[0]?.input)]
  for (const name in one) {
    const text = one[name]
    if (typeof text === 'string' && text !== other[name]) return true
  }
  return false
}

function tokensOf(usage: Usage | undefined): number {
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
}
