import type { CheckReport, Verdict } from './report-schema.ts'

/** What stands for a verdict where there is little room. */
export const signs: Readonly<Record<Verdict, string>> = {
  pass: '✓',
  fail: '✗',
  'not-applicable': '–',
  'known-failure': '~',
  'unexpected-pass': '!',
  'harness-error': '‼',
}

/** From worst to best: a case has the worst verdict of its checks. */
const severity: readonly Verdict[] = [
  'harness-error',
  'fail',
  'unexpected-pass',
  'known-failure',
  'pass',
  'not-applicable',
]

export function worstVerdict(checks: readonly CheckReport[]): Verdict {
  return severity.find((verdict) => checks.some((check) => check.verdict === verdict)) ?? 'pass'
}

/** Unexpected verdicts. */
export function isUnexpected(verdict: Verdict): boolean {
  return verdict === 'fail' || verdict === 'harness-error' || verdict === 'unexpected-pass'
}

/** Sign beside scenarios that recorded conversations show too. */
export const trafficSign = '●'
export const trafficWords = 'shown on recorded conversations of real providers too'
