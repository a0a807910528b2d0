import { LoopError } from '../../src/contract/errors.ts'
import { errorCodeOf, exchangesOf } from './conversation.ts'
import { transcriptOf, type Observation, type RunRecord } from './observation.ts'

/** Classes of outcomes that the draws have to meet often enough; each name is a line of the printed table. */
export const classes: readonly string[] = `
  completed: answer | completed: stop-when | completed: hook | completed: length | completed: content-filter
  requires-action: client-tool | requires-action: approval | finalized: max-steps | finalized: max-tool-calls
  finalized: token-budget | finalized: cost-budget | finalized: repeated-call | incomplete: max-steps
  incomplete: max-tool-calls | incomplete: token-budget | incomplete: cost-budget | incomplete: repeated-call
  incomplete: timeout | error: turn-failed | error: aborted | error: timeout | error: max-steps | error: max-tool-calls
  error: budget | error: repeated-call | error: tool-failed | error: hook-failed | error: adapter-contract
  error: invalid-input | error: invalid-output | error: invalid-transcript | error: transcript-version | aborted before
  aborted in a turn | aborted in a tool | aborted in a check | aborted in a hook | aborted by a consumer
  aborted while all waits | left early | read slowly | read as text | read as steps | retried | told to forget
  unreadable call handed back | fallback | another model by an edit | continued | continuation lost | history edited
  broken history repaired | resumed | resumed from JSON | partly answered | abandoned | approved | approved with edits | denied
  answered by the caller | read tool started early | provider ran a call | duplicate ids | finish reason lied | object native | object last
  object by tool | answered: truncated-call | answered: unparsable-input | answered: unknown-tool | answered: invalid-input
  answered: tool-failed | answered: tool-timeout | answered: too-many-calls | answered: limit-reached | answered: repeated-call
  answered: aborted | answered: not-executed | answered: denied
`
  .split(/[|\n]/)
  .map((name) => name.trim())
  .filter((name) => name !== '')

/** The classes that an observation belongs to. */
export function classesOf(observation: Observation): ReadonlySet<string> {
  const met = new Set<string>()
  for (const run of observation.runs) {
    outcomeClasses(run, met)
    continuationClasses(run, met)
    if (run.abort !== undefined) met.add(moments[run.abort.what])
    if (run.seen.left) met.add('left early')
    for (const { results } of exchangesOf(transcriptOf(run.outcome)?.messages ?? [])) {
      for (const { output } of results) met.add(`answered: ${errorCodeOf(output)}`)
    }
  }
  turnClasses(observation, met)
  drawClasses(observation, met)
  return met
}

const moments = {
  before: 'aborted before',
  turn: 'aborted in a turn',
  tool: 'aborted in a tool',
  check: 'aborted in a check',
  hook: 'aborted in a hook',
  consumer: 'aborted by a consumer',
  waiting: 'aborted while all waits',
} as const

function outcomeClasses({ outcome }: RunRecord, met: Set<string>): void {
  if (outcome.type === 'error' && LoopError.isInstance(outcome.error)) met.add(`error: ${outcome.error.code}`)
  if (outcome.type !== 'result') return
  const { status, stopReason, warnings } = outcome.result
  const own = ['answer', 'stop-when', 'hook', 'length', 'content-filter'].includes(stopReason)
  met.add(`${status === 'completed' && !own ? 'finalized' : status}: ${stopReason}`)
  if (warnings.some((warning) => warning.type === 'repaired')) met.add('broken history repaired')
}

function continuationClasses({ continuation }: RunRecord, met: Set<string>): void {
  if (continuation.kind !== 'resumed') return
  met.add('resumed')
  if (continuation.draw?.roundTrip) met.add('resumed from JSON')
  const answers = Object.values(continuation.answers)
  const pending = continuation.transcript?.pendingCalls.length ?? 0
  if (answers.length > 0 && answers.length < pending) met.add('partly answered')
  if (answers.length < pending && continuation.draw?.prompt) met.add('abandoned')
  for (const answer of answers) {
    if ('output' in answer || 'error' in answer) met.add('answered by the caller')
    else if (!answer.approved) met.add('denied')
    else met.add(answer.input === undefined ? 'approved' : 'approved with edits')
  }
}

function turnClasses({ attempts, executions, log }: Observation, met: Set<string>): void {
  for (const [index, { turn, request, provider, failed, run }] of attempts.entries()) {
    const next = attempts[index + 1]
    if (request.continuation !== undefined) met.add('continued')
    if (turn.parts.some((part) => part.type === 'search')) met.add('provider ran a call')
    if (turn.parts.filter((part) => part.type === 'call' && part.sameId).length > 1) met.add('duplicate ids')
    if (turn.finish !== 'honest') met.add('finish reason lied')
    if (next === undefined || next.run !== run || failed === undefined) continue
    met.add(next.provider === provider ? 'retried' : 'fallback')
    if (failed.code === 'tool-use-failed') met.add('unreadable call handed back')
    if (failed.code === 'continuation-not-found' && request.continuation !== undefined) met.add('continuation lost')
  }
  if (executions.some(({ early }) => early)) met.add('read tool started early')
  if (log.editedRuns.size > 0) met.add('history edited')
  if (log.editedSteps.some(({ edit }) => edit === 'model')) met.add('another model by an edit')
}

function drawClasses({ draw, runs }: Observation, met: Set<string>): void {
  const { consumer, options } = draw
  if (consumer.type === 'slow') met.add('read slowly')
  if (consumer.type === 'text') met.add('read as text')
  if (consumer.type === 'steps') met.add('read as steps')
  const objects = { native: 'object native', last: 'object last', tool: 'object by tool' } as const
  const given = runs.some(({ outcome }) => outcome.type === 'result' && outcome.result.output !== undefined)
  if (options.structured !== undefined && given) met.add(objects[options.structured])
  if (runs.some(({ seen }) => seen.events.some((event) => event.type === 'step-retry'))) met.add('told to forget')
}
