import { activeNames, isDenied } from './application.ts'
import type { ToolDraw } from './draw.ts'
import type { ExecutionRecord, JudgedRecord, Ledger } from './ledger.ts'
import { decisionOn, editedInput } from './next-run.ts'
import { codeOf, type DecisionObservation, type RunRecord } from './play.ts'
import { mark, print } from './print.ts'
import { valueOf } from './schemas/testing.ts'
import {
  ancestryOf,
  callIn,
  executionsOf,
  expectedValue,
  grantOf,
  isKept,
  keptOf,
  perRun,
  requestsOf,
  toolOf,
  type Problem,
} from './views.ts'

/** Whoever judges an input (a predicate, a policy, a person, a hook) sees the very value that the tool then gets. */
export const judgedIsExecuted = perRun((run, observation) =>
  executionsOf(run, observation).flatMap((execution) => {
    const tool = toolOf(execution.tool, run, observation)
    if (tool === undefined) return [problem('a tool ran that is not there', execution, '')]
    return [
      ...writtenTo(execution),
      ...judgedByPerson(execution, tool, run),
      ...judgedByPredicate(execution, tool, run, observation),
      ...judgedByPolicy(execution, observation),
      ...shownToHooks(execution, run, observation),
      ...madeByPipeline(execution, tool, run, observation),
    ]
  }),
)

function problem(kind: string, { tool, id, value }: ExecutionRecord, what: string): Problem {
  return { kind, detail: `${tool} ran as ${id} with ${value}; ${what}` }
}

function writtenTo(execution: ExecutionRecord): readonly Problem[] {
  return execution.value.includes(mark) ? [problem('a tool got what somebody else wrote to', execution, '')] : []
}

function judgedByPerson(execution: ExecutionRecord, { schema }: ToolDraw, run: RunRecord): readonly Problem[] {
  const grant = grantOf(execution, run)
  if (grant === undefined) return []
  const input: unknown = grant === 'edited' ? editedInput : run.shown.get(execution.id)?.input
  // What a person wrote is validated like everything else.
  const seen = grant === 'edited' ? [print(input), print(valueOf(schema, input)?.value)] : [print(input)]
  if (seen.includes(execution.value) || (grant === 'as shown' && seen.includes(execution.json))) return []
  return [problem('a person decided on another value', execution, `shown was ${seen.join(' or ')}`)]
}

function judgedByPredicate(
  execution: ExecutionRecord,
  { approval }: ToolDraw,
  run: RunRecord,
  { ledger }: DecisionObservation,
): readonly Problem[] {
  if (['none', 'always', 'odd'].includes(approval) || grantOf(execution, run) !== undefined) return []
  const asked = askedBefore(execution, 'predicate', ledger)
  if (asked.some(({ value }) => value === execution.value)) return []
  const others = asked.map(({ value }) => value).join()
  return [problem('a predicate judged another value', execution, `judged were [${others}]`)]
}

/** What a judge was asked about the tool in the run, before it ran. */
function askedBefore(
  { tool, run, at }: ExecutionRecord,
  by: JudgedRecord['by'],
  { judged }: Ledger,
): readonly JudgedRecord[] {
  return judged.filter((one) => one.by === by && one.tool === tool && one.run === run && one.at < at)
}

function judgedByPolicy(execution: ExecutionRecord, { draw, ledger }: DecisionObservation): readonly Problem[] {
  if (!draw.app.deny) return []
  const asked = askedBefore(execution, 'denyCall', ledger).filter(({ id }) => id === execution.id)
  if (asked.some(({ value }) => value === execution.value)) return []
  const others = asked.map(({ value }) => value).join()
  return [problem('denyCall judged another value', execution, `judged were [${others}]`)]
}

function shownToHooks(execution: ExecutionRecord, run: RunRecord, { ledger }: DecisionObservation): readonly Problem[] {
  if (!execution.isJson) return []
  const seen = ledger.judged.filter(({ by, id, run: of }) => by === 'hook' && id === execution.id && of === run.run)
  const other = seen.find(({ value }) => value !== execution.value)
  return other === undefined ? [] : [problem('a hook saw another value', execution, `it saw ${other.value}`)]
}

function madeByPipeline(
  execution: ExecutionRecord,
  tool: ToolDraw,
  run: RunRecord,
  observation: DecisionObservation,
): readonly Problem[] {
  const { draw } = observation
  if (!isKept(execution) || wasEdited(execution.id, run, observation)) return []
  const requested = requestsOf(run, observation).flatMap(({ messages }) => messages)
  const messages = [...requested, ...(run.ended?.messages ?? [])]
  const call = callIn(messages, execution.id)
  const expected = call === undefined ? undefined : expectedValue(draw.app, tool, call)
  if (expected === undefined || expected === execution.value || execution.value.includes(mark)) return []
  return [problem('a tool got another value than its input gives', execution, `expected ${expected}`)]
}

/** Somebody gave an input of his own, in this run or in one before, after which he was asked again. */
function wasEdited(id: string, run: RunRecord, observation: DecisionObservation): boolean {
  return ancestryOf(run, observation).some((other) => {
    const decision = decisionOn(id, other)
    return decision !== undefined && 'input' in decision
  })
}

/** Each decision is carried out once, and nothing runs, or is handed over, that was not to. */
export const oneDecisionOneExecution = perRun((run, observation) => [
  ...ranOnce(run, observation),
  ...executionsOf(run, observation).flatMap((execution) => notToRun(execution, run, observation)),
  ...notToBeHandedOver(run, observation),
  ...forgedIsRefused(run, observation),
])

function ranOnce(run: RunRecord, observation: DecisionObservation): readonly Problem[] {
  const kept = keptOf(run, observation)
  return kept.flatMap((execution, index) => {
    const before = kept.slice(0, index).some(({ id }) => id === execution.id)
    if (before) return [problem('one call ran twice', execution, '')]
    if (execution.request !== undefined) return []
    // A call that was open when the run began: no run that led here can have run it.
    const earlier = ancestryOf(run, observation).slice(1)
    const again = earlier.some((other) => keptOf(other, observation).some(({ id }) => id === execution.id))
    return again && !run.tampered ? [problem('one call ran in two runs', execution, '')] : []
  })
}

function notToRun(execution: ExecutionRecord, run: RunRecord, observation: DecisionObservation): readonly Problem[] {
  const { draw, ledger } = observation
  const { tool, id } = execution
  const problems: Problem[] = [...withoutApproval(execution, run, observation)]
  const decision = execution.request === undefined ? decisionOn(id, run) : undefined
  if (decision !== undefined && 'approved' in decision && !decision.approved)
    problems.push(problem('a denied call ran', execution, 'a person had said no'))
  if (isDenied(tool, run.change, draw.app)) problems.push(problem('a denied call ran', execution, 'a policy said no'))
  const asked = ledger.judged.some(
    ({ by, id: of, run: at, passes }) => by === 'denyCall' && of === id && at === run.run && !passes,
  )
  if (asked) problems.push(problem('a denied call ran', execution, '`denyCall` said no'))
  if (!activeNames(run.change, { draw }).includes(tool))
    problems.push(problem('a tool ran that is not active', execution, ''))
  const changed = ancestryOf(run, observation).map(({ change }) => change === 'definition')
  const other = tool === 't0' && changed[0] === true && !changed.slice(1).includes(true)
  if (other && grantOf(execution, run) === 'as shown')
    problems.push(problem('an approval counted for another definition', execution, ''))
  return problems
}

/** Somebody has to say yes, or the tool's own predicate, in so many words, that nobody is needed. */
function withoutApproval(
  execution: ExecutionRecord,
  run: RunRecord,
  observation: DecisionObservation,
): readonly Problem[] {
  const approval = toolOf(execution.tool, run, observation)?.approval ?? 'none'
  if (approval === 'none' || grantOf(execution, run) !== undefined) return []
  const predicate = approval !== 'always' && approval !== 'odd'
  const asked = askedBefore(execution, 'predicate', observation.ledger)
  const objected = asked.some(({ value, passes }) => value === execution.value && !passes)
  if (predicate && !objected) return []
  return [problem('a tool ran without its approval', execution, `it asks by: ${approval}`)]
}

function notToBeHandedOver(run: RunRecord, { draw, ledger }: DecisionObservation): readonly Problem[] {
  const waiting = (run.ended?.pendingCalls ?? []).filter(({ unjudged }) => unjudged !== true)
  const pending = waiting.filter(({ toolCallId: id }) => !run.shown.has(id) || run.shown.get(id)?.unjudged === true)
  return pending.flatMap(({ toolCallId, toolName, input }) => {
    const detail = `${toolName} waits as ${toolCallId}`
    if (isDenied(toolName, run.change, draw.app)) return [{ kind: 'a denied call was handed over', detail }]
    if (!draw.app.deny) return []
    const asked = ledger.judged.filter(
      ({ by, id, run: of }) => by === 'denyCall' && id === toolCallId && of === run.run,
    )
    if (asked.length === 0) return [{ kind: '`denyCall` was not asked about a call that waits', detail }]
    if (asked.some(({ passes }) => !passes)) return [{ kind: 'a denied call was handed over', detail }]
    const seen = asked.map(({ value }) => value)
    if (asked.some(({ isJson }) => !isJson) || seen.includes(print(input))) return []
    const kind = '`denyCall` judged another value than the person is shown'
    return [{ kind, detail: `${detail} with ${print(input)}; judged were ${seen.join()}` }]
  })
}

/** An answer that a call cannot have is refused before anything runs. */
function forgedIsRefused(run: RunRecord, observation: DecisionObservation): readonly Problem[] {
  if (!run.forged || run.tampered) return []
  const code = codeOf(run)
  const ran = requestsOf(run, observation).length + executionsOf(run, observation).length
  const refused = code === 'invalid-input' || code === 'invalid-transcript' || code === 'invalid-options'
  return refused && ran === 0 ? [] : [{ kind: 'a forged answer was taken', detail: print(run.answers) }]
}
