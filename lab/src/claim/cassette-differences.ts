import type { ClaimedSubject } from './claim-schema.ts'
import { countOrigins, originFacts, printOrigins, type OriginFacts } from '@steploop/conformance/cli'
import type { RequiredCase } from './required-cases.ts'

/** What a claim says of the cassettes of a subject, and they do not, a sentence each. `cases`: those of the claim, as they are now. */
export function cassetteDifferences(
  { name, cassettes }: ClaimedSubject,
  cases: readonly RequiredCase[],
): readonly string[] {
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
