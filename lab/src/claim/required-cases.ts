import {
  type CaseReport,
  type CheckReport,
  type Verdict,
  worstVerdict,
  asksFor,
  type RequirementSet,
} from '@steploop/conformance/cli'

/** A case as a requirement set sees it. */
export interface RequiredCase {
  /** `<scenario>/<mode>` */
  readonly id: string
  readonly verdict: Verdict
  /** The checks that the set asks for. */
  readonly checks: readonly CheckReport[]
  readonly report: CaseReport
}

/** The subject's cases that the set asks for, each with the verdict of the checks that the set asks for. */
export function requiredCases(
  cases: readonly CaseReport[],
  subject: string,
  set: RequirementSet,
): readonly RequiredCase[] {
  const own = cases.filter((one) => one.subject === subject && set.scenarios.includes(one.scenario))
  return own.map((report) => {
    const checks = report.checks.filter(({ id }) => asksFor(set, report.scenario, id))
    const verdict = report.verdict === 'not-applicable' ? report.verdict : worstVerdict(checks)
    return { id: `${report.scenario}/${report.mode}`, verdict, checks, report }
  })
}
