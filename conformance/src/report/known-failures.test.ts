import { expect, test } from 'vitest'
import type { CaseReport } from '../report-schema.ts'
import { applyKnownFailures, knownFailureProblems, parseKnownFailures, type KnownFailure } from './known-failures.ts'

const line: KnownFailure = {
  check: 'mine/text-only/stream#golden',
  reason: 'the provider sends no usage',
  issue: 'https://example.com/1',
  expires: '2026-12-31',
}

function caseWith(verdict: 'pass' | 'fail'): CaseReport {
  const check = { id: 'golden', address: line.check, sentence: 'It holds.', verdict, failures: [] }
  const other = { ...check, id: 'settles', address: 'mine/text-only/stream#settles', verdict: 'pass' as const }
  const facts = { subject: 'mine', scenario: 'text-only', mode: 'stream' as const, repeat: '', durationMs: 1 }
  return { ...facts, address: 'mine/text-only/stream', verdict, checks: [check, other] }
}

const yaml = `- check: "${line.check}"\n  reason: "${line.reason}"\n  issue: "${line.issue}"\n  expires: "${line.expires}"\n`

test('a list is read from YAML, an empty file is an empty list', () => {
  expect(parseKnownFailures(yaml, 'known-failures.yaml')).toEqual([line])
  expect(parseKnownFailures('', 'known-failures.yaml')).toEqual([])
})

test.each([
  ['without a reason', yaml.replace(/ {2}reason.*\n/, ''), /line 1 of the list, reason/],
  ['with an empty reason', yaml.replace(line.reason, ' '), /line 1 of the list, reason/],
  ['without an expiry', yaml.replace(/ {2}expires.*\n/, ''), /line 1 of the list, expires/],
  ['with a date that is none', yaml.replace('2026-12-31', 'soon'), /line 1 of the list, expires/],
  ['with an unknown key', `${yaml}  because: "of it"\n`, /line 1 of the list.*because/],
  ['that is no YAML', '{', /is no YAML/],
])('a line %s is refused with its location and the fix', (_, text, message) => {
  expect(() => parseKnownFailures(text, 'known-failures.yaml')).toThrow(message)
  expect(() => parseKnownFailures(text, 'known-failures.yaml')).toThrow(/known-failures\.yaml[\s\S]*Write a list of/)
})

test('a listed failure is known, a listed pass is unexpected, an expired line counts no more', () => {
  expect(applyKnownFailures(caseWith('fail'), [line], '2026-12-31').verdict).toBe('known-failure')
  const fixed = applyKnownFailures(caseWith('pass'), [line], '2026-12-31')
  expect(fixed.verdict).toBe('unexpected-pass')
  expect(fixed.checks[0]?.failures[0]?.message).toMatch(/Remove the line/)
  expect(applyKnownFailures(caseWith('fail'), [line], '2027-01-01').verdict).toBe('fail')
})

test('a star stands for a part of the address', () => {
  const all = { ...line, check: 'mine/*/stream#golden' }
  expect(applyKnownFailures(caseWith('fail'), [all], '2026-01-01').verdict).toBe('known-failure')
  const wrong = { ...line, check: 'mine/*#golden' }
  expect(applyKnownFailures(caseWith('fail'), [wrong], '2026-01-01').verdict).toBe('fail')
})

test('expired lines and lines that name no check are problems', () => {
  const unknown = { ...line, check: 'mine/text-only/stream#no-such-check' }
  const problems = knownFailureProblems([line, unknown], [caseWith('fail')], { today: '2027-01-01', complete: true })
  expect(problems).toEqual([
    expect.stringMatching(/#golden' expired on 2026-12-31/),
    expect.stringMatching(/#no-such-check': no such check ran/),
  ])
  expect(knownFailureProblems([unknown], [], { today: '2026-01-01', complete: false })).toEqual([])
})
