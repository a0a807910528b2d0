import type { CaseReport, CheckReport, Report } from '../report-schema.ts'
import { isUnexpected } from '../verdict.ts'

/** The report as JUnit XML: one suite per subject, one test case per check; what does not apply is skipped. */
export function printJunit(report: Report): string {
  const suites = report.subjects.map(({ name }) =>
    suite(
      name,
      report.cases.filter((one) => one.subject === name),
    ),
  )
  const problems = report.problems.length === 0 ? [] : [problemSuite(report)]
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="steploop conformance">\n${[...suites, ...problems].join('\n')}\n</testsuites>\n`
}

function suite(name: string, cases: readonly CaseReport[]): string {
  const tests = cases.flatMap((one) => testCases(one))
  const seconds = cases.reduce((sum, one) => sum + one.durationMs, 0) / 1000
  const failures = tests.filter((text) => text.includes('<failure')).length
  const errors = tests.filter((text) => text.includes('<error')).length
  const skipped = tests.filter((text) => text.includes('<skipped')).length
  const counts = `tests="${tests.length}" failures="${failures}" errors="${errors}" skipped="${skipped}"`
  return `  <testsuite name="${escape(name)}" ${counts} time="${seconds.toFixed(3)}">\n${tests.join('\n')}\n  </testsuite>`
}

function testCases(one: CaseReport): readonly string[] {
  if (one.verdict === 'not-applicable')
    return [testCase(one.address, one.address, `<skipped message="${escape(one.reason ?? '')}"/>`)]
  return one.checks.map((check) => testCase(one.address, check.id, content(check, one.repeat)))
}

function testCase(className: string, name: string, inside: string): string {
  return `    <testcase classname="${escape(className)}" name="${escape(name)}">${inside}</testcase>`
}

function content(check: CheckReport, repeat: string): string {
  if (check.verdict === 'known-failure') return `<skipped message="${escape(`known failure: ${check.reason ?? ''}`)}"/>`
  if (check.verdict === 'not-applicable') return `<skipped message="${escape(check.reason ?? '')}"/>`
  if (!isUnexpected(check.verdict)) return ''
  const [first] = check.failures
  const lines = check.failures.map(({ message, where }) => (where === undefined ? message : `${where}: ${message}`))
  const tag = check.verdict === 'harness-error' ? 'error' : 'failure'
  const text = [...lines, `repeat: ${repeat}`].join('\n')
  return `<${tag} type="${check.verdict}" message="${escape(first?.message.split('\n')[0] ?? '')}">${escape(text)}</${tag}>`
}

function problemSuite({ problems }: Report): string {
  const tests = problems.map(({ message }) =>
    testCase('steploop', 'problem', `<failure message="${escape(message)}"/>`),
  )
  return `  <testsuite name="problems" tests="${tests.length}" failures="${tests.length}">\n${tests.join('\n')}\n  </testsuite>`
}

/** XML 1.0 has no place for most control characters, escaped or not. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
}
