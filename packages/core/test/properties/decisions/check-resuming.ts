import type { AppDraw, CallDraw, TamperKind } from './draw.ts'
import type { ExecutionRecord, RequestRecord } from './ledger.ts'
import { inputTextOf } from './model.ts'
import { decisionOn } from './next-run.ts'
import { codeOf, type DecisionObservation, type RunRecord } from './play.ts'
import { print } from './print.ts'
import { approvalTampers, refusedTampers } from './tamper.ts'
import {
  ancestryOf,
  executionsOf,
  grantOf,
  isKept,
  keptOf,
  perRun,
  ranInTurn,
  requestsOf,
  turnOf,
  type Check,
  type Problem,
} from './views.ts'

/** Equal idempotency keys are for attempts at one call, and those have equal ones. */
export const keysAreForOneCall: Check = (observation) => {
  const { executed } = observation.ledger
  return executed.flatMap((execution, index) =>
    executed.slice(0, index).flatMap((earlier): readonly Problem[] => {
      const same = callOf(earlier, observation) === callOf(execution, observation)
      const detail = `${earlier.tool} ${earlier.id} and ${execution.tool} ${execution.id}, keys ${earlier.key} and ${execution.key}`
      if (earlier.key === execution.key && !same && isKept(earlier) && areOfOneBranch(earlier, execution, observation))
        return [{ kind: 'two calls have one idempotency key', detail }]
      if (
        earlier.key !== execution.key &&
        areAttempts(earlier, execution, same && haveOneGrant(earlier, execution, observation))
      )
        return [{ kind: 'two attempts at one call have two idempotency keys', detail }]
      return []
    }),
  )
}

/** The step that made the call, and the id that it has there. */
function callOf(execution: ExecutionRecord, observation: DecisionObservation): string {
  return `${stepOf(execution, observation)} ${execution.id}`
}

/** The number of the first request of the step that made the call. */
function stepOf(execution: ExecutionRecord, observation: DecisionObservation): number | undefined {
  const run = observation.runs[execution.run]
  let step = execution.request
  if (step === undefined && run !== undefined) {
    const origin = ancestryOf(run, observation).find((other) => !other.shown.has(execution.id))
    step = origin && requestsOf(origin, observation).findLast(({ finished }) => finished)
  }
  return step && firstAttempt(step, observation)
}

/** A turn that failed was asked for again. */
function firstAttempt({ number }: RequestRecord, { ledger }: DecisionObservation): number {
  let first = number
  for (;;) {
    const before = ledger.requests[first - 1]
    if (before === undefined || before.finished || before.run !== ledger.requests[number]?.run) return first
    first--
  }
}

function areOfOneBranch(left: ExecutionRecord, right: ExecutionRecord, observation: DecisionObservation): boolean {
  const run = observation.runs[right.run]
  return run !== undefined && ancestryOf(run, observation).some((other) => other.run === left.run)
}

/** Somebody else's arguments are another piece of work. */
function haveOneGrant(left: ExecutionRecord, right: ExecutionRecord, { runs }: DecisionObservation): boolean {
  const [one, other] = [runs[left.run], runs[right.run]]
  return one !== undefined && other !== undefined && grantOf(left, one) === grantOf(right, other)
}

function areAttempts(left: ExecutionRecord, right: ExecutionRecord, same: boolean): boolean {
  if (left.tool !== right.tool || left.value !== right.value) return false
  if (same && left.run !== right.run) return true
  // A call that started early comes again with the turn that is asked for again.
  const [before, after] = [left.request, right.request]
  if (isKept(left) || before === undefined || after === undefined || after.number !== before.number + 1) return false
  const [one, other] = [callsOf(before), callsOf(after)]
  return one.length === 1 && other.length === 1 && print(one) === print(other)
}

function callsOf({ turn }: RequestRecord): readonly CallDraw[] {
  return turn.parts.filter((part) => part.type === 'call')
}

/** A run that goes on does not begin anew: what was forced, counted or spent stays so. */
export const resumingGoesOn = perRun((run, observation) => {
  const { app } = observation.draw
  const earlier = turnOf(run, observation).slice(1)
  const doneBefore = earlier.flatMap((other) => requestsOf(other, observation)).filter(({ finished }) => finished)
  const again = earlier.length === 0 ? '' : ' after a resume'
  const problems: Problem[] = []
  for (const [index, request] of requestsOf(run, observation).entries()) {
    const detail = `request ${request.number} after ${doneBefore.length} turns`
    const say = (kind: string): number => problems.push({ kind: `${kind}${again}`, detail })
    if (app.structured === 'none' && isForced(request) && doneBefore.length > 0) say('a choice was forced again')
    // Whoever goes on at its limit may ask for the answer once more.
    if (index > 0 && app.structured === 'none' && doneBefore.length > (app.maxSteps ?? Infinity))
      say('the limit of steps was passed')
    if (app.maxTokens !== undefined && tokensOf(doneBefore) >= app.maxTokens) say('the budget of tokens was passed')
    if (request.finished) doneBefore.push(request)
  }
  const limits = [batchesOverLimit, callsOverLimit, repetitions]
  return [...problems, ...limits.flatMap((check) => check(run, observation, again))]
})

function isForced({ toolChoice }: RequestRecord): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object'
}

function tokensOf(requests: readonly RequestRecord[]): number {
  return requests.filter(({ turn }) => turn.usage === 'ten').length * 10
}

function batchesOverLimit(run: RunRecord, observation: DecisionObservation, again: string): readonly Problem[] {
  const { maxSteps = Infinity } = observation.draw.app
  const batches = new Set(ranInTurn(run, observation).map((execution) => stepOf(execution, observation)))
  if (keptOf(run, observation).length === 0 || batches.size <= maxSteps) return []
  return [{ kind: `more batches ran than steps are allowed${again}`, detail: `${batches.size} of ${maxSteps}` }]
}

function callsOverLimit(run: RunRecord, observation: DecisionObservation, again: string): readonly Problem[] {
  const most = mostCalls(run, observation.draw.app)
  const ran = ranInTurn(run, observation)
  const own = keptOf(run, observation).length
  if (own === 0 || ran.length <= most) return []
  return [{ kind: `the limit of calls was passed${again}`, detail: `${ran.length} of ${most} calls ran` }]
}

function mostCalls({ change }: RunRecord, { maxToolCalls = Infinity }: AppDraw): number {
  return change === 'one-call' ? 1 : maxToolCalls
}

/** With `maxRepeatedCalls: 2` a call that is made again at once does not run a second time; somebody who is asked looks for himself. */
function repetitions(run: RunRecord, observation: DecisionObservation, again: string): readonly Problem[] {
  if (observation.draw.app.maxRepeatedCalls !== 2) return []
  const chain = turnOf(run, observation)
  const turns = chain.flatMap((other) => requestsOf(other, observation)).filter(({ finished }) => finished)
  const batches = turns.map((request) => callsOf(request))
  const first = batches[0]?.[0]
  const same = batches.every(
    (calls) => calls.length === 1 && calls[0]?.tool === first?.tool && calls[0]?.input === first?.input,
  )
  const ran = ranInTurn(run, observation).filter(({ request }) => request !== undefined)
  if (!same || first === undefined || ran.length < 2) return []
  return [{ kind: `a repeated call ran again${again}`, detail: `${first.tool} ${inputTextOf(first)}` }]
}

/** What a run left, given back as it was to a loop with the same tools, is taken. */
export const honestTranscriptsAreTaken = perRun((run) => {
  const honest = !run.tampered && !run.forged && run.change === 'none'
  const code = codeOf(run)
  if (!honest || (code !== 'invalid-transcript' && code !== 'invalid-input')) return []
  return [
    { kind: 'an honest transcript was refused', detail: run.outcome.type === 'error' ? String(run.outcome.error) : '' },
  ]
})

/**
 * A transcript that no honest run can have made is refused before anything runs. A call that was altered may also wait on, or be denied.
 */
export const forgedTranscriptsAreRefused = perRun((run, observation) => {
  const tamper = run.draw?.tamper
  if (!run.tampered || tamper === undefined || !refusedTampers.includes(tamper)) return []
  const asked = observation.ledger.judged.filter((one) => one.run === run.run).length
  const ran = requestsOf(run, observation).length + executionsOf(run, observation).length + asked
  const refused = codeOf(run) === 'invalid-transcript' || (run.forged && codeOf(run) === 'invalid-input')
  if (refused && ran === 0) return []
  // A policy may say no to it before anybody looks at the approval.
  const denied = observation.draw.app.deny && executionsOf(run, observation).length === 0
  if (approvalTampers.includes(tamper) && (denied || !isTaken(run, tamper))) return []
  return [
    { kind: `a forged transcript was taken: ${tamper}`, detail: `it ended with ${codeOf(run) ?? run.outcome.type}` },
  ]
})

/** The altered call got the answer that it was altered for. */
function isTaken(run: RunRecord, tamper: TamperKind): boolean {
  const [first] = run.transcript?.pendingCalls ?? []
  const decision = first && decisionOn(first.toolCallId, { ...run, shown: new Map([[first.toolCallId, first]]) })
  if (decision === undefined || run.change === 'deny' || run.change === 'inactive') return false
  if (!('approved' in decision)) return true
  // Whoever gives an input of his own did not decide on the altered one.
  return decision.approved && (decision.input === undefined || tamper === 'approval-for-none')
}
