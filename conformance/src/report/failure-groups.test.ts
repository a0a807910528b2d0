import { expect, test } from 'vitest'
import { failureGroups, reportedCases } from './failure-groups.ts'
import { reasonLines } from './folded-reasons.ts'
import { printMatrix } from './print-matrix.ts'
import type { CaseReport } from '../report-schema.ts'
import { report } from './testing.ts'

const [model] = report.cases

function red(scenario: string, id: string, message: string): CaseReport {
  const address = `one/${scenario}/stream`
  const failures = [{ message }]
  const check = { id, address: `${address}#${id}`, sentence: 'It holds.', verdict: 'fail', failures } as const
  return { ...model!, address, scenario, mode: 'stream', verdict: 'fail', checks: [check] }
}

const cut = (byte: number): string =>
  `response 1 gives other events when it is cut at byte ${byte} of 900, …a|b…\n  > text`
const broken = Array.from({ length: 57 }, (_, index) => red(`case-${index}`, 'rechunk', cut(index)))
const other = red(
  'rare',
  'as-recorded',
  'rare.stream.yaml fits nothing\n  body.messages[1].role: expected "user" / got "tool"',
)

test('a fault that fifty cases show does not hide the one that shows in a single case', () => {
  const text = printMatrix({ ...report, cases: [...broken, other], problems: [] })
  expect(text).toContain('#rechunk 57 cases, #as-recorded 1 case')
  expect(text.match(/gives other events/g)).toHaveLength(1)
  expect(text).toContain('56 cases like it: one/case-1/stream, one/case-2/stream, one/case-3/stream and 53 more')
  expect(text).toContain('body.messages[1].role: expected "user" / got "tool"')
})

test('one check that fails in two ways is reported twice, whatever the names and numbers', () => {
  const same = red(
    'five-turn',
    'as-recorded',
    'five-turn.yaml fits nothing\n  body.messages[7].role: expected "user" / got "model"',
  )
  const differs = red(
    'odd',
    'as-recorded',
    'odd.yaml fits nothing\n  body.messages[1].name: expected "a" / got nothing',
  )
  expect(failureGroups([other, same, differs]).map(({ cases }) => cases.length)).toEqual([2, 1])
})

test('a case that shows several failures first is reported once, with all of them', () => {
  const two = { ...other, checks: [...other.checks, ...red('rare', 'golden', 'it differs').checks] }
  const { reported, rest } = reportedCases(failureGroups([two, ...broken]), 1)
  expect(reported.map(({ one, groups }) => [one.address, groups.length])).toEqual([['one/case-0/stream', 1]])
  expect(rest.map(({ check }) => check.id)).toEqual(['as-recorded', 'golden'])
})

function inapplicable(subject: string, mode: CaseReport['mode'], reason: string): CaseReport {
  return {
    ...model!,
    address: `${subject}/pause-turn/${mode}`,
    subject,
    scenario: 'pause-turn',
    mode,
    verdict: 'not-applicable',
    reason,
  }
}

test('why something does not apply takes one line a reason, both modes and all adapters together, with a count', () => {
  const declared = (mode: string, why: string): string => `the adapter declares no \`pause\` in ${mode} mode: ${why}`
  const cases = (['generate', 'stream'] as const).flatMap((mode) => [
    inapplicable('one', mode, declared(mode, 'one says so')),
    inapplicable('two', mode, declared(mode, 'two says so')),
    inapplicable('three', mode, 'a stream has no middle: none'),
  ])
  expect(reasonLines(cases)).toEqual([
    'pause-turn (4 cases of one, two): the adapter declares no `pause`',
    'pause-turn (2 cases of three): a stream has no middle: none',
    'What each provider says of it: --only, --json or --html tell.',
  ])
})
