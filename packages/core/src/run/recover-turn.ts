import { askModel } from './ask-model.ts'
import type { Turn } from '../wire/collect-turn.ts'
import { discardEager } from './eager-tools.ts'
import { AdapterError } from '../contract/errors.ts'
import type { StepEdit } from './loop-options.ts'
import { append, emit, stepNumber, warn, type RunState } from './run-state.ts'
import { buildRequest, type BuiltRequest } from './turn-request.ts'

/**
 * Asks for one turn and, where the failure has a way out, again: without a continuation that the provider no longer has, with the next
 * of the `fallbacks`, after telling the model that its call could not be parsed (Groq's `tool_use_failed`,
 * docs/wire.md#errors-inside-a-200), or with the edit's own `fallback`.
 */
export async function askRecovering(
  run: RunState,
  given: StepEdit,
  finalizing: boolean,
): Promise<{ readonly turn: Turn; readonly built: BuiltRequest }> {
  let edit = given
  const asked = { attempts: 0 }
  for (;;) {
    run.mode = edit.mode ?? run.givenMode
    let built: BuiltRequest | undefined
    try {
      built = buildRequest(run, edit, finalizing)
      return { turn: await askModel(run, built.request, asked), built }
    } catch (error) {
      if (!AdapterError.isInstance(error)) throw error
      const next = (await recover(run, error, built)) ? edit : edit.fallback
      if (next === undefined || error.code === 'aborted') throw error
      edit = next
      discardEager(run)
      await emit(run, [{ type: 'step-retry', step: stepNumber(run), attempt: 0, delayMs: 0, error }])
    }
  }
}

async function recover(run: RunState, error: AdapterError, built: BuiltRequest | undefined): Promise<boolean> {
  if (error.code === 'aborted') return false
  if (error.code === 'continuation-not-found' && built?.request.continuation !== undefined) {
    run.continuable = undefined
    return true
  }
  const recovery = (run.recovery ??= { fallbacksUsed: 0, toolUseFailures: 0 })
  if (error.code === 'tool-use-failed' && recovery.toolUseFailures < maxToolUseFailures) {
    recovery.toolUseFailures++
    const said = error.providerMessage === undefined ? '' : ` (${error.providerMessage})`
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
