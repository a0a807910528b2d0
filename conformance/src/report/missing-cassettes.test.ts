import { expect, test } from 'vitest'
import { missingCassettes } from './missing-cassettes.ts'
import { printMatrix } from './print-matrix.ts'
import type { CaseReport, Report } from '../report-schema.ts'

function caseWithout(scenario: string, from: string): CaseReport {
  const address = `one/${scenario}/stream`
  const message = `there is no cassette cassettes/one/${scenario}.stream.yaml. Record it: steploop record${from} --only one`
  const check = { id: 'cassette', address: `${address}#cassette`, sentence: 'It is there.', verdict: 'fail' as const }
  return {
    address,
    subject: 'one',
    scenario,
    mode: 'stream',
    verdict: 'fail',
    checks: [{ ...check, failures: [{ message }] }],
    repeat: `steploop conformance --scenario ${scenario}`,
    durationMs: 1,
  }
}

function reportOf(count: number, from = ''): Report {
  const ids = Array.from({ length: count }, (_, index) => `scenario-${index + 1}`)
  return {
    version: 1,
    suite: { name: 'suite', version: '0.0.0' },
    frontEnds: ['fetch'],
    subjects: [{ name: 'one', wire: 'w', model: 'm' }],
    scenarios: ids.map((id) => ({ id, title: id })),
    cases: ids.map((id) => caseWithout(id, from)),
    problems: [],
    counts: { pass: 0, fail: count, 'not-applicable': 0, 'known-failure': 0, 'unexpected-pass': 0, 'harness-error': 0 },
    checks: count,
    variants: 0,
    times: {},
    durationMs: 1,
    ok: false,
  }
}

test('many missing cassettes of a subject are reported in one line, with the command that records them', () => {
  const text = printMatrix(reportOf(100))
  expect(text).toContain(
    '✗ one: 100 of 100 cassettes are not there (scenario-1/stream, scenario-2/stream, scenario-3/stream and 97 more). Record them: steploop record --only one',
  )
  expect(text.match(/scenario-50/g)).toHaveLength(1)
})

test('a subject that brings a simulator is asked to record from that', () => {
  const [{ message } = { message: '' }] = missingCassettes(reportOf(3, ' --simulator'))
  expect(message).toContain('Record them: steploop record --simulator --only one')
})

test('one or two missing cassettes are reported with the command that records them, and their cases', () => {
  expect(missingCassettes(reportOf(2))).toEqual([])
  expect(printMatrix(reportOf(2))).toMatch(
    /scenario-1\.stream\.yaml\. Record it: .*\n +1 case like it: one\/scenario-2\/stream/,
  )
})
