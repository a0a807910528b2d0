import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { autoReport, printAutoReport, shareOf, staleLines } from './auto-report.ts'
import { readDeclared } from './declared-mutants.ts'
import type { Outcome } from './judge-mutant.ts'
import { scratchFolder } from '../testing.ts'

function outcome(name: string, noticed?: Outcome['noticed']): Outcome {
  const location = { file: '/project/src/decode.ts', line: 3, column: 7, start: 0, end: 0, replacement: '' }
  const mutation = { ...location, id: `acme/${name}`, operator: 'boundary', before: 'if (a < b)', after: 'if (a <= b)' }
  return { mutation, noticed, ran: ['suite: 4 cases', 'unit: 7 tests'], durationMs: 5 }
}

const outcomes = [
  outcome('one', { judge: 'suite', by: 'acme/text-only/stream#golden' }),
  outcome('two', { judge: 'loop', by: 'timeout: no answer in 60 s' }),
  outcome('three', { judge: 'unit', by: 'a test' }),
  outcome('four'),
]
const report = autoReport({
  seed: 7,
  sample: 4,
  root: '/project',
  stale: [],
  durationMs: 1_000,
  packages: [{ name: 'acme', mutations: 90, declared: 2, outcomes }],
})

test('scores count what the suite noticed, then what all judges did, each with its range', () => {
  expect(report.packages).toEqual([
    {
      name: 'acme',
      mutations: 90,
      declared: 2,
      tried: 4,
      noticed: { loop: 1, suite: 1, traffic: 0, unit: 1 },
      timeouts: 1,
      survivors: 1,
      suiteAlone: shareOf(2, 4),
      together: shareOf(3, 4),
    },
  ])
})

test.each([
  [9, 10],
  [3, 7],
  [0, 20],
  [20, 20],
])('the ends of the range of %d of %d are the shares from which it would be 1.96 deviations away', (part, all) => {
  const { percent, from, to } = shareOf(part, all)
  expect(percent).toBeCloseTo((100 * part) / all, 1)
  for (const end of [from, to].map((value) => value / 100)) {
    if (end * all === part) continue
    expect(Math.abs(part / all - end) / Math.sqrt((end * (1 - end)) / all)).toBeCloseTo(1.96, 1)
  }
})

test('a survivor is reported with its location, its change, what ran and its id', () => {
  expect(printAutoReport(report)).toContain(`src/decode.ts:3:7 boundary
  - if (a < b)
  + if (a <= b)
  ran suite: 4 cases; unit: 7 tests
  acme/four`)
  expect(printAutoReport(report).match(/boundary: .*/g)).toEqual(['boundary: unit (a test)'])
  expect(printAutoReport(report)).toContain('1 of 4 mutants survive')
})

test('a declared mutant whose line is gone is stale, and one that is noticed', () => {
  const declare = (id: string) => ({ id, change: 'a < b', kind: 'equivalent', reason: 'never equal' }) as const
  const known = new Set(['acme/one', 'acme/four'])
  expect(staleLines([declare('acme/gone'), declare('acme/four'), declare('acme/one')], known, outcomes)).toEqual([
    'acme/gone (a < b): there is no such mutant any more. Judge the new line, and remove this one.',
    'acme/one (a < b): is noticed by acme/text-only/stream#golden. Remove the line.',
  ])
})

test('a declaration without a reason is refused with its location, and one may be of several mutants', () => {
  const folder = scratchFolder()
  const file = join(folder, 'list.json')
  writeFileSync(file, JSON.stringify([{ id: 'a', change: 'b', kind: 'timing', reason: '' }]))
  expect(() => readDeclared(file)).toThrow(/list\.json cannot be used: .*\[0\]\.reason/s)
  expect(readDeclared(join(folder, 'none.json'))).toEqual([])
  writeFileSync(file, JSON.stringify([{ id: ['a', 'b'], change: 'b', kind: 'timing', reason: 'c' }]))
  expect(readDeclared(file).map(({ id }) => id)).toEqual(['a', 'b'])
})
