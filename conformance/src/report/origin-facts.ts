import type { CaseReport } from '../report-schema.ts'

export interface OriginFacts {
  /** How many cassettes came from where, by kind of origin: `live`, `local`, `simulated`, `imported`, `derived`. */
  readonly origins: Record<string, number>
  /** The servers that `local` ones are from, each with its version. */
  readonly servers?: string[] | undefined
  /** Days on which the first and the last one were recorded, `YYYY-MM-DD`. */
  readonly oldest?: string | undefined
  readonly newest?: string | undefined
}

/** How the cassettes were made that the cases were played from, and when. */
export function originFacts(cases: readonly Pick<CaseReport, 'origin'>[]): OriginFacts {
  const found = cases.flatMap(({ origin }) => origin ?? [])
  const origins: Record<string, number> = {}
  for (const { kind } of found) origins[kind] = (origins[kind] ?? 0) + 1
  const dates = found.map(({ date }) => date.slice(0, 10)).toSorted()
  const [oldest] = dates
  const newest = dates.at(-1)
  const servers = [...new Set(found.flatMap(({ server }) => server ?? []))].toSorted()
  const known = servers.length > 0 && { servers }
  return { origins, ...known, ...(oldest !== undefined && { oldest }), ...(newest !== undefined && { newest }) }
}

/** `57 simulated`, `12 local (llama-server 0.7.0)`: each kind of evidence by itself. */
export function printOrigins({ origins, servers }: Pick<OriginFacts, 'origins' | 'servers'>): readonly string[] {
  return Object.entries(origins).map(([kind, count]) => {
    return kind === 'local' && servers !== undefined ? `${count} local (${servers.join(', ')})` : `${count} ${kind}`
  })
}

/** How many cassettes there were. */
export function countOrigins({ origins }: Pick<OriginFacts, 'origins'>): number {
  return Object.values(origins).reduce((sum, count) => sum + count, 0)
}
