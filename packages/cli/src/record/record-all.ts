import { relative } from 'node:path'
import { CassetteError } from '@steploop/cassette'
import { HarnessError, type KnownFailure } from '@steploop/conformance'
import { recordScenario, type RecordOutcome } from '@steploop/lab'
import { noteCase } from '../processes/case-under-way.ts'
import { exitCodes } from '../command/exit-codes.ts'
import type { PlannedRecording, RecordingPlan } from './record-plan.ts'
import { interruptedExitCode, listenForInterrupt } from './record-interrupt.ts'
import { startProgress } from '../command/progress.ts'

export interface RecordAllOptions {
  readonly date: string | undefined
  readonly maxRequests: number | undefined
  readonly knownFailures: readonly KnownFailure[]
}

/** What became of one case. */
export interface RecordedCase extends Pick<RecordOutcome, 'status' | 'requests' | 'usage'> {
  readonly planned: PlannedRecording
  /** From the current directory. */
  readonly file: string
}

export interface RecordingOutcome {
  readonly recorded: readonly RecordedCase[]
  /** Why cases at the end of the plan were not begun. */
  readonly stops: readonly string[]
  readonly isInterrupted: boolean
  readonly exitCode: number
}

/** Records case after case. Ctrl-C ends the one under way; the second one ends the process. */
export async function recordAll({ cases }: RecordingPlan, options: RecordAllOptions): Promise<RecordingOutcome> {
  const interrupt = listenForInterrupt()
  const progress = startProgress({ quietMs: 0, everyMs: 0 })
  const session: Session = { ...options, signal: interrupt.signal, recorded: [], stops: [], closed: new Set(), sent: 0 }
  try {
    for (const [index, planned] of cases.entries()) {
      if (interrupt.signal.aborted || isOver(session, planned, cases.length - index)) break
      if (session.closed.has(planned.subject.name)) continue
      progress.begin(index + 1, cases.length, planned.name)
      noteCase(planned.name)
      await recordOne(planned, session, progress.end)
    }
  } finally {
    noteCase(undefined)
    progress.end()
    interrupt.stop()
  }
  const { recorded, stops } = session
  const isInterrupted = interrupt.signal.aborted
  const isGood = stops.length === 0 && recorded.every(({ status }) => status === 'written' || status === 'unchanged')
  const exitCode = isGood ? exitCodes.expected : exitCodes.finding
  return { recorded, stops, isInterrupted, exitCode: isInterrupted ? interruptedExitCode : exitCode }
}

interface Session extends RecordAllOptions {
  readonly signal: AbortSignal
  readonly recorded: RecordedCase[]
  readonly stops: string[]
  /** Subjects whose provider refuses the account, or does not answer: asking on cannot help. */
  readonly closed: Set<string>
  sent: number
}

function isOver({ sent, maxRequests, stops }: Session, { name, requests }: PlannedRecording, left: number): boolean {
  if (maxRequests === undefined || sent + requests <= maxRequests) return false
  const next = `${name} takes ${requests} at least`
  stops.push(`stopped at ${sent} of --max-requests ${maxRequests}: ${next}, and ${left} cases are left`)
  return true
}

async function recordOne(planned: PlannedRecording, session: Session, clear: () => void): Promise<void> {
  const { subject, name } = planned
  const outcome = await outcomeOf(planned, session)
  session.sent += outcome.requests
  const file = relative('.', outcome.path)
  session.recorded.push({ planned, file, ...outcome })
  clear()
  const { status, problems, warnings } = outcome
  for (const warning of warnings) console.error(`warning ${name}: ${warning}`)
  if (status === 'written') console.log(`${status} ${name} ${file}`)
  else if (status !== 'unchanged') console.log(`${status} ${name}`)
  for (const problem of problems) console.error(`  ${problem.replaceAll('\n', '\n  ')}`)
  if (status !== 'account-failure' && status !== 'unreachable') return
  session.closed.add(subject.name)
  session.stops.push(`the other cases of ${subject.name} were not tried`)
}

async function outcomeOf(planned: PlannedRecording, session: Session): Promise<RecordOutcome> {
  const { subject, scenario, mode, from, apiKey } = planned
  const { date, signal, knownFailures, maxRequests, sent } = session
  try {
    return await recordScenario({
      subject,
      scenario,
      mode,
      from,
      apiKey,
      date,
      signal,
      knownFailures,
      maxRequests: maxRequests === undefined ? undefined : maxRequests - sent,
    })
  } catch (error) {
    if (!CassetteError.isInstance(error)) throw error
    // The next one could not be written either.
    if (error.code === 'write-failed') throw new HarnessError('usage', error.message, { cause: error })
    // How many requests it took before is not known, so the script's count stands for it.
    const facts = { requests: planned.requests, usage: undefined, warnings: [], exchanges: [] }
    return { ...facts, path: error.file ?? '', status: 'refused', problems: [error.message] }
  }
}
