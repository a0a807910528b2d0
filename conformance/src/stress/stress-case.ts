import { withoutWords } from '../judge/applicability.ts'
import type { Cassette } from '@steploop/cassette'
import { cassettePath } from '../cassette-path.ts'
import type { Failure } from '../check.ts'
import { described } from '../described.ts'
import type { Evidence } from '../evidence.ts'
import type { CheckReport } from '../report-schema.ts'
import type { StressFailure, StressOutcome } from './stressor.ts'
import { usePlainClasses } from '../play/plain-classes.ts'
import { checkOf, repeatOf, type CaseJob } from './case-job.ts'
import type { StressJob } from './stress-jobs.ts'

/** Runs the stressors that were ordered over a case that passed. */
export async function stressCase(
  job: CaseJob,
  cassette: Cassette,
  evidence: Evidence,
): Promise<readonly CheckReport[]> {
  const reports: CheckReport[] = []
  for (const wanted of job.stress) {
    const { stressor } = wanted
    const { scenario, subject } = job
    const reason = scenario.appliesTo?.stressors?.[stressor.id] ?? withoutWords(subject, scenario, stressor.id)
    if (reason !== undefined) {
      reports.push({ ...checkOf(job, stressor.id, stressor.sentence, []), verdict: 'not-applicable', reason })
      continue
    }
    const started = performance.now()
    const {
      failures,
      variants,
      nothing = triedBefore,
      idle = [],
    } = await stressOne(job, wanted, { cassette, evidence })
    job.onTime(stressor.id, performance.now() - started)
    const reported = failures.map((failure) => withCommand(job, stressor.id, failure))
    const streams = stressor.cutsStreams && wanted.variant === undefined ? streamsOf(cassette, evidence) : 0
    const counts = { variants, ...(streams > 0 && { streams }) }
    const report = { ...checkOf(job, stressor.id, stressor.sentence, reported), ...counts }
    const isIdle = variants === 0 && reported.length === 0
    reports.push(isIdle ? { ...report, verdict: 'not-applicable', reason: nothing } : report)
    for (const [part, why] of idle) {
      const untried = checkOf(job, `${stressor.id}-${part}`, stressor.sentence, [])
      reports.push({ ...untried, verdict: 'not-applicable', reason: why, variants: 0 })
    }
  }
  return reports
}

const triedBefore = 'it was tried in a case before'

/** Streams that a stressor could cut: those that arrived whole, at most one for each turn that ended well. */
function streamsOf({ exchanges }: Cassette, { runs, mode }: Evidence): number {
  if (mode !== 'stream') return 0
  const streams = exchanges.filter(({ response: { status, headers, body, ending } }) => {
    const isJson = headers['content-type']?.startsWith('application/json') === true
    return status === 200 && !isJson && body.length > 0 && ending === 'eof'
  })
  const ended = runs.flatMap(({ turns }) => turns.filter(({ error }) => error === undefined))
  return Math.min(streams.length, ended.length)
}

async function stressOne(
  job: CaseJob,
  { stressor, variant }: StressJob,
  { cassette, evidence }: { readonly cassette: Cassette; readonly evidence: Evidence },
): Promise<StressOutcome> {
  const { subject, scenario, mode, deadline, sweep } = job
  const fileName = cassettePath(subject, scenario.id, mode)
  // Thousands of errors are made here and told by name and message: their stacks would take a sixth of the time.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const useBefore = usePlainClasses()
  try {
    const outcome = await stressor.run({
      subject,
      scenario,
      mode,
      cassette,
      fileName,
      evidence,
      deadline,
      sweep,
      only: variant,
    })
    if (variant === undefined || outcome.variants > 0) return outcome
    const message = `there is no variant '${variant}' of \`${stressor.id}\` in this case; copy it from the failure that names it`
    return { failures: [{ message }], variants: 0 }
  } catch (error) {
    const message = `\`${stressor.id}\` did not get to its end: ${described(error)}`
    return { failures: [{ message }], variants: 0 }
  } finally {
    Error.stackTraceLimit = stackTraceLimit
    useBefore()
  }
}

/** The failure with the command that repeats this one variant. */
function withCommand(job: CaseJob, id: string, { message, where, variant }: StressFailure): Failure {
  if (variant === undefined) return { message, where }
  return { message: `${message}\nrepeat: ${repeatOf(job)} --stress ${id}@${variant}`, where }
}
