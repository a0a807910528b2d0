import { askModel } from './ask-model.ts'
import type { Turn } from '../../wire/collect-turn.ts'
import { discardEager } from './eager-tools.ts'
import { AdapterError } from '../../contract/errors.ts'
import type { StepEdit } from '../../options/loop-options.ts'
import { append, emit, stepNumber, warn, type RunState, type Watched, type Numbered } from '../state/run-state.ts'
import { buildRequest, type BuiltRequest } from './turn-request.ts'

/** The requests of one turn. */
interface Asking {
  edit: StepEdit
  /** Made for the first attempt at a request, and the same in each. */
  built: BuiltRequest | undefined
  readonly finalizing: boolean
  /** Requests so far. */
  asked: number
  /** Attempt at the same request, from 1. */
  attempt: number
}

export function startAsking(edit: StepEdit, finalizing: boolean): Asking {
  return { edit, built: undefined, finalizing, asked: 0, attempt: 1 }
}

/** Asks for the turn once. What it throws, or rejects with, is for `prepareAgain`. */
export function askOnce(run: RunState, asking: Asking): Promise<Turn> {
  run.mode = asking.edit.mode ?? run.runMode
  asking.built ??= buildRequest(run, asking.edit, asking.finalizing)
  return askModel(run, asking.built.request, ++asking.asked)
}

/**
 * After a failure that has a way out the turn is to be asked for again: after a while, without a continuation that the provider no longer
 * has, with the next of the `fallbacks`, after a message to the model that its call could not be parsed (Groq's `tool_use_failed`,
 * docs/wire.md#errors-inside-a-200), or with the edit's own `fallback`. Any other failure is thrown.
 */
export async function prepareAgain(run: RunState, asking: Asking, error: unknown): Promise<void> {
  const { edit, built, attempt } = asking
  if (!AdapterError.isInstance(error) || error.code === 'aborted') throw error
  const delayMs = retryDelay(run, error, attempt)
  const next = delayMs !== undefined || (await recover(run, error, built)) ? edit : edit.fallback
  if (next === undefined) throw error
  asking.edit = next
  if (delayMs === undefined) {
    asking.attempt = 0
    asking.built = undefined
  }
  await tellRetry(run, error, asking.attempt++, delayMs ?? 0)
  if (delayMs !== undefined) await sleep(run, delayMs)
}

function tellRetry(
  run: Watched & Numbered & Pick<RunState, 'eager'>,
  error: AdapterError,
  attempt: number,
  delayMs: number,
): Promise<void> | undefined {
  discardEager(run)
  return emit(run, [{ type: 'step-retry', step: stepNumber(run), attempt, delayMs, error }])
}

async function recover(run: RunState, error: AdapterError, built: BuiltRequest | undefined): Promise<boolean> {
  if (error.code === 'continuation-not-found' && built?.request.continuation !== undefined) {
    run.continuable = undefined
    return true
  }
  const recovery = (run.recovery ??= { fallbacksUsed: 0, toolUseFailures: 0 })
  if (error.code === 'tool-use-failed' && recovery.toolUseFailures < maxToolUseFailures) {
    recovery.toolUseFailures++
    const said = error.providerMessage === undefined ? '' : ` (${error.providerMessage.toWellFormed()})`
    const content = `Your last tool call could not be parsed${said}. Call the tool again with arguments that are one valid JSON object.`
    append(run, { role: 'user', content, synthetic: true })
    return true
  }
  const next = run.config.fallbacks[recovery.fallbacksUsed]
  if (next === undefined) return false
  recovery.fallbacksUsed++
  const from = `${run.model.provider}/${run.model.model}`
  const message = `${from} failed (${error.code}); ${next.provider}/${next.model} took over`
  run.model = next
  await warn(run, [{ type: 'coerced', path: 'model', message }])
  return true
}

const maxToolUseFailures = 2

/** A longer wait is not made in silence: the error is handed on, with its `retryAfterMs`. */
const longestRetryAfter = 60_000

/**
 * Milliseconds until the next attempt: what the provider says, else 0.5 s doubled per attempt up to 8 s, with jitter of up to a half
 * downwards. `undefined`: do not retry.
 */
function retryDelay(run: Pick<RunState, 'config'>, error: AdapterError, attempt: number): number | undefined {
  if (!error.retryable || attempt > run.config.maxRetries) return undefined
  if (error.retryAfterMs !== undefined) return error.retryAfterMs <= longestRetryAfter ? error.retryAfterMs : undefined
  const backoff = Math.min(500 * 2 ** (attempt - 1), 8000)
  return backoff * (1 - run.config.random() / 2)
}

async function sleep(run: Pick<RunState, 'config' | 'scope'>, ms: number): Promise<void> {
  let cancel: (() => void) | undefined
  const elapsed = new Promise<void>((resolve) => {
    cancel = run.config.clock.after(ms, resolve)
  })
  try {
    await run.scope.race(elapsed)
  } finally {
    cancel?.()
  }
}
