import type { Policy } from '@steploop/core'
import { addMiddleware } from '@steploop/core/policies'
import { checkApi, checkOptions, type TelemetryOptions } from './options.ts'
import { recordRun } from './run-recorder.ts'
import { makeSetup } from './setup.ts'

/**
 * Writes every run as a trace in the GenAI conventions of OpenTelemetry, with their metrics: `invoke_agent`, below it `chat {model}` for each
 * request and `execute_tool {name}` for each call. No content (prompts, answers, arguments, results, words of errors) unless `content` asks
 * for it. Whatever fails in telemetry, the run does not notice; without an SDK it does nothing.
 *
 * Throws `LoopError` `invalid-options`: for options that it does not have, and for an `@opentelemetry/api` that is too old or there twice.
 */
export function telemetry(options: TelemetryOptions = {}): Policy {
  checkOptions(options)
  checkApi()
  const setup = makeSetup(options)
  return (loop) => addMiddleware(loop, () => recordRun(setup))
}
