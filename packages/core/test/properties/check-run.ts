import { LoopError } from '../../src/contract/errors.ts'
import type { RunProgress } from '../../src/contract/transcript.ts'
import type { LoopEvent } from '../../src/contract/loop-events.ts'
import { isEnded, perRun, type Check } from './check-calls.ts'
import { acceptedTurns, attemptsOf, errorCodeOf } from './conversation.ts'
import { eventProblems } from './event-grammar.ts'
import { refuses } from './next-input.ts'
import type { Observation, RunRecord } from './observation.ts'
import type { Attempt } from './world.ts'
import { noProgress } from '../../src/run/state/limits.ts'

/** 6: an abort or a timeout settles the run at once; nothing happens after it, nothing stays open, one event ends the stream. */
export const settlesAtOnce: Check = (observation) => [
  ...observation.unhandled.map((reason) => `unhandled rejection: ${describe(reason)}`),
  ...perRun(settling)(observation),
]

function describe(reason: unknown): string {
  try {
    return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
  } catch {
    return 'something that cannot be shown'
  }
}

function settling(run: RunRecord, observation: Observation): readonly string[] {
  const { abort, seen, outcome, startTime, endTime, openTimers } = run
  const { timeout } = observation.draw.options
  const problems: string[] = []
  if (run.hung) problems.push('it never settled')
  // Who reads steps and takes a pause sees no promise of the run itself.
  const visible = observation.draw.consumer.type !== 'leave-steps'
  if (!run.settledAtOnce && visible) problems.push('it was aborted, but waited for something')
  if (openTimers > 0) problems.push(`${openTimers} timers are open`)
  if (timeout !== undefined && endTime - startTime > timeout) problems.push('it outlived its timeout')
  if (abort !== undefined) {
    const late = [...observation.attempts, ...observation.executions].filter(
      (one) => one.run === run.run && one.at > abort.at,
    )
    if (late.length > 0) problems.push(`${late.length} requests or tools began after the abort`)
  }
  problems.push(...eventProblems(seen.events, observation.draw.consumer, seen.left))
  const last = terminalOf(seen.events)
  if (last?.type === 'run-end' && outcome.type === 'result' && last.result !== outcome.result)
    problems.push('the last event has another result')
  return [...problems, ...errorProblems(run, observation)]
}

function terminalOf(events: readonly LoopEvent[]): LoopEvent | undefined {
  return events.findLast((event) => event.type === 'run-end' || event.type === 'run-error')
}

function errorProblems(run: RunRecord, observation: Observation): readonly string[] {
  if (run.outcome.type !== 'error') return []
  const { error } = run.outcome
  if (!LoopError.isInstance(error)) return [`it failed with ${describe(error)}`]
  const refused = run.continuation.kind === 'misuse' && refuses(error)
  const problems: string[] = []
  if (!refused && !isDue(error, run, observation)) problems.push(`${error.code} for no reason: ${error.message}`)
  if (!refused && error.transcript === undefined) problems.push(`${error.code} has no transcript`)
  return problems
}

const limitCodes: readonly string[] = ['max-steps', 'max-tool-calls', 'budget', 'repeated-call', 'timeout']

/** Whether something happened that such an error stands for. */
function isDue({ code }: LoopError, run: RunRecord, observation: Observation): boolean {
  const { options, consumer } = observation.draw
  const last = attemptsOf(run, observation).at(-1)
  const acts = observation.log.acts.filter((act) => act.run === run.run).map(({ act }) => act)
  if (limitCodes.includes(code)) return options.onLimit === 'throw'
  switch (code) {
    case 'aborted':
      return run.abort !== undefined || run.seen.left || consumer.type === 'text'
    case 'turn-failed':
      return last?.failed !== undefined
    case 'adapter-contract':
      return last?.turn.end.type === 'cut'
    case 'hook-failed':
      return acts.includes('throw') || acts.includes('edit-throw')
    case 'tool-failed':
      return options.onToolError === 'throw'
    case 'invalid-output':
      return options.structured !== undefined
    case 'budget':
    case 'duplicate-tool':
    case 'invalid-history':
    case 'invalid-input':
    case 'invalid-options':
    case 'invalid-transcript':
    case 'max-steps':
    case 'max-tool-calls':
    case 'repeated-call':
    case 'timeout':
    case 'transcript-version':
    default:
      return false
  }
}

/** The number of the step that a request belongs to. */
export function stepOf(attempt: Attempt, observation: Observation): number {
  return observation.attempts.filter((one) => one.run === attempt.run && one.finished && one.at < attempt.at).length
}

function isEdited(attempt: Attempt, observation: Observation): boolean {
  const step = stepOf(attempt, observation)
  return observation.log.editedSteps.some((edited) => edited.run === attempt.run && edited.step === step)
}

/** 7: one builder: only the conversation grows, and a forced choice is for the first step. */
export const oneBuilder = perRun((run, observation) => {
  const problems: string[] = []
  const { options } = observation.draw
  const attempts = attemptsOf(run, observation).filter((attempt) => !isEdited(attempt, observation))
  for (const [index, attempt] of attempts.entries()) {
    const { request } = attempt
    const first = attempts.find((other) => other.provider === attempt.provider)
    const number = attempt.attempt
    const structured = options.structured !== undefined
    if (!structured && first?.request.tools !== request.tools) problems.push(`request ${number} has other tools`)
    const expected = [options.temperature, options.instructions, options.providerOptions, options.headers]
    const sent = [request.settings?.temperature, request.instructions, request.providerOptions, request.headers]
    if (JSON.stringify(sent) !== JSON.stringify(expected)) problems.push(`request ${number} lost an option`)
    if (!structured && !choicesOf(run, attempt, observation).includes(JSON.stringify(request.toolChoice) ?? ''))
      problems.push(`request ${number} has the choice ${JSON.stringify(request.toolChoice)}`)
    const before = attempts[index - 1]
    if (before === undefined || observation.log.editedRuns.has(run.run)) continue
    const grown = before.request.messages.every((message, at) => message === request.messages[at])
    if (!grown) problems.push(`request ${number} has another past than the one before`)
  }
  return problems
})

/** What a run which goes on had counted before: a new prompt without an answer begins anew. */
function countedBefore({ continuation: { input, transcript, answers } }: RunRecord): RunProgress {
  const prompted = typeof input === 'object' && 'prompt' in input && input.prompt !== undefined
  return (prompted && Object.keys(answers).length === 0 ? undefined : transcript?.progress) ?? noProgress
}

function choicesOf(run: RunRecord, attempt: Attempt, observation: Observation): readonly string[] {
  const { toolChoice: choice, onLimit = 'finalize' } = observation.draw.options
  if (attempt.request.tools === undefined) return ['']
  const forced = choice === 'required' || typeof choice === 'object'
  const ordinary = forced && countedBefore(run).steps + stepOf(attempt, observation) > 0 ? undefined : choice
  const text = JSON.stringify(ordinary) ?? ''
  return onLimit === 'finalize' ? [text, '"none"'] : [text]
}

/** 8: limits end the run, before the capped batch runs, and are named. */
export const limitsHold = perRun((run, observation) => {
  const { options } = observation.draw
  const turns = acceptedTurns(run, observation)
  if (turns === undefined) return []
  const problems: string[] = []
  const { maxSteps = 10, maxToolCallsPerStep = 128, maxToolCalls = Infinity, maxTokens = Infinity } = options
  const spare = options.structured === undefined ? 1 : 4
  const before = countedBefore(run)
  // A run that had its last turn already may make one more, for the answer.
  if (turns.length > Math.max(0, maxSteps - before.steps) + spare) {
    problems.push(`${turns.length} turns with maxSteps ${maxSteps}, ${before.steps} before`)
  }
  let batches = 0
  let { toolCalls: called, tokens, lastTokens } = before
  for (const [index, turn] of turns.entries()) {
    const ids = new Set(turn.calls.map((call) => call.toolCallId))
    const ran = observation.executions.filter((one) => one.run === run.run && ids.has(one.toolCallId)).length
    batches += Math.min(1, ran)
    if (ran > maxToolCallsPerStep) problems.push(`${ran} calls of one step ran`)
    if (ran > 0 && called + ran > maxToolCalls)
      problems.push(`${called + ran} calls ran with maxToolCalls ${maxToolCalls}`)
    if (tokens + lastTokens > maxTokens) problems.push(`turn ${index} was asked for after ${tokens} tokens`)
    called += ran
    lastTokens = (turn.attempt.turn.usage?.inputTokens ?? 0) + (turn.attempt.turn.usage?.outputTokens ?? 0)
    tokens += lastTokens
    const refused = turn.results.some(({ output }) => errorCodeOf(output) === 'limit-reached')
    // The turn that uses up the calls has its last ones refused, and one turn more follows for the answer.
    const lastTurn = turns.length - spare - (maxToolCalls < Infinity ? 1 : 0)
    if (refused && index < lastTurn) problems.push(`turn ${index} was refused, but the run went on`)
  }
  if (batches > maxSteps) problems.push(`${batches} batches ran with maxSteps ${maxSteps}`)
  return [...problems, ...namedLimit(run, observation, before.steps + turns.length)]
})

function namedLimit(run: RunRecord, observation: Observation, turns: number): readonly string[] {
  if (run.outcome.type !== 'result' || isEnded(run, observation)) return []
  const { stopReason, status } = run.outcome.result
  const { options } = observation.draw
  const last = attemptsOf(run, observation).at(-1)
  const limits: Readonly<Record<string, boolean>> = {
    'max-steps': turns >= (options.maxSteps ?? 10),
    'max-tool-calls': options.maxToolCalls !== undefined,
    'token-budget': options.maxTokens !== undefined,
    'cost-budget': options.maxCost !== undefined,
    'repeated-call': options.maxRepeatedCalls !== 0,
    timeout: options.timeout !== undefined,
  }
  const due = limits[stopReason]
  if (due === undefined) return []
  const problems = due ? [] : [`stopped for ${stopReason}, which is not set`]
  if (options.onLimit === 'throw') problems.push(`ended for ${stopReason} in place of throwing`)
  const asked = last?.request.tools === undefined || last.request.toolChoice === 'none'
  if (status === 'completed' && !asked && options.structured === undefined && stopReason !== 'timeout')
    problems.push(`completed for ${stopReason} without a last turn`)
  const calls = last?.turn.parts.some(({ type }) => type === 'call') ?? false
  if (status === 'completed' && calls && options.structured === undefined)
    problems.push(`completed for ${stopReason} although the last turn calls`)
  if (status === 'completed' && options.onLimit === 'incomplete') problems.push('completed in place of incomplete')
  return problems
}

/** 12: usage is summed once per turn, and a turn without it takes nothing away. */
export const usageAddsUp = perRun((run, observation) => {
  const turns = acceptedTurns(run, observation)
  if (run.outcome.type !== 'result' || turns === undefined) return []
  const { usage } = run.outcome.result
  const known = turns.flatMap(({ attempt }) => attempt.turn.usage ?? [])
  const fields = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens', 'cacheWriteTokens'] as const
  if (known.length === 0) return usage === undefined ? [] : ['usage came from nowhere']
  return fields.flatMap((field) => {
    const values = known.flatMap((one) => one[field] ?? [])
    const expected = values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
    return usage?.[field] === expected ? [] : [`${field} is ${usage?.[field]}, expected ${expected}`]
  })
})

/** 10: the JSON of a transcript leads to the same next request as the transcript, and as the run that went on. */
export const suspendedRunsAreData = perRun(({ comparisons }) =>
  comparisons.flatMap(({ what, left, right }) => (left === right ? [] : [`${what} differ:\n  ${left}\n  ${right}`])),
)
