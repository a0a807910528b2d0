export interface Totals {
  readonly passed: number
  readonly failed: number
}

/** The totals of a JUnit report. A test file that does not load counts as one failure, a skipped test as none of both. */
export function readTotals(junit: string): Totals {
  const suites = /<testsuites\b([^>]*)>/.exec(junit)?.[1]
  if (suites === undefined) throw new SyntaxError('The report has no <testsuites>: is it complete, and JUnit?')
  const skipped = [...junit.matchAll(/<testsuite\b[^>]*\bskipped="(\d+)"/g)].map((match) => Number(match[1]))
  const failed = attribute(suites, 'failures') + attribute(suites, 'errors')
  const left = skipped.reduce((total, count) => total + count, 0)
  return { passed: attribute(suites, 'tests') - failed - left, failed }
}

function attribute(attributes: string, name: string): number {
  const value = new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1]
  if (value === undefined) throw new SyntaxError(`<testsuites> has no number of ${name}`)
  return Number(value)
}
