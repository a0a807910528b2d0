import type { CaseReport } from '../report-schema.ts'

/** What one stressor did over all cases of one subject. */
interface Tried {
  readonly subject: string
  readonly stressor: string
  readonly reasons: Set<string>
  streams: number
  variants: number
}

/** Stressors that tried nothing over a subject. */
function idle(cases: readonly CaseReport[]): readonly Tried[] {
  const tried = new Map<string, Tried>()
  for (const { subject, checks } of cases) {
    for (const { id: stressor, streams = 0, variants, reason } of checks) {
      if (variants === undefined) continue
      const key = `${subject}#${stressor}`
      const sum = tried.get(key) ?? { subject, stressor, streams: 0, variants: 0, reasons: new Set() }
      tried.set(key, sum)
      sum.streams += streams
      sum.variants += variants
      if (reason !== undefined) sum.reasons.add(reason)
    }
  }
  return [...tried.values()].filter(({ variants }) => variants === 0)
}

/** A stressor that had streams of a subject to cut, and cut none of them: that it found nothing says nothing. */
export function untriedProblems(cases: readonly CaseReport[]): readonly string[] {
  return idle(cases)
    .filter(({ streams }) => streams > 0)
    .map(({ subject, stressor, streams, reasons }) => {
      const why = [...reasons].join('; ')
      return `${subject}#${stressor}: streams that nobody tried: ${streams}${why && ` (${why})`}. Let the adapter make one request a turn, so that it is known which response belongs to which turn.`
    })
}

/** Stressors that tried nothing over some subjects, one line each, with the reasons. */
export function idleLines(cases: readonly CaseReport[]): readonly string[] {
  const byStressor = Map.groupBy(idle(cases), ({ stressor }) => stressor)
  return [...byStressor].map(([stressor, all]) => {
    const subjects = all.map(({ subject }) => subject).join(', ')
    const reasons = new Set(all.flatMap((one) => [...one.reasons]))
    return `#${stressor} tried nothing (0 variants) over ${subjects}: ${[...reasons].join('; ')}`
  })
}
