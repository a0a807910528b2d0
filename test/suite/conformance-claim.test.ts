import { runConformance, type Subject } from '@steploop/conformance'
import { requirementsNow, type RequirementSet } from '@steploop/conformance/cli'
import { compareClaim, makeClaim, prepareVerification } from '@steploop/lab'
import { expect, test } from 'vitest'
import { faulty, silent } from './broken-subject.ts'
import { subjectNamed } from '../scratch.ts'

const correct: Subject = {
  ...subjectNamed('openai-compatible'),
  scenarios: ['text-only', 'single-call'],
}

const uncounted = silent(correct)

function shippedAs(set: RequirementSet) {
  return { set, sha256: 'a'.repeat(64) }
}

const packages = new Map([[correct.name, { name: 'mine', version: '1.0.0' }]])
const newest = requirementsNow('2026-02-01')
const older = { ...newest, date: '2026-01-01', checks: newest.checks.filter((id) => id !== 'usage-adds-up') }

/** A claim of the correct adapter by the set, repeated with the silent one. */
async function repeatSilently(set: RequirementSet) {
  const facts = { subjects: [correct], packages, knownFailures: [], full: false, requirements: shippedAs(set) }
  const claim = makeClaim(await runConformance([correct]), facts)
  const prepared = prepareVerification(claim, { subjects: [uncounted], packages, shipped: [shippedAs(set)] })
  const report = await runConformance([uncounted], prepared.options)
  return { report, verification: compareClaim(claim, report, prepared) }
}

test('a claim is judged by its requirement set: a check that is newer breaks no claim, and keeps no stressor of the set from running', async () => {
  const { report, verification } = await repeatSilently(older)
  expect(verification).toMatchObject({ holds: true, differences: [] })
  const ids = new Set(report.cases.flatMap(({ checks }) => checks.map(({ id }) => id)))
  expect([ids.has('usage-adds-up'), ids.has('rechunk'), ids.has('resume')]).toEqual([false, true, true])
})

test('a claim is judged by its requirement set: the same check in the set breaks it', async () => {
  const { verification } = await repeatSilently(newest)
  expect(verification.holds).toBe(false)
  expect(verification.differences[0]).toMatch(/text-only\/generate: claimed pass, is fail:\n {2}#usage-adds-up /)
})

test('a subject that came into the config later breaks no claim of another: histories are handed over as they were', async () => {
  const rudely = (): never => {
    throw new Error('not with me')
  }
  const rude: Subject = { ...faulty(correct, () => rudely), name: 'rude' }
  const set = shippedAs(newest)
  const facts = { subjects: [correct], packages, knownFailures: [], full: false, requirements: set }
  const claim = makeClaim(await runConformance([correct], { stress: ['hand-over'] }), facts)
  const together = [correct, rude]
  const handedOver = await runConformance(together, { only: [correct.name], stress: ['hand-over'] })
  expect(handedOver.ok).toBe(false)
  const prepared = prepareVerification(claim, { subjects: together, packages, shipped: [set] })
  const report = await runConformance(together, { ...prepared.options, stress: ['hand-over'] })
  expect(compareClaim(claim, report, prepared)).toMatchObject({ holds: true })
})

test('every check that a run shows is one of the requirement set', async () => {
  const unreadable: Subject = { ...correct, cassettes: 'nowhere' }
  const broken: Subject = { ...correct, adapter: () => ({}) as never }
  const runs = [
    await runConformance([correct], { frontEnds: ['fetch', 'server'], scenario: ['single-call'] }),
    await runConformance([unreadable]),
    await runConformance([broken]),
  ]
  const shown = runs.flatMap(({ cases }) =>
    cases.flatMap(({ scenario, checks }) => checks.map(({ id }) => ({ id, own: `${scenario}#${id}` }))),
  )
  const unknown = shown.filter(({ id, own }) => !newest.checks.includes(id) && !newest.checks.includes(own))
  expect([shown.length > 0, unknown]).toEqual([true, []])
})
