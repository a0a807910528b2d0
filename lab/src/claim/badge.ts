import type { Claim } from './claim-schema.ts'
import type { ClaimVerification } from './compare-claim.ts'

/** What a badge service fetches; the schema of https://shields.io/badges/endpoint-badge. */
export interface Badge {
  readonly schemaVersion: 1
  readonly label: string
  /** Never empty. */
  readonly message: string
  readonly color: string
  /** Keeps a link from painting it in another colour. */
  readonly isError?: true | undefined
}

/** Origins whose bytes were made by a program that imitates a server. What is derived counts like what it was derived from. */
const imitations: ReadonlySet<string> = new Set(['simulated'])

/**
 * The badge of a claim that was repeated. Red when it does not hold, yellow with known failures, green when it holds on cassettes of which
 * some or all are simulated, on those of local servers alone (which say nothing of a hosted provider), on none, or on scenarios that the
 * config has picked, bright green when it holds on real ones and all scenarios. The message says which.
 */
export function badgeOf({ claim, holds, subjects }: ClaimVerification): Badge {
  const label = 'steploop'
  if (!holds) return { schemaVersion: 1, label, message: 'claim does not hold', color: 'red', isError: true }
  const count = (verdict: 'pass' | 'known-failure'): number =>
    subjects.reduce((sum, { counts }) => sum + (counts[verdict] ?? 0), 0)
  const known = count('known-failure')
  const limits = [pickedScenarios(claim), recordedHow(claim)].filter((words) => words !== undefined)
  const words = [
    claim.requirements.date,
    `${count('pass')} pass`,
    ...(known === 0 ? [] : [`${known} known ${known === 1 ? 'failure' : 'failures'}`]),
    ...limits,
  ]
  const holding = limits.length === 0 ? 'brightgreen' : 'green'
  return { schemaVersion: 1, label, message: words.join(', '), color: known > 0 ? 'yellow' : holding }
}

/** Said when no subject ran all of the suite: another endpoint of a provider, which another subject tests whole, says nothing. */
function pickedScenarios({ subjects }: Claim): string | undefined {
  if (subjects.some(({ scenarios }) => scenarios === undefined)) return undefined
  const picked = new Set(subjects.flatMap(({ scenarios = [] }) => scenarios)).size
  return `${picked} ${picked === 1 ? 'scenario' : 'scenarios'} only`
}

/** What has to be said of the cassettes; nothing when all are real. */
function recordedHow({ subjects }: Claim): string | undefined {
  const kinds = new Set(subjects.flatMap(({ cassettes }) => Object.keys(cassettes.origins)))
  const sources = [...kinds].filter((kind) => kind !== 'derived')
  if (sources.length === 0) return 'no recordings'
  const simulated = sources.filter((kind) => imitations.has(kind))
  if (simulated.length === 0) return sources.includes('local') ? 'local servers' : undefined
  return simulated.length === sources.length ? 'simulated' : 'partly simulated'
}
