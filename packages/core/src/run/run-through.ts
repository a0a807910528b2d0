import { AbortReason } from './state/abort-scope.ts'
import { printed } from '../options/invalid-option.ts'
import { LoopError } from '../contract/errors.ts'
import { failedRun } from './failed-run.ts'
import { middlewareFailed } from '../options/make-middleware.ts'
import type { Middleware, RunInfo } from '../options/middleware.ts'
import type { RunStart } from './run-input.ts'
import type { RunResult } from '../contract/run-result.ts'
import type { RunState } from './state/run-state.ts'
import { isObject } from '../wire/json.ts'

interface Played {
  readonly start: RunStart
  readonly play: () => Promise<RunResult>
}

/**
 * Plays the run inside of the middleware's function. An abort does not wait for what that function does before the run, and afterwards has
 * ended the run that it waits for.
 */
export async function runThrough(
  run: RunState,
  around: NonNullable<Middleware['run']>,
  { start, play }: Played,
): Promise<RunResult> {
  const { scope } = run
  let state: 'waiting' | 'running' | 'over' = 'waiting'
  let played: Promise<RunResult> | undefined
  const isRunning = (): boolean => state === 'running'
  const begin = (): Promise<RunResult> => {
    const begun = play()
    state = 'running'
    const end = (): void => void (state = 'over')
    begun.then(end, end)
    return begun
  }
  const next = (): Promise<RunResult> => {
    if (state === 'over' && played === undefined) return Promise.reject(tooLate())
    return (played ??= begin())
  }
  try {
    const answer = call(around, infoOf(run, start), next)
    const result: unknown = await scope.race(answer).catch((cause: unknown) => {
      if (cause instanceof AbortReason && played !== undefined) return answer
      throw cause
    })
    if (isResult(result)) return result
    throw new TypeError(`it returned ${printed(result)}. Return what \`next\` gave.`)
  } catch (cause) {
    if (LoopError.isInstance(cause)) throw cause
    return failedRun(run, cause instanceof AbortReason ? cause : middlewareFailed('middleware.run', cause))
  } finally {
    if (isRunning()) scope.abort(new AbortReason('aborted', new Error('The middleware did not wait for the run.')))
    state = 'over'
  }
}

/** Code without types may throw before it gives a promise. */
async function call(
  around: NonNullable<Middleware['run']>,
  info: RunInfo,
  next: () => Promise<RunResult>,
): Promise<RunResult> {
  return around(info, next)
}

function tooLate(): LoopError {
  return new LoopError('aborted', 'The run was over before its middleware let it begin.')
}

function isResult(value: unknown): value is RunResult {
  return isObject(value) && isObject(value['transcript']) && Array.isArray(value['steps'])
}

function infoOf(run: RunState, start: RunStart): RunInfo {
  const { config, transcriptId, runMode: mode, model, scope } = run
  const { instructions, tools, output } = config
  const before = start.messages.length
  return {
    transcriptId,
    mode,
    model,
    instructions,
    tools,
    get messages() {
      return [...start.messages.slice(0, before), ...start.next]
    },
    pendingCalls: start.open?.pending ?? [],
    structured: output !== undefined,
    signal: scope.signal,
  }
}
