import { relative } from 'node:path'
import type { Cassette } from '@steploop/cassette'
import { toJsonValue, type TurnEvent } from '@steploop/core/adapter'
import { described } from '../described.ts'
import type { Evidence, Execution, RunRecord, TurnRecord } from '../evidence.ts'
import { errorCode, stepsOf, type RunStep } from '../judge/trace/trace.ts'
import type { AttemptDetails, CaseDetails, ExecutionDetails, RunDetails, StepDetails } from '../details-schema.ts'
import { compareWithCassette, type ComparedRequest } from './compare-with-cassette.ts'
import { withhold } from './withhold.ts'

/** A turn of more events shows these and how many more there were: a subject that never stops may yield millions. */
const eventsShown = 500

/** What a case did, for a reader. `played`: its cassette and the path of that, unless it was played without HTTP. */
export function caseDetails(evidence: Evidence, played?: PlayedCassette): CaseDetails {
  if (played === undefined) return withhold({ runs: evidence.runs.map((run) => runDetails(run, [])), unused: [] })
  const { compare, unused } = compareWithCassette(played.cassette)
  const runs = evidence.runs.map((run) => runDetails(run, run.requests.map(compare)))
  return withhold({ cassette: cassetteFacts(played), runs, unused: unused() })
}

export interface PlayedCassette {
  readonly cassette: Cassette
  readonly file: string
}

function cassetteFacts({ cassette, file }: PlayedCassette): CaseDetails['cassette'] {
  const { wire, model } = cassette.header
  const below = relative(process.cwd(), file)
  return { file: below.startsWith('..') ? file : below, wire, model, exchanges: cassette.exchanges.length }
}

function runDetails(run: RunRecord, requests: readonly ComparedRequest[]): RunDetails {
  const reported = stepsOf(run)
  const steps = attemptsByStep(run, requests).map((attempts, index) => ({
    attempts,
    executions: executionsOf(reported[index], run.executions),
  }))
  const shown = new Set(steps.flatMap(({ executions }) => executions.map(({ toolCallId }) => toolCallId)))
  return {
    number: run.number,
    steps,
    otherExecutions: run.executions
      .filter(({ toolCallId }) => !shown.has(toolCallId))
      .map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input: toJsonValue(input), ran: true })),
    waits: [...run.waits],
    end: endOf(run),
  }
}

function endOf({ result, error }: RunRecord): RunDetails['end'] {
  if (result === undefined) return { type: 'error', code: errorCode(error), message: described(error) }
  const { status, stopReason, text } = result
  return { type: 'result', status, stopReason, text }
}

/** A turn is one request; one that threw is tried again in the same step, or ends the run. */
function attemptsByStep(run: RunRecord, requests: readonly ComparedRequest[]): StepDetails['attempts'][] {
  const steps: AttemptDetails[][] = []
  let open: AttemptDetails[] | undefined
  for (let index = 0; index < Math.max(run.turns.length, requests.length); index++) {
    const turn = run.turns[index]
    if (open === undefined) {
      open = []
      steps.push(open)
    }
    open.push({ ...requests[index], ...turnDetails(turn) })
    if (turn !== undefined && turn.error === undefined) open = undefined
  }
  return steps
}

function turnDetails(turn: TurnRecord | undefined): Omit<AttemptDetails, keyof ComparedRequest> {
  const { events = [], error } = turn ?? {}
  const more = events.length - eventsShown
  return {
    events: events.slice(0, eventsShown).map(eventDetails),
    ...(more > 0 && { eventsLeftOut: more }),
    ...(error !== undefined && { error: described(error) }),
  }
}

/** An adapter may yield what is no event at all. */
function eventDetails(event: TurnEvent): AttemptDetails['events'][number] {
  const plain = toJsonValue(event)
  if (typeof plain !== 'object' || plain === null) return { type: 'no event', content: { value: plain } }
  const { type, ...content }: Record<string, unknown> = { ...plain }
  return { type: typeof type === 'string' ? type : 'no type', content }
}

/** The answered calls of a step, in call order. */
function executionsOf(step: RunStep | undefined, ran: readonly Execution[]): ExecutionDetails[] {
  const calls = step?.parts.filter((part) => part.type === 'tool-call') ?? []
  return calls.map(({ toolCallId, toolName, input }) => {
    const execution = ran.find((one) => one.toolCallId === toolCallId)
    const result = step?.results.find((one) => one.toolCallId === toolCallId)
    return {
      toolCallId,
      toolName,
      input: toJsonValue(execution?.input ?? input),
      ran: execution !== undefined,
      ...(result !== undefined && { output: toJsonValue(result.output) }),
    }
  })
}
