import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { scenarios } from '../scenarios/index.ts'
import {
  asksFor,
  newestRequirements,
  requirementChanges,
  requirementsNow,
  shippedRequirements,
  type RequirementSet,
} from './requirement-set.ts'

function folderWith(files: Readonly<Record<string, string>>): URL {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return pathToFileURL(`${folder}/`)
}

const set: RequirementSet = { date: '2026-01-01', scenarios: ['text-only'], checks: ['golden', 'text-only#says-all'] }

test('the newest requirement set is what the suite asks for: after a change, run `pnpm requirements` and commit what it writes', () => {
  const newest = newestRequirements(shippedRequirements()).set
  expect(
    requirementChanges(newest, requirementsNow(newest.date)),
    'run `pnpm requirements`: it writes the set of today, and leaves those of past days, which claims name, alone',
  ).toEqual([])
})

test('a check of one scenario is asked for there and not elsewhere, one without a scenario everywhere', () => {
  const both = { ...set, scenarios: ['text-only', 'single-call'] }
  expect(asksFor(both, 'text-only', 'says-all')).toBe(true)
  expect(asksFor(both, 'single-call', 'says-all')).toBe(false)
  expect(asksFor(both, 'single-call', 'golden')).toBe(true)
  expect(asksFor(set, 'single-call', 'golden')).toBe(false)
})

test('what the suite asks for now names each scenario with its own checks, and the stressors', () => {
  const { checks, ...now } = requirementsNow(
    '2026-01-01',
    scenarios.filter(({ id }) => id === 'text-only'),
  )
  expect(now).toEqual({ date: '2026-01-01', scenarios: ['text-only'] })
  expect(checks).toEqual(expect.arrayContaining(['golden', 'rechunk', 'settles', 'abort', 'modes']))
  expect(checks.filter((id) => id.startsWith('text-only#'))).not.toEqual([])
})

test('changes are named one by one', () => {
  const after = { date: '2026-02-01', scenarios: ['single-call'], checks: ['golden', 'rechunk'] }
  expect(requirementChanges(set, after)).toEqual([
    "new scenario 'single-call'",
    "scenario 'text-only' is gone",
    "new check 'rechunk'",
    "check 'text-only#says-all' is gone",
  ])
})

test('sets are shipped oldest first, each with the hash of its file', () => {
  const later = { ...set, date: '2026-10-01' }
  const sets = shippedRequirements(
    folderWith({ '2026-10-01.json': JSON.stringify(later), '2026-01-01.json': JSON.stringify(set), 'notes.md': '' }),
  )
  expect(sets.map((one) => one.set)).toEqual([set, later])
  expect(new Set(sets.map(({ sha256 }) => sha256)).size).toBe(2)
  expect(newestRequirements(sets).set).toEqual(later)
  expect(() => newestRequirements([])).toThrow(/ships no requirement set/)
})

test.each([
  ['that is no JSON', '{', /2026-01-01\.json is no requirement set of its day/],
  ['of another form', '{"date":"2026-01-01"}', /2026-01-01\.json is no requirement set/],
  ['of another day', JSON.stringify({ ...set, date: '2026-01-02' }), /its date is 2026-01-02\. Restore it/],
])('a set %s is refused with its file and the fix', (_, text, message) => {
  expect(() => shippedRequirements(folderWith({ '2026-01-01.json': text }))).toThrow(message)
})
