import { expect, test } from 'vitest'
import { printMarkdown } from './print-markdown.ts'
import type { CaseReport, Report } from '../report-schema.ts'
import { report } from './testing.ts'

const failing = report.cases.find(({ verdict }) => verdict === 'fail')!

test('the summary begins with the outcome and the number of cases of each verdict', () => {
  const [title, , counts] = printMarkdown(report).split('\n')
  expect(title).toBe('## ❌ Conformance: 1 pass, 1 fail, 1 not-applicable, 1 harness-error')
  expect(counts).toBe('3 checks, 0 variants of stressors, through fetch and msw, in 0.0 s.')
  expect(printMarkdown({ ...report, ok: true })).toContain('## ✅ Conformance')
})

test('what is red is reported in full as a diff, with the command that repeats it, and problems stand before it', () => {
  const text = printMarkdown(report)
  expect(text).toContain('```diff\n✗ #golden It holds.\n  run 1: it is <wrong> & bad\n- a\n+ b\n```')
  expect(text).toContain('```sh\nsteploop conformance --only one\n```')
  expect(text.indexOf('a line has expired')).toBeLessThan(text.indexOf('one/text-only/stream'))
})

test('a fence is longer than any in a message', () => {
  const check = { ...failing.checks[0]!, failures: [{ message: 'got\n````\nx' }] }
  const text = printMarkdown({ ...report, cases: [{ ...failing, checks: [check] }] })
  expect(text).toContain('`````diff\n')
})

test('beyond 25 failures that differ each takes one line, so that the summary stays within its limit', () => {
  const cases = Array.from({ length: 27 }, (_, index): CaseReport => ({
    ...failing,
    address: `one/case-${index}/stream`,
    checks: [{ ...failing.checks[0]!, id: `check-${index}` }],
  }))
  const text = printMarkdown({ ...report, cases })
  expect(text.match(/<details open>/g)).toHaveLength(25)
  expect(text).toContain('- `#check-26` `one/case-26/stream`: it is &lt;wrong&gt; &amp; bad')
})

test('a failure that many cases share is reported once, with their number', () => {
  const cases = Array.from({ length: 27 }, (_, index): CaseReport => ({
    ...failing,
    address: `one/case-${index}/stream`,
  }))
  const text = printMarkdown({ ...report, cases })
  expect(text.match(/<details open>/g)).toHaveLength(1)
  expect(text).toContain('  26 cases like it: one/case-1/stream, one/case-2/stream, one/case-3/stream and 23 more')
  expect(text).toContain('\n\n#golden 27 cases\n\n')
})

test('known failures are listed with their reason, without markup of their own', () => {
  const check = { ...failing.checks[0]!, verdict: 'known-failure', reason: 'beta <b>\nonly' } as const
  const known: Report = { ...report, cases: [{ ...failing, verdict: 'known-failure', checks: [check] }] }
  expect(printMarkdown(known)).toContain('- `one/text-only/stream#golden`: beta &lt;b&gt; only')
})

test('the matrix has both modes of a subject in one cell, and says what the signs mean', () => {
  const text = printMarkdown(report)
  expect(text).toContain('| scenario | one | second-one |\n| --- | :-: | :-: |\n| text-only | ✓ ✗ | – ‼ |')
  expect(text).toContain('‼ harness-error')
})

test('an adapter whose wire format nobody has checked is marked, with the reason', () => {
  const subjects = report.subjects.map((subject) => ({ ...subject, unverified: 'no <traffic>' })).slice(0, 1)
  const text = printMarkdown({ ...report, subjects })
  expect(text).toContain('| scenario | one\\* |')
  expect(text).toContain('\\* unverified by traffic: one: no &lt;traffic&gt;')
})
