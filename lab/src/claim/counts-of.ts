import type { Verdict } from '@steploop/conformance/cli'
import type { ClaimedSubject } from './claim-schema.ts'

/** Cases by verdict; verdicts that none has are left out. */
export function countsOf(cases: readonly { readonly verdict: Verdict }[]): ClaimedSubject['counts'] {
  const counts: ClaimedSubject['counts'] = {}
  for (const { verdict } of cases) counts[verdict] = (counts[verdict] ?? 0) + 1
  return counts
}
