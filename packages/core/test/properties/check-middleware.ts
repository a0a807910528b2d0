import { perRun } from './check-calls.ts'
import { attemptsOf } from './conversation.ts'
import { refuses } from './next-input.ts'
import type { RunRecord } from './observation.ts'

/** What is around a run sees it, each of its requests and each of its calls that runs, once, and the ends of the run and its calls. */
export const middlewareSeesAll = perRun((run, observation) => {
  if (!observation.draw.options.middleware) return []
  const around = observation.log.around.filter((one) => one.run === run.run)
  const seen = (what: string): readonly (typeof around)[number][] => around.filter((one) => one.what === what)
  const problems: string[] = []
  const runs = seen('run')
  const begun = isBegun(run) ?? runs.length > 0
  if (runs.length !== (begun ? 1 : 0)) problems.push(`it was seen to begin ${runs.length} times`)
  if (runs.some(({ over }) => !over) && !run.hung) problems.push('nobody saw its end')
  const attempts = attemptsOf(run, observation).length
  if (seen('turn').length !== attempts) problems.push(`of ${attempts} requests ${seen('turn').length} were seen`)
  const calls = seen('tool').map(({ toolCallId }) => toolCallId)
  for (const { toolCallId } of observation.executions.filter((one) => one.run === run.run)) {
    const index = calls.indexOf(toolCallId)
    if (index === -1) problems.push(`the execution of ${toolCallId} was not seen`)
    else calls.splice(index, 1)
  }
  // An abort may come between what is around a call and its tool.
  const stopped =
    run.outcome.type !== 'result' || run.outcome.result.stopReason === 'timeout' || run.abort !== undefined
  if (calls.length > 0 && !stopped && !observation.draw.options.eager) problems.push(`${calls.join()} did not run`)
  return problems
})

/** `undefined`: who left may have done so before anything began. */
function isBegun({ outcome, continuation }: RunRecord): boolean | undefined {
  if (outcome.type === 'left') return undefined
  return !(outcome.type === 'error' && continuation.kind === 'misuse' && refuses(outcome.error))
}
