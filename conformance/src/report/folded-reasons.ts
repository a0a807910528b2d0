import type { CaseReport } from '../report-schema.ts'

interface Reason {
  readonly one: CaseReport
  /** What several adapters have in common, such as that they declare no such capability. */
  readonly general: string
  /** The rest, such as where its provider says so. */
  readonly special: string
}

/** Why cases do not apply: a line for each reason with the number of cases, those with most first. */
export function reasonLines(cases: readonly CaseReport[]): readonly string[] {
  const reasons = cases.flatMap((one): Reason[] => {
    if (one.verdict !== 'not-applicable' || one.reason === undefined) return []
    const [general = '', ...special] = one.reason.replace(` in ${one.mode} mode`, '').split(': ')
    return [{ one, general, special: special.join(': ') }]
  })
  const groups = [...Map.groupBy(reasons, ({ general }) => general)].map(([general, all]) => ({
    general,
    all,
    specials: new Set(all.map(({ special }) => special)),
  }))
  const lines = groups.toSorted((left, right) => right.all.length - left.all.length).map(lineOf)
  const isShort = groups.some(({ specials }) => specials.size > 1)
  return isShort ? [...lines, 'What each provider says of it: --only, --json or --html tell.'] : lines
}

function lineOf({
  general,
  all,
  specials,
}: {
  general: string
  all: readonly Reason[]
  specials: Set<string>
}): string {
  const scenarios = briefly(all.map(({ one }) => one.scenario))
  const subjects = briefly(all.map(({ one }) => one.subject))
  const [special = ''] = specials.size === 1 ? specials : []
  const count = `${all.length} ${all.length === 1 ? 'case' : 'cases'}`
  return `${scenarios} (${count} of ${subjects}): ${general}${special && `: ${special}`}`
}

const named = 3

function briefly(all: readonly string[]): string {
  const names = [...new Set(all)]
  // The last one takes no more room than to say that there is one more.
  if (names.length <= named + 1) return names.join(', ')
  return `${names.slice(0, named).join(', ')} and ${names.length - named} more`
}
