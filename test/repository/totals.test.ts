import { expect, test } from 'vitest'
import { readTotals } from '../../scripts/totals.ts'

test('passed tests are those that neither failed nor were left out', () => {
  const junit = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="12" failures="2" errors="1" time="2.8">
  <testsuite name="a" tests="8" failures="2" errors="1" skipped="1" time="0.1"></testsuite>
  <testsuite name="b" tests="4" failures="0" errors="0" skipped="2" time="0.1"></testsuite>
</testsuites>`
  expect(readTotals(junit)).toEqual({ passed: 6, failed: 3 })
})

test.for(['', '<testsuite tests="1"></testsuite>', '<testsuites tests="3">'])(
  'a report without totals is refused: %j',
  (junit) => {
    expect(() => readTotals(junit)).toThrow(/<testsuites>/)
  },
)
