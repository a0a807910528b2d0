import type { ToolResultPart } from '../../../src/contract/messages.ts'
import { isObject } from '../../../src/wire/json.ts'
import { LoopError } from '../../../src/contract/errors.ts'
import type { PolicyDraw } from './draw.ts'
import type { ExecutionRecord, RequestRecord } from './ledger.ts'
import { inputTextOf } from './model.ts'
import type { DecisionObservation, RunRecord } from './play.ts'
import { print } from './print.ts'
import {
  callIn,
  expectedValue,
  hasActed,
  isRefused,
  keptOf,
  perRun,
  ranInTurn,
  requestsOf,
  resultsIn,
  toolOf,
  turnOf,
  type Problem,
} from './views.ts'

/** Policies do what their names say, and nothing else. */
export const policiesMeanTheirNames = perRun((run, observation) => {
  const honest = run.tampered || isRefused(run) ? [] : [resultsAreTheirOwn, limitsAreKept]
  return [...honest, choicesAreKept, readersAreNotTimed, budgetsSee].flatMap((check) => check(run, observation))
})

function has(type: PolicyDraw['type'], { draw }: DecisionObservation): boolean {
  return draw.app.policies.some((policy) => policy.type === type)
}

/** Results of calls that this run answered. */
function freshResults({ ended, transcript }: RunRecord): readonly ToolResultPart[] {
  const known = new Set(resultsIn(transcript?.messages ?? []).map(({ toolCallId }) => toolCallId))
  return resultsIn(ended?.messages ?? []).filter(({ toolCallId }) => !known.has(toolCallId))
}

/** The result of a call is that of its own execution, or, from a cache, of one with the same input. */
function resultsAreTheirOwn(run: RunRecord, observation: DecisionObservation): readonly Problem[] {
  return freshResults(run).flatMap((result) => {
    const own = keptOf(run, observation).findLast(({ id }) => id === result.toolCallId)
    const { output } = result
    if (output.type === 'json') return resultProblem(result, own, run, observation)
    if (output.type !== 'error' || own !== undefined) return []
    return failureProblem(result, run, observation)
  })
}

function resultProblem(
  result: ToolResultPart,
  own: ExecutionRecord | undefined,
  run: RunRecord,
  observation: DecisionObservation,
): readonly Problem[] {
  const { toolCallId, toolName, output } = result
  const at = isObject(output.value) ? output.value['at'] : undefined
  const source = observation.ledger.executed.find((execution) => execution.at === at)
  if (source === undefined || source === own) return []
  const tool = toolOf(toolName, run, observation)
  const call = callIn(run.ended?.messages ?? [], toolCallId)
  if (tool === undefined || call === undefined) return []
  const detail = `${toolName} as ${toolCallId} got the result of ${source.tool} with ${source.value}`
  if (tool.effect === 'write') return [{ kind: 'a call that writes got the result of another one', detail }]
  const expected = expectedValue(observation.draw.app, tool, call)
  const same = source.tool === toolName && (expected === undefined || expected === source.value)
  return same ? [] : [{ kind: 'a call got the result of another input', detail: `${detail}, its own is ${expected}` }]
}

/** A tool that was not run cannot have failed. */
function failureProblem(
  { toolCallId, toolName, output }: ToolResultPart,
  run: RunRecord,
  observation: DecisionObservation,
): readonly Problem[] {
  const tool = toolOf(toolName, run, observation)
  const code = output.type === 'error' ? output.value.code : undefined
  if (tool === undefined || (code !== 'tool-failed' && code !== 'tool-timeout')) return []
  const kept = observation.runs.flatMap((other) => keptOf(other, observation))
  const limited = observation.draw.app.policies.find(({ type }) => /limit|share|finalize/.test(type))
  const detail = `${toolName} as ${toolCallId}: ${print(output.value)}`
  if (code === 'tool-failed' && limited !== undefined) {
    const spent = limited.type !== 'share' || has('limit', observation) || has('finalize', observation)
    const used = kept.length >= (limited.type === 'share' ? limited.most : 0)
    return spent || used ? [] : [{ kind: 'shared calls were spent by attempts that were thrown away', detail }]
  }
  // Calls of one step may wait for one execution.
  const asked = requestsOf(run, observation)
  const step = asked.findLast(({ finished, messages }) => finished && callIn(messages, toolCallId) === undefined)
  const together = kept.some(
    ({ tool: name, request, run: of }) => name === toolName && of === run.run && request === step,
  )
  return together ? [] : [{ kind: 'a call that never ran is said to have failed', detail }]
}

function limitsAreKept(run: RunRecord, observation: DecisionObservation): readonly Problem[] {
  const { app } = observation.draw
  const own = keptOf(run, observation)
  const ran = ranInTurn(run, observation)
  const all = observation.runs.filter((other) => other.run <= run.run).flatMap((other) => keptOf(other, observation))
  return app.policies.flatMap((policy): readonly Problem[] => {
    if (own.length === 0) return []
    if (policy.type === 'share' && all.length > policy.most)
      return [{ kind: 'more calls ran than are shared', detail: `${all.length} of ${policy.most}` }]
    if (policy.type !== 'limit' || app.trim !== undefined || hasExtended(run, observation)) return []
    const count = ran.filter(({ tool }) => tool === policy.tool).length
    if (count <= policy.most || !own.some(({ tool }) => tool === policy.tool)) return []
    return [{ kind: 'a tool ran oftener than `limitToolCalls` says', detail: `${policy.tool} ${count} times` }]
  })
}

/** The application itself spoke as the user. */
function hasExtended(run: RunRecord, observation: DecisionObservation): boolean {
  return turnOf(run, observation).some((other) => hasActed(other, 'extend', observation))
}

/** The request right after a batch: what `finalizeAfterTools` does where that gives no answer is another matter. */
function followsBatch(number: number, requests: readonly RequestRecord[]): boolean {
  const before = requests.find((one) => one.finished && one.number === number - 1)
  return before !== undefined && hasCalls(before) && before.toolChoice !== 'none'
}

const objectTool = 'output_structured_data'

function choicesAreKept(run: RunRecord, observation: DecisionObservation): readonly Problem[] {
  const { app } = observation.draw
  const requests = requestsOf(run, observation)
  const problems: Problem[] = []
  for (const request of requests) {
    const { toolChoice, number, tools } = request
    const some = tools.some((name) => name !== objectTool)
    const other =
      (toolChoice === 'required' && some) || (typeof toolChoice === 'object' && toolChoice.toolName !== objectTool)
    const none =
      (app.toolChoice === 'none' && !has('force', observation)) ||
      (has('finalize', observation) && app.trim === undefined && followsBatch(number, requests))
    if (other && none && app.structured !== 'none')
      problems.push({ kind: 'a tool was forced although none was to be called', detail: `request ${number}` })
  }
  const object = requests.find((request) => request.finished && givesObject(request))
  const last = requests.at(-1)
  if (object === undefined || object === last || app.structured !== 'tool' || hasExtended(run, observation))
    return problems
  return [
    ...problems,
    { kind: 'the model was asked again after it gave its object', detail: `request ${object.number}` },
  ]
}

/** It called a tool of the loop, so that there are results. */
function hasCalls({ turn }: RequestRecord): boolean {
  return turn.parts.some((part) => part.type === 'call' && part.tool !== objectTool)
}

/** Called alone, and right. */
function givesObject({ turn, tools }: RequestRecord): boolean {
  const [call, ...others] = turn.parts.filter((part) => part.type === 'call')
  const alone = call !== undefined && others.length === 0 && call.tool === objectTool
  return alone && tools.includes(objectTool) && inputTextOf(call) === '{"ok":true}'
}

/** The models here answer at once. */
function readersAreNotTimed({ retries, outcome }: RunRecord, observation: DecisionObservation): readonly Problem[] {
  if (!has('turn-time', observation)) return []
  const cause: unknown =
    outcome.type === 'error' && LoopError.isInstance(outcome.error) ? outcome.error.cause : undefined
  const timed = retries.includes('timeout') || (isObject(cause) && cause['code'] === 'timeout')
  return timed ? [{ kind: 'a slow reader made a turn time out', detail: `retries: ${retries.join()}` }] : []
}

/** Counts that are none do not disappear in sums, and a budget that sees nothing says so. */
function budgetsSee(run: RunRecord, observation: DecisionObservation): readonly Problem[] {
  const { outcome } = run
  if (outcome.type !== 'result') return []
  const counts = Object.values(outcome.result.usage ?? {})
  const problems: Problem[] = []
  if (counts.some((count) => typeof count === 'number' && !(count >= 0)))
    problems.push({ kind: 'usage was counted that is none', detail: print(outcome.result.usage) })
  const blind = requestsOf(run, observation).some(({ finished, turn }) => finished && turn.usage !== 'ten')
  if (observation.draw.app.maxTokens !== undefined && blind && run.warnings.length === 0)
    problems.push({ kind: 'a budget did not say that it sees no usage', detail: '' })
  return problems
}
