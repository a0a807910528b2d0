import type { ToolChoice } from '../contract/adapter.ts'
import { endedOutput } from '../tools/call-answers.ts'
import type { FinishReason } from '../contract/events.ts'
import { repetitionOf } from './limits.ts'
import type { ToolOutput } from '../contract/messages.ts'
import type { RunState } from './run-state.ts'
import { errorOutput } from '../wire/tool-output.ts'
import type { LimitReason } from './run-result.ts'

/** How the turn was asked for. */
export interface AskedTurn {
  readonly limit: LimitReason | undefined
  readonly choice: ToolChoice | undefined
}

/** Why no call of a turn may run, if so. */
export function refusalOf(
  run: RunState,
  finishReason: FinishReason,
  { limit, choice }: AskedTurn,
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
