import type { CaseReport, CheckReport } from '../report-schema.ts'
import { isUnexpected } from '../verdict.ts'

/** One check that fails in one way, and all cases in which it does. */
export interface FailureGroup {
  readonly check: CheckReport
  /** In the order of the report; the first one is the case of `check`. */
  readonly cases: readonly [CaseReport, ...CaseReport[]]
}

/**
 * What is unexpected, by check and by what is said of it: hundreds of red cases usually have few causes, and each of them has to be seen. The
 * group with most cases comes first.
 */
export function failureGroups(cases: readonly CaseReport[]): readonly FailureGroup[] {
  const groups = new Map<string, { check: CheckReport; cases: [CaseReport, ...CaseReport[]] }>()
  for (const one of cases) {
    for (const check of one.checks.filter(({ verdict }) => isUnexpected(verdict))) {
      const key = wayOf(check, one)
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { check, cases: [one] })
      else group.cases.push(one)
    }
  }
  return [...groups.values()].toSorted((left, right) => right.cases.length - left.cases.length)
}

/** What a failure says without what differs from case to case: names of the case, values, locations in a stream. */
function wayOf({ id, verdict, failures }: CheckReport, { subject, scenario }: CaseReport): string {
  const [first = '', ...more] = (failures[0]?.message ?? '').split('\n')
  const difference = more.find((line) => /^\s*([-+] |body|headers)/.test(line)) ?? ''
  const [sentence = ''] = first.split(/ at (?:byte|event|payload) \d/)
  const plain = [sentence, difference].map((text) =>
    text
      .replaceAll(/https?:\S+|[\w./-]+\.yaml/g, '*')
      .replaceAll(subject, '*')
      .replaceAll(scenario, '*')
      .replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '*')
      .replaceAll(/\[\d+\]/g, '')
      .replaceAll(/\{.*\}|\[.*\]/g, '*')
      .replaceAll(/\d+/g, '0'),
  )
  return [id, verdict, ...plain].join('\n')
}

export interface ReportedCase {
  readonly one: CaseReport
  /** Groups of which it is the first case. */
  readonly groups: readonly FailureGroup[]
}

/** Picks as many cases in full as wanted, which each tell something else, and the groups that are left. */
export function reportedCases(
  groups: readonly FailureGroup[],
  most: number,
): { readonly reported: readonly ReportedCase[]; readonly rest: readonly FailureGroup[] } {
  const byCase = [...Map.groupBy(groups, ({ cases: [first] }) => first)]
  return {
    reported: byCase.slice(0, most).map(([one, own]) => ({ one, groups: own })),
    rest: byCase.slice(most).flatMap(([, own]) => own),
  }
}

const named = 3

/** `79 cases like it: a, b, c and 76 more`; nothing for a case that is alone. */
export function othersOf({ cases: [, ...others] }: FailureGroup): string | undefined {
  if (others.length === 0) return undefined
  const first = others.slice(0, named).map(({ address }) => address)
  const more = others.length > named ? ` and ${others.length - named} more` : ''
  return `${others.length} ${others.length === 1 ? 'case' : 'cases'} like it: ${first.join(', ')}${more}`
}

/** `#rechunk 57 cases, #golden 2 cases`, those that fail most first; each case counts once for a check. */
export function sumsByCheck(groups: readonly FailureGroup[]): string {
  const byCheck = new Map<string, Set<CaseReport>>()
  for (const { check, cases } of groups) byCheck.set(check.id, new Set([...(byCheck.get(check.id) ?? []), ...cases]))
  return [...byCheck]
    .toSorted(([, left], [, right]) => right.size - left.size)
    .map(([id, { size }]) => `#${id} ${size} ${size === 1 ? 'case' : 'cases'}`)
    .join(', ')
}

const shortest = 160

/** The first line of what is said. */
export function briefly({ check: { failures } }: FailureGroup): string {
  const [line = ''] = (failures[0]?.message ?? '').split('\n')
  return line.length <= shortest ? line : `${line.slice(0, shortest)} …`
}
