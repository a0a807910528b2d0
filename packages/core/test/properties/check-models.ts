import { type AdapterError, LoopError } from '../../src/contract/errors.ts'
import { perRun } from './check-calls.ts'
import { stepOf } from './check-run.ts'
import { acceptedTurns, attemptsOf, payloadsIn } from './conversation.ts'
import type { Observation, RunRecord } from './observation.ts'
import { payloadsOf } from './turn-script.ts'
import type { Attempt } from './world.ts'

/** 11: a continuation names the last response, of the same model, and where the new messages begin; it goes when it cannot hold. */
export const continuationIsSafe = perRun((run, observation) =>
  attemptsOf(run, observation).flatMap((attempt, index, attempts) => {
    const { continuation } = attempt.request
    const expected = continuationOf(attempt, attempts[index - 1], observation)
    if (expected === 'any' || JSON.stringify(continuation) === JSON.stringify(expected)) return []
    return [
      `request ${attempt.attempt} continues ${JSON.stringify(continuation)}, expected ${JSON.stringify(expected)}`,
    ]
  }),
)

type Expected = Attempt['request']['continuation'] | 'any'

function continuationOf(attempt: Attempt, before: Attempt | undefined, observation: Observation): Expected {
  const { options } = observation.draw
  if (!options.continues || options.continuation === 'off') return undefined
  const { messages } = attempt.request
  const index = messages.findLastIndex((message) => message.role === 'assistant')
  const message = messages[index]
  if (message?.role !== 'assistant' || message.responseId === undefined) return undefined
  if (message.provider !== attempt.provider || message.model !== attempt.model) return undefined
  const replaced = observation.log.editedSteps.some(
    ({ run, edit, step }) => run === attempt.run && edit.endsWith('messages') && step === stepOf(attempt, observation),
  )
  if (replaced || isGone(attempt, before)) return undefined
  if (before?.turn.end.type === 'error') return 'any'
  const misused = observation.runs[attempt.run]?.continuation.kind === 'misuse'
  return misused || wasLost(attempt, observation) ? 'any' : { responseId: message.responseId, from: index + 1 }
}

/** An earlier run found the response gone, or went on from an edited history: its transcript need not name it any more. */
function wasLost({ run }: Attempt, { attempts, log }: Observation): boolean {
  const gone = attempts.some((other) => other.run < run && other.failed?.code === 'continuation-not-found')
  return gone || [...log.editedRuns].some((edited) => edited < run)
}

function isGone({ provider }: Attempt, before: Attempt | undefined): boolean {
  const named = before?.request.continuation !== undefined && before.provider === provider
  return named && before.failed?.code === 'continuation-not-found'
}

const longestWait = 60_000

/** 13: what may pass is asked again, after the delay that was asked for; what will not is not. */
export const retriesAreRight = perRun((run, observation) => {
  const problems: string[] = []
  const attempts = attemptsOf(run, observation)
  let tries = 0
  let unreadable = 0
  for (const [index, attempt] of attempts.entries()) {
    const next = attempts[index + 1]
    const { failed } = attempt
    if (failed === undefined) {
      tries = 0
      continue
    }
    tries++
    if (failed.code === 'tool-use-failed') unreadable++
    const passes = mayPass(failed) && tries <= (observation.draw.options.maxRetries ?? 2)
    if (next === undefined) {
      if (passes && isOver(run))
        problems.push(`request ${attempt.attempt} failed (${failed.code}) and was not repeated`)
      continue
    }
    if (passes) {
      problems.push(...delayProblems(attempt, next, tries))
      continue
    }
    tries = 0
    if (!hasWayOut(attempt, failed, { next, unreadable, observation }))
      problems.push(`request ${attempt.attempt} failed (${failed.code}), yet there was another`)
  }
  return [...problems, ...retriesReported(run, attempts)]
})

function mayPass({ retryable, retryAfterMs = 0 }: AdapterError): boolean {
  return retryable && retryAfterMs <= longestWait
}

function isOver({ outcome }: RunRecord): boolean {
  return outcome.type === 'error' && LoopError.isInstance(outcome.error) && outcome.error.code === 'turn-failed'
}

function delayProblems(attempt: Attempt, next: Attempt, tries: number): readonly string[] {
  const waited = next.time - attempt.failedTime
  const asked = attempt.failed?.retryAfterMs
  const usual = Math.min(500 * 2 ** (tries - 1), 8000)
  const right = asked === undefined ? waited >= usual / 2 && waited <= usual : waited === asked
  return right ? [] : [`request ${next.attempt} came after ${waited} ms, asked for were ${asked ?? usual}`]
}

interface WayOut {
  readonly next: Attempt
  readonly unreadable: number
  readonly observation: Observation
}

function hasWayOut(attempt: Attempt, { code }: AdapterError, { next, unreadable, observation }: WayOut): boolean {
  if (code === 'aborted') return false
  if (code === 'continuation-not-found' && attempt.request.continuation !== undefined) return true
  if (code === 'tool-use-failed' && unreadable <= 2) return true
  return next.provider !== attempt.provider || observation.draw.edits.some(({ edit }) => edit === 'model')
}

/** Whoever reads events is told to forget what a failed request delivered. */
function retriesReported(run: RunRecord, attempts: readonly Attempt[]): readonly string[] {
  const end = run.seen.events.at(-1)
  if (run.seen.left || end === undefined || run.abort !== undefined || run.outcome.type !== 'result') return []
  const reported = run.seen.events.filter((event) => event.type === 'step-retry').length
  const failed = attempts.filter((attempt) => attempt.failed !== undefined).length
  const timedOut = run.outcome.result.stopReason === 'timeout'
  return reported === failed || timedOut ? [] : [`${failed} requests failed, ${reported} times the consumer was told`]
}

/** 14: another model takes over only when one fails for good; whose words are whose stays on record, payloads keep their order. */
export const anotherModelMayTakeOver = perRun((run, observation) => {
  const problems: string[] = []
  const attempts = attemptsOf(run, observation)
  const order = ['main', 'second', 'third']
  const edited = observation.draw.edits.some(({ edit }) => edit === 'model')
  for (const [index, attempt] of attempts.entries()) {
    const before = attempts[index - 1]
    if (before === undefined || before.provider === attempt.provider || edited) continue
    const next = order.indexOf(attempt.provider) === order.indexOf(before.provider) + 1
    if (before.failed === undefined || !next)
      problems.push(`request ${attempt.attempt} went from ${before.provider} to ${attempt.provider}`)
  }
  for (const { message, attempt } of acceptedTurns(run, observation) ?? []) {
    if (message.provider !== attempt.provider || message.model !== attempt.model)
      problems.push(`the answer of ${attempt.provider} names ${message.provider}`)
    const expected = JSON.stringify(payloadsOf(attempt.turn, attempt))
    const kept = JSON.stringify(payloadsIn([message]))
    if (kept !== expected)
      problems.push(`the payloads of request ${attempt.attempt} are ${kept}, sent were ${expected}`)
  }
  return problems
})
