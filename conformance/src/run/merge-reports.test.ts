import { expect, test } from 'vitest'
import { mergeReports } from './merge-reports.ts'
import { report } from '../report/testing.ts'
import type { Report } from '../report-schema.ts'
import { tally } from '../report/tally.ts'

function part(index: number, count = 2): Report {
  const cases = report.cases.filter((_, at) => at % count === index - 1)
  return { ...report, shard: { index, count }, cases, problems: [], ...tally(cases, []), durationMs: index }
}

test('the parts of a run give the report of the whole, in the order of the config, whatever order they come in', () => {
  const merged = mergeReports([part(2), part(1)])
  expect(merged.cases.map(({ address }) => address)).toEqual(report.cases.map(({ address }) => address))
  expect(merged).toMatchObject({ counts: report.counts, checks: report.checks, ok: false, durationMs: 2 })
  expect(JSON.parse(JSON.stringify(merged))).not.toHaveProperty('shard')
})

test('a line of the known failures that names no check in any part is a problem of the whole', () => {
  const line = { check: 'one/gone/stream#golden', reason: 'r', issue: 'i', expires: '2027-01-01' }
  const { problems, ok } = mergeReports([part(1), part(2)], { knownFailures: [line], today: '2026-11-22' })
  expect(problems).toEqual([
    { message: expect.stringContaining("'one/gone/stream#golden': no such check ran"), harness: false },
  ])
  expect(ok).toBe(false)
})

test('a line that names no check is none of a run that was confined, or that waits for a full one', () => {
  const lines = ['one/gone/stream#golden', 'one/text-only/stream#abort'].map((check) => {
    return { check, reason: 'r', issue: 'i', expires: '2027-01-01' }
  })
  const problemsOf = (asked: Report['asked']) =>
    mergeReports(
      [1, 2].map((index) => ({ ...part(index), asked })),
      { knownFailures: lines, today: '2026-11-22' },
    ).problems.map(({ message }) => message)
  expect(problemsOf({ scenario: ['text-only'] })).toEqual([])
  expect(problemsOf({ stress: ['rechunk'] })).toEqual([])
  expect(problemsOf(undefined)).toEqual([expect.stringContaining("'one/gone/stream#golden': no such check ran")])
  expect(problemsOf({ full: true })).toHaveLength(2)
})

test('reports of several subjects, one each, make one that says so', () => {
  const [one, other] = ['one', 'second-one'].map((name) => {
    const cases = report.cases.filter(({ subject }) => subject === name)
    return { ...report, cases, asked: { only: [name], full: true } }
  })
  expect(mergeReports([one!, other!]).asked).toEqual({ only: ['one', 'second-one'], full: true })
})

const misfits: readonly (readonly [string, readonly Report[], string])[] = [
  ['no part', [], 'no report to merge'],
  ['a missing shard', [part(1)], 'Shard 2 of 2 is given not at all'],
  ['a shard twice', [part(1), part(1)], 'Shard 1 of 2 is given 2 times'],
  [
    'parts of two suites',
    [part(1), { ...part(2), suite: { name: 'suite', version: '9' } }],
    'versions of the suite differ',
  ],
  [
    'parts with other seeds',
    [
      { ...part(1), seed: 1 },
      { ...part(2), seed: 2 },
    ],
    'seeds differ',
  ],
  ['one case in two reports', [report, report], 'is in two of the reports'],
  [
    'parts of which each has another model under one name',
    [part(1), { ...part(2), subjects: report.subjects.map((one) => ({ ...one, model: 'n' })) }],
    "'one' is m over w, and n over w",
  ],
  ['parts with other stressors', [{ ...part(1), asked: { full: true } }, part(2)], 'stressors differ'],
  ['parts with other filters', [{ ...part(1), asked: { scenario: ['text-only'] } }, part(2)], 'filters differ'],
  [
    'parts of which one is of a run of other cases',
    [
      { ...part(1), planned: 4 },
      { ...part(2), planned: 6 },
    ],
    'cases differ',
  ],
  [
    'parts without all cases of the run',
    [
      { ...part(1), planned: 6 },
      { ...part(2), planned: 6 },
    ],
    'The reports hold 4 cases, and the run has 6',
  ],
]

test.each(misfits)('%s is refused with the fix', (_, parts, message) => {
  expect(() => mergeReports(parts)).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
  )
})
