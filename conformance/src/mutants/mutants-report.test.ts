import { expect, test } from 'vitest'
import { killMatrix, parseKillMatrix } from './kill-matrix.ts'
import type { Mutant } from './mutant.ts'
import { mutantsReport, type ReportFacts } from './mutants-report.ts'
import { printMutants } from './print-mutants.ts'
import type { MutantOutcome } from './try-mutant.ts'

const mutant = (id: string): Mutant => ({
  id,
  bug: 'It is broken.',
  killer: 'single-call#golden',
  apply: (subject) => subject,
})

const killed: MutantOutcome = {
  id: 'a',
  killer: 'single-call#golden',
  killers: ['golden', 'paired'],
  firstCase: 'mine/single-call/stream',
  byItsKiller: true,
  passesTextOnly: true,
  passes: 97,
  durationMs: 10,
}

const baseline = { checks: ['golden', 'paired'], isBlind: () => false }

function report(outcomes: readonly MutantOutcome[], facts: Partial<ReportFacts> = {}) {
  const mutants = outcomes.map(({ id }) => mutant(id))
  return mutantsReport({ level: 'full', mutants, baseline, outcomes, matrix: undefined, ...facts })
}

test('mutants that are killed by checks that all kill are fine', () => {
  expect(report([killed])).toMatchObject({ mutants: 1, killed: 1, checks: 2, idleChecks: 0, problems: [] })
})

test.each([
  ['lives', { killers: [], byItsKiller: false }, /'a' lives: no check notices it.*single-call#golden/],
  [
    'is noticed by another check than its own',
    { byItsKiller: false },
    /noticed by golden, paired, but not by single-call#golden/,
  ],
  ['fails text-only', { passesTextOnly: false }, /'a' fails `text-only`/],
  ['breaks too much', { passes: 79 }, /'a' passes 79 % of the base checks, less than 80 %/],
])('a mutant that %s is a problem', (_, facts, problem) => {
  expect(report([{ ...killed, ...facts }]).problems[0]).toMatch(problem)
})

test('a check that kills nothing is a problem', () => {
  const { idleChecks, problems } = report([{ ...killed, killers: ['golden'] }])
  expect(idleChecks).toBe(1)
  expect(problems).toEqual([expect.stringMatching(/#paired is idle: it kills no mutant/)])
})

test('a mutant that a real project shipped needs two checks', () => {
  const id = 'drop-signature'
  expect(report([{ ...killed, id }]).problems).toEqual([])
  const once = report([{ ...killed, id, killers: ['golden'] }], { baseline: { ...baseline, checks: ['golden'] } })
  expect(once.problems).toEqual([expect.stringMatching(/'drop-signature' was shipped .* two checks/)])
})

test('a mutant whose check nobody can see, as where few scenarios are played, is listed apart and no problem', () => {
  const alive = { ...killed, killers: [], byItsKiller: false, firstCase: undefined }
  const part = { ...baseline, isBlind: (killer: string) => killer === 'single-call#golden' }
  const found = report([alive], { level: 'quick', baseline: part })
  expect(found).toMatchObject({ unreported: ['a'], problems: [], killed: 0 })
  const text = printMutants(found, { durationMs: 1 })
  expect(text).toMatch(/– a +not shown here: it takes single-call#golden/)
  expect(text).toContain('0 of 1 mutants killed, 1 not shown by the scenarios')
  expect(report([killed], { level: 'quick', baseline: part }).unreported).toEqual([])
  const { unreported, problems } = report([alive], { level: 'quick', baseline: part, complete: true })
  expect(unreported).toEqual([])
  expect(problems[0]).toMatch(/'a' lives/)
})

test('a quick run takes idle checks from the last full one, and is red when mutants or checks have changed since', () => {
  const matrix = killMatrix([mutant('a')], baseline, [{ ...killed, killers: ['golden'] }])
  expect(report([killed], { level: 'quick', matrix })).toMatchObject({ idleChecks: 1 })
  const later = report([killed, { ...killed, id: 'b' }], {
    level: 'quick',
    matrix,
    baseline: { ...baseline, checks: ['golden', 'new'] },
  })
  expect(later.problems[0]).toMatch(/stale: new mutant 'b', new check 'new', check 'paired' is gone/)
})

test('a matrix is sorted by id and comes back from its file as it was', () => {
  const matrix = killMatrix([mutant('b'), mutant('a')], baseline, [{ ...killed, id: 'b' }, killed])
  expect(matrix.mutants.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(parseKillMatrix(JSON.stringify(matrix), 'mutants.json')).toEqual(matrix)
  expect(() => parseKillMatrix('[]', 'mutants.json')).toThrow(/mutants\.json is no matrix of kills/)
})

test('a person sees per mutant its own check first, and per check how many it kills', () => {
  const outcome = { ...killed, killers: ['a', 'b', 'c', 'd', 'e', 'f', 'golden'] }
  const full = report([outcome], { baseline: { ...baseline, checks: outcome.killers } })
  const matrix = killMatrix([mutant('a')], { checks: outcome.killers }, [outcome])
  const text = printMutants(full, { durationMs: 1500, matrix })
  expect(text).toContain('97 %  golden, a, b, c, d, e and 1 more')
  expect(text).toMatch(/golden +█+ 1 a/)
  expect(text).toContain('1 of 1 mutants killed; 0 of 7 checks idle; 1.5 s')
})
