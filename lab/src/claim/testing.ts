import { type Report, scenarios } from '@steploop/conformance'
import { type CaseReport, type Verdict, tally, type ShippedRequirements } from '@steploop/conformance/cli'

/** A set of two scenarios and two checks. */
export const requirements: ShippedRequirements = {
  set: { date: '2026-01-01', scenarios: ['single-call', 'text-only'], checks: ['golden', 'settles'] },
  sha256: 'a'.repeat(64),
}

/** A case of the subject `talk` with one check or several, by id and verdict. */
export function caseWith(
  id: string,
  checks: Readonly<Record<string, Verdict>>,
  more: Partial<CaseReport> = {},
): CaseReport {
  const [scenario = '', mode = ''] = id.split('/')
  const address = `talk/${id}`
  const found = Object.entries(checks).map(([check, verdict]) => ({
    id: check,
    address: `${address}#${check}`,
    sentence: 'It holds.',
    verdict,
    failures: verdict === 'pass' ? [] : [{ message: `${check} is wrong\nand more` }],
  }))
  const verdicts = Object.values(checks)
  const verdict = (['fail', 'known-failure'] as const).find((one) => verdicts.includes(one)) ?? 'pass'
  return {
    address,
    subject: 'talk',
    scenario,
    mode: mode === 'stream' ? 'stream' : 'generate',
    verdict,
    checks: found,
    repeat: `repeat ${address}`,
    durationMs: 1,
    ...more,
  }
}

export function reportOf(cases: readonly CaseReport[], ids: readonly string[] = ['text-only', 'single-call']): Report {
  return {
    version: 1,
    suite: { name: '@steploop/conformance', version: '0.0.0' },
    date: '2026-01-02',
    frontEnds: ['fetch'],
    seed: 1,
    subjects: [{ name: 'talk', wire: 'talk', model: 'talk-1' }],
    scenarios: scenarios.filter(({ id }) => ids.includes(id)).map(({ id, title }) => ({ id, title })),
    cases: [...cases],
    problems: [],
    ...tally(cases, []),
    times: {},
    durationMs: 1,
  }
}
