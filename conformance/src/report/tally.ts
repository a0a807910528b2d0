import type { CaseReport, Report, Verdict } from '../report-schema.ts'
import { isUnexpected } from '../verdict.ts'

/** What a report counts: the same for one run and for several that are merged. */
export function tally(
  cases: readonly CaseReport[],
  problems: Report['problems'],
): Pick<Report, 'counts' | 'checks' | 'variants' | 'ok'> {
  const counts: Record<Verdict, number> = {
    pass: 0,
    fail: 0,
    'not-applicable': 0,
    'known-failure': 0,
    'unexpected-pass': 0,
    'harness-error': 0,
  }
  for (const { verdict } of cases) counts[verdict]++
  const checks = cases.flatMap((one) => one.checks)
  return {
    counts,
    checks: checks.length,
    variants: checks.reduce((sum, check) => sum + (check.variants ?? 0), 0),
    ok: problems.length === 0 && !cases.some(({ verdict }) => isUnexpected(verdict)),
  }
}
