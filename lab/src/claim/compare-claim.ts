import type { Report } from '@steploop/conformance'
import {
  isUnexpected,
  countOrigins,
  originFacts,
  printOrigins,
  type Verdict,
  type OriginFacts,
} from '@steploop/conformance/cli'
import type { Claim, ClaimedSubject } from './claim-schema.ts'
import type { Preparation } from './prepare-verification.ts'
import { requiredCases, type RequiredCase } from './required-cases.ts'

/** What became of a claim's subject. */
export interface VerifiedSubject {
  readonly claimed: ClaimedSubject
  /** Cases with the claimed verdict. */
  readonly same: number
  readonly different: number
  /** Cases of scenarios that the suite has no more. */
  readonly gone: number
  /** The claimed cases by verdict, as they are now. */
  readonly counts: Readonly<Partial<Record<Verdict, number>>>
}

/** What a claim is worth today. */
export interface ClaimVerification {
  readonly claim: Claim
  /** Whether the inputs are the claim's and each case has the claimed verdict. */
  readonly holds: boolean
  /** Empty when the inputs are other ones: then nothing was run. */
  readonly subjects: readonly VerifiedSubject[]
  /** What differs, a text each. */
  readonly differences: readonly string[]
  readonly notes: readonly string[]
}

/** Compares the verdict of each case. Without a report, which is for inputs that are other ones, only says so. */
export function compareClaim(
  claim: Claim,
  report: Report | undefined,
  { set, changed, notes }: Preparation,
): ClaimVerification {
  if (report === undefined) return { claim, holds: false, subjects: [], differences: changed, notes }
  const known = new Set(report.scenarios.map(({ id }) => id))
  const found = claim.subjects.map((claimed) => {
    const cases = requiredCases(report.cases, claimed.name, set)
    return { claimed, cases, ...compareSubject(claimed, cases, known), left: leftOut(claimed, cases, claim, report) }
  })
  const facts = found.flatMap(({ claimed, cases, left }) => {
    const own = cases.filter(({ id }) => claimed.cases[id] !== undefined)
    return [...left, ...cassetteDifferences(claimed, own)]
  })
  const differences = [...changed, ...found.flatMap((one) => one.differences), ...facts]
  return {
    claim,
    holds: differences.length === 0,
    subjects: found.map(({ claimed, cases, same, gone, differences: own }) => {
      return {
        claimed,
        same,
        different: own.length,
        gone,
        counts: countsOf(cases.filter(({ id }) => claimed.cases[id] !== undefined)),
      }
    }),
    differences,
    notes: [...notes, ...found.filter(({ left }) => left.length === 0).flatMap(unclaimedNotes)],
  }
}

function countsOf(cases: readonly RequiredCase[]): VerifiedSubject['counts'] {
  const counts: Partial<Record<Verdict, number>> = {}
  for (const { verdict } of cases) counts[verdict] = (counts[verdict] ?? 0) + 1
  return counts
}

interface Compared {
  readonly same: number
  readonly gone: number
  readonly differences: readonly string[]
}

function compareSubject(claimed: ClaimedSubject, cases: readonly RequiredCase[], known: ReadonlySet<string>): Compared {
  const byId = new Map(cases.map((one) => [one.id, one]))
  const entries = Object.entries(claimed.cases)
  const [kept, gone] = [
    entries.filter(([id]) => known.has(scenarioOf(id))),
    entries.filter(([id]) => !known.has(scenarioOf(id))),
  ]
  const differences = kept.flatMap(([id, verdict]) => {
    const now = byId.get(id)
    if (now === undefined)
      return [`${claimed.name}/${id}: claimed ${verdict}, did not run: the adapter or its config has no such case now`]
    return now.verdict === verdict
      ? []
      : [`${claimed.name}/${id}: claimed ${verdict}, is ${now.verdict}${reasonOf(now)}`]
  })
  return { same: kept.length - differences.length, gone: gone.length, differences }
}

function scenarioOf(id: string): string {
  return id.slice(0, id.lastIndexOf('/'))
}

/** Which check, its first words, and the command that says it all. */
function reasonOf({ checks, verdict, report }: RequiredCase): string {
  if (verdict === 'not-applicable') return report.reason === undefined ? '' : `: ${report.reason}`
  const red = checks.filter((check) => isUnexpected(check.verdict))
  const lines = red.map(({ id, failures }) => `  #${id} ${failures[0]?.message.split('\n')[0] ?? ''}`)
  return [red.length === 0 ? '' : ':', ...lines, `  repeat: ${report.repeat}`].join('\n')
}

/**
 * Cases of the set that a claim by this very suite has not, although its config let them run: it claims less than all that is asked for.
 * Another suite, or a config that runs more by now, may have cases that there were none of.
 */
function leftOut(
  { name, scenarios, cases: claimed }: ClaimedSubject,
  cases: readonly RequiredCase[],
  { suite }: Claim,
  report: Report,
): readonly string[] {
  if (suite.version !== report.suite.version) return []
  const left = cases
    .filter(({ id }) => claimed[id] === undefined && (scenarios?.includes(scenarioOf(id)) ?? true))
    .map(({ id }) => id)
  return left.length === 0
    ? []
    : [`${name}: the claim leaves out ${left.join(', ')}, which its requirement set asks for`]
}

/** Cases that there were none of when the claim was written say nothing of it. */
function unclaimedNotes({
  claimed,
  cases,
}: {
  readonly claimed: ClaimedSubject
  readonly cases: readonly RequiredCase[]
}): readonly string[] {
  const unclaimed = cases.filter(({ id }) => claimed.cases[id] === undefined).map(({ id }) => id)
  return unclaimed.length === 0 ? [] : [`${claimed.name}: not in the claim, and not judged: ${unclaimed.join(', ')}`]
}

/** What a claim says of the cassettes of a subject, and they do not, a sentence each. `cases`: those of the claim, as they are now. */
function cassetteDifferences({ name, cassettes }: ClaimedSubject, cases: readonly RequiredCase[]): readonly string[] {
  const played = cases.filter(({ report }) => report.origin !== undefined)
  const unlisted = played
    .map(({ report }) => `${report.scenario}.${report.mode}.yaml`)
    .filter((file) => cassettes.files[file] === undefined)
  const now = originFacts(played.map(({ report }) => report))
  const claimed = countOrigins(cassettes)
  // Where cases are gone, their cassettes are not seen; but none has an origin without a hash.
  const mayBeGone = played.length < claimed && claimed <= Object.keys(cassettes.files).length
  const isOther = mayBeGone ? hasMore(now, cassettes) : textOf(now) !== textOf(cassettes)
  return [
    ...unlisted.map((file) => `${name}: ${file} is played, and the claim has no hash of it`),
    ...(isOther ? [`${name}: the claim says of its cassettes ${textOf(cassettes)}; they are ${textOf(now)}`] : []),
  ]
}

/** Where some of the cases are gone, or break off before they are played, their cassettes are not seen. */
function hasMore(now: OriginFacts, then: OriginFacts): boolean {
  return Object.entries(now.origins).some(([kind, count]) => count > (then.origins[kind] ?? 0))
}

function textOf({ oldest, newest, ...facts }: OriginFacts): string {
  const mix = printOrigins(facts)
  const days = oldest === newest ? oldest : `${oldest} to ${newest}`
  return mix.length === 0 ? 'none' : `${mix.toSorted().join(', ')}, of ${days}`
}
