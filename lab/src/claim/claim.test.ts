import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { scenarios, type Subject } from '@steploop/conformance'
import type { CaseReport } from '@steploop/conformance/cli'
import { adapterPackage } from './adapter-package.ts'
import { badgeOf } from './badge.ts'
import type { Claim } from './claim-schema.ts'
import { compareClaim } from './compare-claim.ts'
import { hashOf, makeClaim } from './make-claim.ts'
import { prepareVerification, type VerificationFacts } from './prepare-verification.ts'
import { printVerification } from './print-verification.ts'
import { caseWith, reportOf, requirements } from './testing.ts'
import { parseClaim } from './parse-claim.ts'

function scratch(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

function subjectWith(cassettes: string): Subject {
  const adapter = (): never => {
    throw new Error('nobody asks')
  }
  return { name: 'talk', wire: 'talk', model: 'talk-1', baseURL: 'https://talk.example.com', cassettes, adapter }
}

const packages = new Map([['talk', { name: 'steploop-talk', version: '1.0.0' }]])
const origin = { kind: 'live', by: 'me', date: '2025-12-31' }
const green = [
  caseWith('text-only/generate', { golden: 'pass', settles: 'pass' }, { origin }),
  caseWith('text-only/stream', { golden: 'pass', settles: 'pass' }, { origin: { ...origin, date: '2026-01-01' } }),
  caseWith('single-call/stream', {}, { verdict: 'not-applicable', reason: 'no tools' }),
]
const files = { 'text-only.generate.yaml': 'one', 'text-only.stream.yaml': 'two', 'single-call.stream.yaml': 'unused' }

function claimOf(cases: readonly CaseReport[] = green, subject = subjectWith(scratch(files))): Claim {
  return makeClaim(reportOf(cases), { subjects: [subject], packages, knownFailures: [], full: false, requirements })
}

function verified(claim: Claim, cases: readonly CaseReport[], more: Partial<VerificationFacts> = {}) {
  const facts = { subjects: [subjectWith(scratch(files))], packages, shipped: [requirements], ...more }
  const prepared = prepareVerification(claim, facts)
  return compareClaim(claim, prepared.changed.length > 0 ? undefined : reportOf(cases), prepared)
}

test('a claim has the hashes of the cassettes that were used, as sha256sum prints them, with their origins and days', () => {
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex')
  const [subject] = claimOf().subjects
  expect(subject?.cassettes).toEqual({
    files: { 'text-only.generate.yaml': sha('one'), 'text-only.stream.yaml': sha('two') },
    origins: { live: 2 },
    oldest: '2025-12-31',
    newest: '2026-01-01',
  })
})

test('a subject without cassettes is claimed without any', () => {
  const subject: Subject = { ...subjectWith('.'), turnScript: subjectWith('.').adapter }
  const [claimed] = claimOf([caseWith('text-only/stream', { golden: 'pass' })], subject).subjects
  expect(claimed?.cassettes).toMatchObject({ files: {}, origins: {} })
})

test('what is red, or a part of a run, cannot be claimed', () => {
  const facts = { subjects: [subjectWith('.')], packages, knownFailures: [], full: false, requirements }
  const red = reportOf([caseWith('text-only/stream', { golden: 'fail' })])
  expect(() => makeClaim(red, facts)).toThrow(/not as expected, so there is nothing to claim/)
  expect(() => makeClaim({ ...reportOf(green), shard: { index: 1, count: 2 } }, facts)).toThrow(/without --shard/)
  const newer = reportOf([caseWith('a-newer-one/stream', { golden: 'pass' })])
  expect(() => makeClaim(newer, facts)).toThrow(/No case of the requirement set 2026-01-01 ran/)
})

test('only lines that excused a check are claimed', () => {
  const line = { check: 'talk/text-only/*#golden', reason: 'r', issue: 'i', expires: '2026-12-31' }
  const knownFailures = [line, { ...line, check: 'talk/text-only/*#settles' }]
  const report = reportOf([caseWith('text-only/stream', { golden: 'known-failure', settles: 'pass' })])
  const facts = { subjects: [subjectWith('.')], packages, full: true, requirements }
  expect(makeClaim(report, { ...facts, knownFailures })).toMatchObject({ full: true, knownFailures: [line] })
})

test('what JSON gives back of a claim is the claim; other files are refused with the member and the fix', () => {
  const claim = claimOf()
  expect(parseClaim(JSON.stringify(claim), 'claim.json')).toEqual(claim)
  expect(() => parseClaim('{', 'claim.json')).toThrow(/claim\.json is no JSON.*conformance --claim FILE/)
  const wrong = JSON.stringify({ ...claim, seed: 'one' })
  expect(() => parseClaim(wrong, 'claim.json')).toThrow(/no claim of version 1: seed: /)
  const outside = {
    ...claim,
    subjects: [
      {
        ...claim.subjects[0],
        cassettes: { ...claim.subjects[0]!.cassettes, files: { '../x.stream.yaml': 'a'.repeat(64) } },
      },
    ],
  }
  expect(() => parseClaim(JSON.stringify(outside), 'claim.json')).toThrow(/cassettes\.files/)
})

function ofFirst(claim: Claim, change: Partial<Claim['subjects'][number]>): Claim {
  return { ...claim, subjects: [{ ...claim.subjects[0]!, ...change }] }
}

function ofCassettes(claim: Claim, change: Partial<Claim['subjects'][number]['cassettes']>): Claim {
  return ofFirst(claim, { cassettes: { ...claim.subjects[0]!.cassettes, ...change } })
}

test('a claim of better cassettes than those that are played does not hold', () => {
  const simulated = { ...origin, kind: 'simulated' }
  const cases = [{ ...green[0]!, origin: simulated }, { ...green[1]!, origin: simulated }, green[2]!]
  const better = ofCassettes(claimOf(cases), { origins: { live: 2 } })
  expect(verified(better, cases).differences).toEqual([
    'talk: the claim says of its cassettes 2 live, of 2025-12-31; they are 2 simulated, of 2025-12-31',
  ])
  const more = ofCassettes(claimOf(), { origins: { live: 9 } })
  expect(verified(more, green).differences).toEqual([expect.stringContaining('says of its cassettes 9 live')])
  const fewer = ofCassettes(claimOf(cases), { origins: { live: 1 } })
  expect(verified(fewer, cases).holds).toBe(false)
  const younger = ofCassettes(claimOf(), { oldest: '2026-01-01' })
  expect(verified(younger, green).differences).toEqual([expect.stringContaining('they are 2 live, of 2025-12-31 to')])
  const unlisted = ofCassettes(claimOf(), { files: {} })
  expect(verified(unlisted, green).differences).toEqual([
    'talk: text-only.generate.yaml is played, and the claim has no hash of it',
    'talk: text-only.stream.yaml is played, and the claim has no hash of it',
  ])
})

test('a claim that leaves cases out does not hold, unless another suite wrote it, which had none of them', () => {
  const { 'text-only/stream': _, ...cases } = claimOf().subjects[0]!.cases
  const less = ofFirst(claimOf(green.slice(0, 1)), { cases })
  expect(verified(less, green).differences).toEqual([
    'talk: the claim leaves out text-only/stream, which its requirement set asks for',
  ])
  const old = verified({ ...less, suite: { ...less.suite, version: '0.0.0-old' } }, green)
  expect(old.notes).toContain('talk: not in the claim, and not judged: text-only/stream')
})

test('limits that the config states and the claim does not are reported, and nothing is run', () => {
  const limited = { ...subjectWith(scratch(files)), scenarios: ['text-only'], unverified: 'no recordings' }
  const { holds, subjects, differences } = verified(claimOf(), green, { subjects: [limited] })
  expect([holds, subjects]).toEqual([false, []])
  expect(differences).toEqual([
    'talk runs text-only only, the claim is of all scenarios',
    'talk is unverified by traffic, which the claim does not say',
  ])
})

test('a case that the set does not ask for is reported', () => {
  const claim = ofFirst(claimOf(), { cases: { ...claimOf().subjects[0]!.cases, 'of-my-own/stream': 'pass' } })
  expect(verified(claim, green).differences).toEqual([
    'talk: the requirement set 2026-01-01 has no case of-my-own/stream',
  ])
})

test('a check or a scenario that is newer than the set breaks no claim', () => {
  const newer = [
    caseWith('text-only/generate', { golden: 'pass', 'brand-new': 'fail' }),
    ...green.slice(1),
    caseWith('cut-stream/stream', { golden: 'fail' }),
  ]
  expect(verified(claimOf(), newer)).toMatchObject({ holds: true, differences: [] })
})

test('a check of the set that fails is a difference, with its first words and the command', () => {
  const broken = [caseWith('text-only/generate', { golden: 'fail', settles: 'pass' }), ...green.slice(1)]
  const { holds, differences, subjects } = verified(claimOf(), broken)
  expect(holds).toBe(false)
  expect(differences).toEqual([
    'talk/text-only/generate: claimed pass, is fail:\n  #golden golden is wrong\n  repeat: repeat talk/text-only/generate',
  ])
  expect(subjects[0]).toMatchObject({ same: 2, different: 1, gone: 0 })
})

test('a case that does not run any more is a difference, one that does not apply any more too', () => {
  const fewer = [{ ...green[1]!, verdict: 'not-applicable' as const, reason: 'no words' }, green[2]!]
  expect(verified(claimOf(), fewer).differences).toEqual([
    expect.stringContaining('talk/text-only/generate: claimed pass, did not run'),
    'talk/text-only/stream: claimed pass, is not-applicable: no words',
  ])
})

test('scenarios and checks that the suite has no more are reported, and break no claim', () => {
  const claim = claimOf()
  const shipped = [
    { ...requirements, set: { ...requirements.set, checks: ['golden', 'settles', 'of-old', 'text-only#of-old'] } },
  ]
  const kept = scenarios.filter(({ id }) => id === 'text-only')
  const facts = { subjects: [subjectWith(scratch(files))], packages, shipped, scenarios: kept }
  const prepared = prepareVerification(claim, facts)
  const { holds, notes, subjects } = compareClaim(claim, reportOf(green.slice(0, 2), ['text-only']), prepared)
  expect(holds).toBe(true)
  expect(subjects[0]).toMatchObject({ same: 2, gone: 1 })
  expect(notes).toEqual(
    expect.arrayContaining([
      "the scenario 'single-call' is gone from the suite",
      "the check '#of-old' is gone from the suite",
      "the check '#of-old' of 'text-only' is gone from the suite",
    ]),
  )
})

test('other inputs are named before anything runs', () => {
  const folder = scratch({ 'text-only.generate.yaml': 'changed' })
  const changed = { subjects: [{ ...subjectWith(folder), model: 'talk-2' }] }
  const { holds, subjects, differences } = verified(claimOf(), green, changed)
  expect([holds, subjects]).toEqual([false, []])
  expect(differences).toEqual([
    `talk: ${join(folder, 'text-only.generate.yaml')} was changed`,
    `talk: ${join(folder, 'text-only.stream.yaml')} is gone`,
    'talk has the model talk-2, the claim is of talk-1',
  ])
})

test('a requirement set that was edited since is not the set of the claim', () => {
  const shipped = [{ ...requirements, sha256: 'b'.repeat(64) }]
  expect(() => verified(claimOf(), green, { shipped })).toThrow(
    /another one than the claim's\. Install .* or write a new claim/,
  )
})

test('another suite, another core and a subject that is gone are reported, and break no claim', () => {
  const claim = { ...claimOf(), core: '0.0.1-old', handOverTo: ['talk', 'gone'] }
  const { holds, notes } = verified({ ...claim, suite: { ...claim.suite, version: '0.0.2-old' } }, green)
  expect(holds).toBe(true)
  expect(notes).toEqual([
    expect.stringMatching(/^written with version 0\.0\.2-old of the suite, repeated with \d/),
    expect.stringMatching(/^written with version 0\.0\.1-old of @steploop\/core, repeated with \d/),
    'histories are no more handed over to gone: the config has them no more',
  ])
})

test('the report of a verification has the age of the cassettes and what expired since', () => {
  const claim = {
    ...claimOf(),
    knownFailures: [{ check: 'talk/*/*#x', reason: 'r', issue: 'i', expires: '2026-01-05' }],
  }
  const text = printVerification(verified(claim, green), { today: '2026-01-11' })
  expect(text).toContain('claim of 2026-01-02 (9 days old): requirements 2026-01-01')
  expect(text).toContain('~ talk/*/*#x: r (expired on 2026-01-05)')
  expect(text).toMatch(
    /^talk +steploop-talk 1\.0\.0 +3 same +2 live, of 2025-12-31 \(11 days old\) to 2026-01-01 \(10 days old\)$/m,
  )
  expect(text).toContain('the claim holds: 3 of 3 cases are the same')
})

const badges: readonly (readonly [string, readonly CaseReport[], object])[] = [
  ['live cassettes', green, { message: '2026-01-01, 2 pass', color: 'brightgreen' }],
  [
    'a simulated one among them',
    [green[0]!, { ...green[1]!, origin: { ...origin, kind: 'simulated' } }],
    { message: '2026-01-01, 2 pass, partly simulated', color: 'green' },
  ],
  [
    'a known failure',
    [caseWith('text-only/stream', { golden: 'known-failure' }, { origin })],
    { message: '2026-01-01, 0 pass, 1 known failure', color: 'yellow' },
  ],
]

test.each(badges)('the badge of a claim on %s says so', (_, cases, badge) => {
  const claim = claimOf(cases)
  expect(badgeOf(verified(claim, cases))).toEqual({ schemaVersion: 1, label: 'steploop', ...badge })
})

test('a config that picks scenarios is claimed with them, and the badge says how few they are', () => {
  const picking: Subject = { ...subjectWith(scratch(files)), scenarios: ['text-only'] }
  const cases = green.slice(0, 2)
  const claim = claimOf(cases, picking)
  expect(claim.subjects[0]?.scenarios).toEqual(['text-only'])
  const verification = verified(claim, cases)
  expect(badgeOf(verification)).toMatchObject({ message: '2026-01-01, 2 pass, 1 scenario only', color: 'green' })
  expect(printVerification(verification, { today: '2026-01-02' })).toContain('2 same, 1 scenario only  2 live, of')
})

test('the matrix of kills is claimed by its hash, and not where there is none', () => {
  const folder = pathToFileURL(`${scratch({ 'mutants.json': '{}' })}/`)
  expect(hashOf(new URL('mutants.json', folder))).toBe(createHash('sha256').update('{}').digest('hex'))
  expect(hashOf(new URL('none.json', folder))).toBeUndefined()
})

test('the package of an adapter is the nearest one upward that has a name and a version', () => {
  const folder = scratch({ 'package.json': '{"name":"outer","version":"1.0.0"}' })
  mkdirSync(join(folder, 'inner/deep'), { recursive: true })
  writeFileSync(join(folder, 'inner/package.json'), '{"private":true}')
  expect(adapterPackage({ name: 'talk' }, join(folder, 'inner/deep'))).toEqual({ name: 'outer', version: '1.0.0' })
  writeFileSync(join(folder, 'inner/package.json'), '{"name":"inner","version":"2.0.0"}')
  expect(adapterPackage({ name: 'talk', package: 'inner' }, folder).version).toBe('2.0.0')
  expect(adapterPackage({ name: 'talk', package: pathToFileURL(`${folder}/inner/`) }, folder).name).toBe('inner')
  writeFileSync(join(folder, 'inner/package.json'), '{')
  expect(() => adapterPackage({ name: 'talk', package: 'inner' }, folder)).toThrow(/inner\/package\.json is no JSON/)
  expect(() => adapterPackage({ name: 'talk' }, '/')).toThrow(/cannot say which adapter 'talk' is/)
})
