import type { ClaimedSubject } from './claim-schema.ts'
import type { RequiredCase } from './required-cases.ts'

export type OriginFacts = Pick<ClaimedSubject['cassettes'], 'origins' | 'oldest' | 'newest'>

/** How the cassettes were made that the cases were played from, and when. */
export function originFacts(cases: readonly RequiredCase[]): OriginFacts {
  const found = cases.flatMap(({ report }) => report.origin ?? [])
  const origins: Record<string, number> = {}
  for (const { kind } of found) origins[kind] = (origins[kind] ?? 0) + 1
  const dates = found.map(({ date }) => date.slice(0, 10)).toSorted()
  const [oldest] = dates
  const newest = dates.at(-1)
  return { origins, ...(oldest !== undefined && { oldest }), ...(newest !== undefined && { newest }) }
}

/** How many cassettes there were. */
export function countOrigins({ origins }: Pick<OriginFacts, 'origins'>): number {
  return Object.values(origins).reduce((sum, count) => sum + count, 0)
}
