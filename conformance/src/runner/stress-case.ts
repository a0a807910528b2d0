import type { Cassette } from '@steploop/cassette'
import { cassettePath } from '../cassette-path.ts'
import type { Failure } from '../check.ts'
import { described } from '../checks/run-checks.ts'
import type { Evidence } from '../evidence.ts'
import type { CheckReport } from '../report/report-schema.ts'
import type { StressFailure, StressOutcome } from '../stressors/stressor.ts'
import { checkOf, repeatOf, type CaseOrder } from './case-order.ts'
import type { StressOrder } from './stress-orders.ts'

/** Runs the stressors that were ordered over a case that passed. */
export async function stressCase(
  order: CaseOrder,
  cassette: Cassette,
  evidence: Evidence,
): Promise<readonly CheckReport[]> {
  const reports: CheckReport[] = []
  for (const wanted of order.stress) {
    const { stressor } = wanted
    const reason = order.scenario.notUnder?.[stressor.id]
    if (reason !== undefined) {
      reports.push({ ...checkOf(order, stressor.id, stressor.sentence, []), verdict: 'not-applicable', reason })
      continue
    }
    const started = performance.now()
    const { failures, variants } = await stressOne(order, wanted, { cassette, evidence })
    order.onTime(stressor.id, performance.now() - started)
    const told = failures.map((failure) => withCommand(order, stressor.id, failure))
    const report = { ...checkOf(order, stressor.id, stressor.sentence, told), variants }
    const isIdle = variants === 0 && told.length === 0
    reports.push(isIdle ? { ...report, verdict: 'not-applicable', reason: nothingToTry } : report)
  }
  return reports
}

const nothingToTry = 'there is nothing to try in this case, or it was tried in one before'

async function stressOne(
  order: CaseOrder,
  { stressor, variant }: StressOrder,
  { cassette, evidence }: { readonly cassette: Cassette; readonly evidence: Evidence },
): Promise<StressOutcome> {
  const { subject, scenario, mode, deadline, sweep } = order
  const fileName = cassettePath(subject, scenario.id, mode)
  // Thousands of errors are made here and told by name and message: their stacks would take a sixth of the time.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
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
  }
}

/** The failure with the command that repeats this one variant. */
function withCommand(order: CaseOrder, id: string, { message, where, variant }: StressFailure): Failure {
  if (variant === undefined) return { message, where }
  return { message: `${message}\nrepeat: ${repeatOf(order)} --stress ${id}@${variant}`, where }
}
