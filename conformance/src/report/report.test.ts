import { expect, test } from 'vitest'
import { printJunit } from './print-junit.ts'
import { printMatrix } from './print-matrix.ts'
import { reportSchema, type CaseReport, type Report, type Verdict } from './report-schema.ts'

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

const report: Report = {
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

test('the matrix has a row per scenario, both modes per subject, and no colours unless asked', () => {
  const lines = printMatrix(report).split('\n')
  expect(lines[0]).toBe('           one  second-one')
  expect(lines[1]).toBe('text-only  ✓ ✗  – ‼')
  expect(printMatrix(report)).not.toContain('\u001B')
  expect(printMatrix(report, { colours: true })).toContain('\u001B[31m')
})

test('what is unexpected is printed with its place, what happened, and the command that repeats it', () => {
  const text = printMatrix(report)
  expect(text).toContain('✗ #golden It holds.\n    run 1: it is <wrong> & bad\n    - a\n    + b')
  expect(text).toContain('what happened\n    run 1')
  expect(text).toContain('repeat: steploop conformance --only one')
  expect(text).toContain('– no such thing: second-one/text-only/generate')
  expect(text).toContain('✗ a line has expired')
})

test('beyond the limit a failing case takes one line', () => {
  expect(printMatrix(report, { detailed: 1 })).toContain('✗ second-one/text-only/stream: golden')
})

test('JUnit counts failures, errors and skipped cases, and escapes what XML cannot hold', () => {
  const xml = printJunit(report)
  expect(xml).toContain('<testsuite name="one" tests="2" failures="1" errors="0" skipped="0"')
  expect(xml).toContain('<testsuite name="second-one" tests="2" failures="0" errors="1" skipped="1"')
  expect(xml).toContain('it is &lt;wrong&gt; &amp; bad')
  expect(xml).toContain('<testsuite name="problems" tests="1" failures="1">')
  const bell = { ...report, problems: [{ message: 'ring \u0007 "twice"', harness: false }] }
  expect(printJunit(bell)).toContain('ring \uFFFD &quot;twice&quot;')
})

test('a report survives JSON and its schema, and another version is refused', () => {
  expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report)
  expect(reportSchema.safeParse({ ...report, version: 2 }).success).toBe(false)
})
