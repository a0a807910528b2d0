import type { CaseReport, Report, Verdict } from '../report-schema.ts'

function caseOf(subject: string, mode: 'generate' | 'stream', verdict: Verdict): CaseReport {
  const address = `${subject}/text-only/${mode}`
  const failures = verdict === 'pass' ? [] : [{ message: 'it is <wrong> & bad\n- a\n+ b', where: 'run 1' }]
  const check = { id: 'golden', address: `${address}#golden`, sentence: 'It holds.', verdict, failures }
  const reason = verdict === 'not-applicable' ? 'no such thing' : undefined
  return {
    address,
    subject,
    scenario: 'text-only',
    mode,
    verdict,
    checks: verdict === 'not-applicable' ? [] : [check],
    ...(reason !== undefined && { reason }),
    ...(verdict === 'fail' && { timeline: ['run 1', '  request 1'] }),
    repeat: `steploop conformance --only ${subject}`,
    origin: { kind: 'simulated', by: 'x', date: '2026-11-21' },
    durationMs: 12,
  }
}

/** One scenario, two subjects, a case of each main verdict. */
export const report: Report = {
  version: 1,
  suite: { name: 'suite', version: '0.0.0' },
  frontEnds: ['fetch', 'msw'],
  subjects: [
    { name: 'one', wire: 'w', model: 'm' },
    { name: 'second-one', wire: 'w', model: 'm' },
  ],
  scenarios: [{ id: 'text-only', title: 'Text.' }],
  cases: [
    caseOf('one', 'generate', 'pass'),
    caseOf('one', 'stream', 'fail'),
    caseOf('second-one', 'generate', 'not-applicable'),
    caseOf('second-one', 'stream', 'harness-error'),
  ],
  problems: [{ message: 'a line has expired', harness: false }],
  counts: { pass: 1, fail: 1, 'not-applicable': 1, 'known-failure': 0, 'unexpected-pass': 0, 'harness-error': 1 },
  checks: 3,
  variants: 0,
  times: { cases: 20 },
  durationMs: 40,
  ok: false,
}
