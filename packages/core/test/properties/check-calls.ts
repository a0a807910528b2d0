import { LoopError } from '../../src/contract/errors.ts'
import { isObject } from '../../src/wire/json.ts'
import type { ToolCallPart } from '../../src/contract/messages.ts'
import {
  acceptedTurns,
  attemptsOf,
  errorCodeOf,
  exchangesOf,
  pairingProblems,
  type Accepted,
  type Exchange,
} from './conversation.ts'
import type { CallDraw, OptionsDraw } from './draw.ts'
import { transcriptOf, type Observation, type RunRecord } from './observation.ts'
import { finishOf } from './turn-script.ts'
import type { Execution } from './world.ts'

export type Check = (observation: Observation) => readonly string[]

/** The same question to every run. */
export function perRun(check: (run: RunRecord, observation: Observation) => readonly string[]): Check {
  return (observation) =>
    observation.runs.flatMap((run) => check(run, observation).map((problem) => `run ${run.run}: ${problem}`))
}

function executionOf(id: string, observation: Observation): Execution | undefined {
  return keptExecutions(observation).find((execution) => execution.toolCallId === id)
}

/** Without those of tools that only read and started in a turn that then failed: their results are thrown away, their ids come again. */
function keptExecutions({ draw, executions }: Observation): readonly Execution[] {
  return draw.options.eager ? executions.filter(({ attempt }) => attempt?.finished !== false) : executions
}

export function isEnded(run: RunRecord, { log }: Observation): boolean {
  return log.acts.some(({ run: of, act }) => of === run.run && (act === 'stop' || act === 'override'))
}

/** Whether the run came to an end of its own. */
function wasStopped({ abort, seen, outcome, stuck, hung }: RunRecord): boolean {
  const timedOut = outcome.type === 'result' && outcome.result.stopReason === 'timeout'
  return abort !== undefined || seen.left || timedOut || outcome.type !== 'result' || stuck || hung
}

const loopTools: readonly string[] = ['echo', 'plain', 'slow']

/** Answers that a call may get in place of being run, each for a reason that its own check looks at. */
const refusals: ReadonlySet<string | undefined> = new Set([
  'limit-reached',
  'repeated-call',
  'too-many-calls',
  'aborted',
])

/** 1: calls present and complete run, whatever the finish reason says; without calls the run stops. */
export const contentDecides = perRun((run, observation) => {
  const turns = acceptedTurns(run, observation)
  if (turns === undefined) return []
  const problems: string[] = []
  const finished = attemptsOf(run, observation).filter((attempt) => attempt.finished).length
  const lost = finished - turns.length
  if (lost < 0 || lost > (wasStopped(run) ? 1 : 0)) problems.push(`${finished} turns ended, ${turns.length} are kept`)
  for (const [index, turn] of turns.entries()) {
    problems.push(...callsKept(turn), ...callsRun(turn, run, observation))
    const goesOn = turns.length > index + 1 || attemptsOf(run, observation).some((one) => one.at > turn.attempt.at)
    const paused = finishOf(turn.attempt.turn) === 'pause'
    const ends = turn.calls.length === 0 && !paused && observation.draw.options.structured === undefined
    if (ends && goesOn) problems.push(`request ${turn.attempt.attempt} was answered without calls, yet the run went on`)
  }
  const last = turns.at(-1)
  if (run.outcome.type !== 'result' || last === undefined) return problems
  const { stopReason, steps } = run.outcome.result
  const hidden = observation.draw.options.structured !== undefined
  if (stopReason === 'answer' && last.calls.length > 0 && !hidden) problems.push('an answer with open calls')
  for (const [index, step] of steps.entries()) {
    const raw = `raw-${turns[index]?.attempt.attempt}`
    if (turns[index] !== undefined && step.rawFinishReason !== raw) problems.push(`step ${index} lost '${raw}'`)
  }
  return problems
})

function callDraws({ attempt }: Accepted): readonly CallDraw[] {
  return attempt.turn.parts.filter((part) => part.type === 'call')
}

function callsKept(turn: Exchange & Accepted): readonly string[] {
  const drawn = callDraws(turn).map((call) => call.tool)
  const kept = turn.calls.map((call) => call.toolName)
  return drawn.join() === kept.join() ? [] : [`the calls [${drawn.join()}] became [${kept.join()}]`]
}

function codeOf({ results }: Exchange, call: ToolCallPart): string | undefined {
  const result = results.find((one) => one.toolCallId === call.toolCallId)
  return result === undefined ? 'pending' : errorCodeOf(result.output)
}

function callsRun(turn: Exchange & Accepted, run: RunRecord, observation: Observation): readonly string[] {
  const narrowed = observation.draw.edits.some(({ edit }) => edit === 'tools')
  return callDraws(turn).flatMap((drawn, index) => {
    const call = turn.calls[index]
    if (call === undefined || drawn.shape !== 'whole' || !loopTools.includes(drawn.tool)) return []
    const code = codeOf(turn, call)
    if (isCutByLimit(turn, drawn)) return []
    if (executionOf(call.toolCallId, observation) !== undefined || refusals.has(code)) return []
    if (code === 'unknown-tool' && (!observation.draw.options.tools || narrowed)) return []
    if (observation.draw.options.unknownTools === 'client' && (!observation.draw.options.tools || narrowed)) return []
    const excused = finishOf(turn.attempt.turn) === 'content-filter' || isEnded(run, observation)
    return code === 'not-executed' && excused ? [] : [`call ${call.toolCallId} was complete, but not run (${code})`]
  })
}

/** The last call of a turn that its token limit cut: whoever closed its arguments, and whatever text follows it, it may be half. */
function isCutByLimit({ attempt }: Accepted, call: CallDraw): boolean {
  const last = attempt.turn.parts.findLast((part) => part.type === 'call')
  return last === call && finishOf(attempt.turn) === 'length'
}

/** 2: a truncated or unreadable call is answered with its error, and never runs. */
export const truncatedNeverRuns = perRun((run, observation) => {
  const turns = acceptedTurns(run, observation) ?? []
  return turns.flatMap((turn) =>
    callDraws(turn).flatMap((drawn, index) => {
      const call = turn.calls[index]
      const cut = isCutByLimit(turn, drawn)
      if (call === undefined || (!cut && (drawn.shape === 'whole' || drawn.shape === 'misfit'))) return []
      const { toolCallId: id, invalid } = call
      const problems: string[] = []
      if (invalid !== (!cut && drawn.shape === 'unparsable' ? 'unparsable' : 'truncated'))
        problems.push(`call ${id} is ${drawn.shape}, but marked ${invalid}`)
      if (executionOf(id, observation) !== undefined) problems.push(`call ${id} is ${drawn.shape}, but was run`)
      const code = codeOf(turn, call)
      const handedOver = code === 'pending' && observation.draw.options.unknownTools === 'client'
      const hidden = drawn.tool === 'output_structured_data'
      if (!hidden && (code === undefined || (code === 'pending' && !handedOver)))
        problems.push(`call ${id} is ${drawn.shape}, but answered ${code}`)
      return problems
    }),
  )
})

/** 3: every call is answered once, in call order, in what goes to a model and in what the caller gets. */
export const everyCallAnswered = perRun((run, observation) => {
  const problems = attemptsOf(run, observation).flatMap(({ attempt, request }) =>
    pairingProblems(request.messages).map((problem) => `request ${attempt}: ${problem}`),
  )
  const transcript = transcriptOf(run.outcome)
  if (transcript === undefined || (run.continuation.kind === 'misuse' && run.outcome.type === 'error')) return problems
  const pending = transcript.pendingCalls.map((call) => call.toolCallId)
  problems.push(...pairingProblems(transcript.messages, pending).map((problem) => `transcript: ${problem}`))
  if (run.outcome.type !== 'result' || observation.log.editedRuns.has(run.run)) return problems
  if (run.continuation.kind === 'misuse') return problems
  const { messages } = run.outcome.result
  const open = run.continuation.transcript?.pendingCalls.length ?? 0
  const start = run.continuation.kind === 'fresh' ? transcript.messages.slice(0, 1) : run.continuation.start
  const before = open > 0 && start.at(-1)?.role === 'tool' ? start.slice(0, -1) : start
  if (JSON.stringify([...before, ...messages]) !== JSON.stringify(transcript.messages))
    problems.push('the new messages are not what the transcript gained')
  return problems
})

/** 4: a call runs once, in this run and those that resume it, and keeps its result. */
export const neverTwice: Check = (observation) => {
  const problems: string[] = []
  const keys = new Map<string, string>()
  const executions = keptExecutions(observation)
  for (const [index, execution] of executions.entries()) {
    const { toolCallId: id, idempotencyKey: key, run } = execution
    if (observation.runs[run]?.continuation.kind === 'misuse') continue
    const first = executions.findIndex((other) => other.toolCallId === id)
    if (first !== index) problems.push(`call ${id} ran twice`)
    if ((keys.get(key) ?? id) !== id) problems.push(`calls ${id} and ${keys.get(key)} have the same idempotency key`)
    keys.set(key, id)
  }
  return [...problems, ...resultsKept(observation)]
}

function resultsKept({ runs, log }: Observation): readonly string[] {
  const known = new Map<string, string>()
  return runs.flatMap((run) => {
    const transcript = transcriptOf(run.outcome)
    if (log.editedRuns.has(run.run)) known.clear()
    if (transcript === undefined || log.editedRuns.has(run.run) || run.continuation.kind === 'misuse') return []
    return exchangesOf(transcript.messages).flatMap(({ results }) =>
      results.flatMap(({ toolCallId: id, output }) => {
        const text = JSON.stringify(output)
        const earlier = known.get(id) ?? text
        known.set(id, earlier)
        return earlier === text ? [] : [`run ${run.run}: the result of ${id} became ${text}, it was ${earlier}`]
      }),
    )
  })
}

/** 5: a bad tool is answered with its error and hurts nobody else; what tools return is made safe. */
export const badToolsAreContained = perRun((run, observation) => {
  const { outcome } = run
  const problems: string[] = []
  const mine = keptExecutions(observation).filter((execution) => execution.run === run.run)
  if (outcome.type === 'error' && LoopError.isInstance(outcome.error) && outcome.error.code === 'tool-failed') {
    const failed = mine.some((execution) => execution.outcome.type === 'throw' || execution.outcome.type === 'reject')
    if (observation.draw.options.onToolError !== 'throw' || !failed) problems.push('a tool ended the run')
  }
  const transcript =
    observation.log.editedRuns.has(run.run) || run.continuation.kind === 'misuse' ? undefined : transcriptOf(outcome)
  for (const { results } of exchangesOf(transcript?.messages ?? [])) {
    for (const { toolCallId: id, output } of results) {
      if (!isPlainJson(output)) problems.push(`the output of ${id} is no plain JSON`)
      const execution = mine.find((one) => one.toolCallId === id)
      if (execution !== undefined)
        problems.push(...outcomeProblems(execution, errorCodeOf(output), observation.draw.options))
    }
  }
  return problems
})

function outcomeProblems(
  { toolCallId: id, outcome }: Execution,
  code: string | undefined,
  { toolTimeout, eager }: OptionsDraw,
): readonly string[] {
  // A call that had started early and is then refused keeps the refusal.
  if (code === 'aborted' || (eager && (refusals.has(code) || code === 'not-executed'))) return []
  const failed = outcome.type === 'throw' || outcome.type === 'reject'
  if (failed && code !== 'tool-failed') return [`${id} failed, but was answered ${code}`]
  if (outcome.type === 'value' && code !== undefined) return [`${id} gave a value, but was answered ${code}`]
  const endless = outcome.type.startsWith('hang') || (outcome.type === 'late-aware' && toolTimeout !== 0)
  return endless && code !== 'tool-timeout' ? [`${id} never ended, but was answered ${code}`] : []
}

function isPlainJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isPlainJson)
  return isObject(value) && Object.values(value).every(isPlainJson)
}

/** 9: who owns a call decides who runs it. */
export const ownershipIsExplicit = perRun((run, observation) => {
  const problems: string[] = []
  const { maxToolConcurrency: most = 16, structured } = observation.draw.options
  const transcript = transcriptOf(run.outcome)
  const calls = new Map<string, ToolCallPart>()
  for (const exchange of exchangesOf(transcript?.messages ?? []))
    for (const call of exchange.calls) calls.set(call.toolCallId, call)
  for (const execution of observation.executions) {
    if (execution.run !== run.run) continue
    if (execution.busy > most) problems.push(`${execution.busy} tools ran at the same time`)
    problems.push(...approvalProblems(execution, run, calls.get(execution.toolCallId)))
  }
  for (const turn of acceptedTurns(run, observation) ?? []) {
    const searches = turn.attempt.turn.parts.filter((part) => part.type === 'search').length
    const kept = turn.message.content.filter((part) => part.type === 'tool-result').length
    if (kept !== searches) problems.push(`${searches} calls of the provider have ${kept} results`)
  }
  if (run.outcome.type !== 'result' || transcript === undefined || structured !== undefined) return problems
  const { status, stopReason } = run.outcome.result
  const reasons = transcript.pendingCalls.map((call) => call.reason)
  if ((status === 'requires-action') !== reasons.length > 0)
    problems.push(`${status} with ${reasons.length} pending calls`)
  const all = reasons.every((reason) => reason === 'approval') ? 'approval' : 'client-tool'
  if (status === 'requires-action' && stopReason !== all)
    problems.push(`stopped for ${stopReason} with ${reasons.join()}`)
  return problems
})

function approvalProblems(
  { toolCallId: id, toolName, input }: Execution,
  run: RunRecord,
  call: ToolCallPart | undefined,
): readonly string[] {
  if (call !== undefined && call.toolName !== toolName) return [`${id} calls ${call.toolName}, but ${toolName} ran`]
  const answer = run.continuation.answers[id]
  const edited = answer !== undefined && 'approved' in answer && answer.approved ? answer.input : undefined
  const expected = JSON.stringify(edited ?? call?.input)
  if (call !== undefined && JSON.stringify(input) !== expected) return [`${id} ran with ${JSON.stringify(input)}`]
  const odd = isObject(call?.input) && call.input['key'] !== 0 && call.input['key'] !== 2
  const guarded = toolName === 'risky' || (toolName === 'maybe' && odd)
  if (!guarded || call === undefined || run.continuation.kind === 'misuse') return []
  const approved = answer !== undefined && 'approved' in answer && answer.approved
  return approved ? [] : [`${id} ran without an approval`]
}
