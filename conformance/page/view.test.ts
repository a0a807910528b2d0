import type { Report } from '@steploop/conformance'
import type { CaseReport } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import { matrixOf, shownCases, variantsOf, viewHash, viewOf, wholeView, type View } from './view.ts'

function caseOf(subject: string, scenario: string, mode: CaseReport['mode'], failure?: string): CaseReport {
  const address = `${subject}/${scenario}/${mode}`
  const verdict = failure === undefined ? 'pass' : 'fail'
  const failures = failure === undefined ? [] : [{ message: failure }]
  const check = {
    id: 'golden',
    address: `${address}#golden`,
    sentence: 'It holds.',
    verdict,
    failures,
    variants: 3,
  } as const
  return { address, subject, scenario, mode, verdict, checks: [{ ...check, failures }], repeat: '', durationMs: 1 }
}

const scenarios = [
  { id: 'text-only', title: 'One turn of text.', group: 'plain turns' },
  { id: 'no-tools', title: 'Nothing about tools.', group: 'plain turns' },
  { id: 'bad-key', title: 'A key that is refused.', group: 'errors' },
]
const cases = ['one', 'two'].flatMap((subject) =>
  scenarios.flatMap(({ id }) =>
    (['generate', 'stream'] as const).map((mode) =>
      caseOf(subject, id, mode, subject === 'two' && id === 'bad-key' ? 'the key leaked' : undefined),
    ),
  ),
)
const report: Report = {
  version: 1,
  suite: { name: 'suite', version: '0.0.0' },
  frontEnds: ['fetch'],
  subjects: ['one', 'two'].map((name) => ({ name, wire: 'w', model: 'm' })),
  scenarios,
  cases,
  problems: [],
  counts: { pass: 10, fail: 2, 'not-applicable': 0, 'known-failure': 0, 'unexpected-pass': 0, 'harness-error': 0 },
  checks: 12,
  variants: 36,
  times: {},
  durationMs: 1,
  ok: false,
}

function addresses(change: Partial<View>): readonly string[] {
  return shownCases(report, { ...wholeView, ...change }).map(({ address }) => address)
}

test('without filters every case is shown', () => {
  expect(addresses({})).toHaveLength(12)
})

test('each filter leaves what fits, and together they leave what fits all', () => {
  expect(addresses({ adapter: 'one' })).toHaveLength(6)
  expect(addresses({ mode: 'stream' })).toHaveLength(6)
  expect(addresses({ group: 'errors' })).toHaveLength(4)
  expect(addresses({ verdicts: ['fail'] })).toEqual(['two/bad-key/generate', 'two/bad-key/stream'])
  expect(addresses({ verdicts: ['fail', 'pass'], adapter: 'two', mode: 'stream', group: 'errors' })).toEqual([
    'two/bad-key/stream',
  ])
})

test('each word of the text has to be in the address, the title, a failed check or its message, in any case', () => {
  expect(addresses({ text: 'NO-tools  one' })).toEqual(['one/no-tools/generate', 'one/no-tools/stream'])
  expect(addresses({ text: 'refused two' })).toEqual(['two/bad-key/generate', 'two/bad-key/stream'])
  expect(addresses({ text: '#golden leaked' })).toEqual(['two/bad-key/generate', 'two/bad-key/stream'])
  expect(addresses({ text: 'nowhere' })).toEqual([])
})

test('the matrix has the rows, columns and modes in which something is shown, by group in the order of the report', () => {
  const all = matrixOf(report, cases)
  expect(all.groups.map(({ name, rows }) => [name, rows.map(({ id }) => id)])).toEqual([
    ['plain turns', ['text-only', 'no-tools']],
    ['errors', ['bad-key']],
  ])
  expect(all.columns).toEqual(['one', 'two'])
  const some = matrixOf(report, shownCases(report, { ...wholeView, verdicts: ['fail'], mode: 'stream' }))
  expect(some).toMatchObject({ columns: ['two'], modes: ['stream'], groups: [{ name: 'errors' }] })
})

test('a view comes back from its address, and what is no verdict is left out', () => {
  const view: View = {
    text: 'a&b #c',
    adapter: 'one',
    group: 'errors',
    mode: 'stream',
    verdicts: ['fail'],
    open: 'x/y/z',
  }
  expect(viewOf(viewHash(view))).toEqual(view)
  expect(viewOf('#verdict=loud&verdict=pass')).toEqual({ ...wholeView, verdicts: ['pass'] })
})

test('variants of a case are the sum over its stressors', () => {
  expect(variantsOf(cases[0]!)).toBe(3)
})
