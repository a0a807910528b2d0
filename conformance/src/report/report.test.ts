import { expect, test } from 'vitest'
import { printJunit } from './print-junit.ts'
import { printMatrix } from './print-matrix.ts'
import { reportSchema } from '../report-schema.ts'
import { report } from './testing.ts'

test('the matrix has a row per scenario, both modes per subject, and no colours unless asked', () => {
  const lines = printMatrix(report).split('\n')
  expect(lines[0]).toBe('           one  second-one')
  expect(lines[1]).toBe('text-only  ✓ ✗  – ‼')
  expect(printMatrix(report)).not.toContain('\u001B')
  expect(printMatrix(report, { colours: true })).toContain('\u001B[31m')
})

test('a subject that is unverified by traffic has a star, and a line that says what is known of it', () => {
  const [first, ...rest] = report.subjects
  const subjects = [{ ...first!, unverified: 'two turns were recorded' }, ...rest]
  const text = printMatrix({ ...report, subjects })
  expect(text.split('\n')[0]).toBe('           one*  second-one')
  expect(text).toContain('* unverified by traffic: one: two turns were recorded')
})

test('a scenario that exists for one of several subjects stands under the matrix, with its owner', () => {
  const [model] = report.cases
  const quirk = {
    ...model!,
    address: 'one/odd/stream',
    scenario: 'odd',
    mode: 'stream' as const,
    verdict: 'pass' as const,
  }
  const subjects = [...report.subjects, { name: 'third', wire: 'w', model: 'm' }]
  const scenarios = [...report.scenarios, { id: 'odd', title: 'Odd.' }]
  const lines = printMatrix({ ...report, subjects, scenarios, cases: [...report.cases, quirk] }).split('\n')
  const at = lines.indexOf('of one subject alone')
  expect(lines[at + 1]).toMatch(/^odd {8,}✓ {2}one$/)
  expect(lines.slice(0, at).join('\n')).not.toContain('odd')
})

test('what is unexpected is printed with its location, what happened, and the command that repeats it', () => {
  const text = printMatrix(report)
  expect(text).toContain('✗ #golden It holds.\n    run 1: it is <wrong> & bad\n    - a\n    + b')
  expect(text).toContain('what happened\n    run 1')
  expect(text).toContain('repeat: steploop conformance --only one')
  expect(text).toContain('– text-only (1 case of second-one): no such thing')
  expect(text).toContain('✗ a line has expired')
})

test('beyond the limit a failing case takes one line', () => {
  expect(printMatrix(report, { detailed: 1 })).toContain('✗ #golden second-one/text-only/stream: it is <wrong> & bad')
})

test('adapters that do not fit into the width of the terminal stand in a matrix below', () => {
  const lines = printMatrix(report, { width: 20 }).split('\n')
  expect(lines.slice(0, 5)).toEqual(['           one', 'text-only  ✓ ✗', '', '           second-one', 'text-only  – ‼'])
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
