import { costOf } from '@steploop/conformance/cli'
import type { Usage } from '@steploop/core'
import type { RecordedCase, RecordingOutcome } from './record-all.ts'
import { leftOutLines, type RecordingPlan } from './record-plan.ts'
import { countOf } from './record-words.ts'

/** What was recorded and what it took. The files are named again after an interruption, where nothing else may be left to read. */
export function printSummary({ recorded, stops, isInterrupted }: RecordingOutcome, plan: RecordingPlan): string {
  const written = recorded.filter(({ status }) => status === 'written')
  const of = (status: RecordedCase['status']): number => recorded.filter((one) => one.status === status).length
  const counts = [`${written.length} written`, `${of('unchanged')} unchanged`, `${of('refused')} refused`]
  const others = (['account-failure', 'unreachable', 'out-of-requests', 'interrupted'] as const)
    .filter((status) => of(status) > 0)
    .map((status) => `${of(status)} ${status}`)
  const left = plan.cases.length - recorded.length
  return [
    ...(isInterrupted
      ? ['interrupted: cassettes that are not named here are as they were', ...written.map(({ file }) => `  ${file}`)]
      : []),
    ...stops,
    [...counts, ...others, ...(left > 0 ? [`${left} not begun`] : []), ...leftOutLines(plan)].join(', '),
    spentLine(recorded),
  ].join('\n')
}

function spentLine(recorded: readonly RecordedCase[]): string {
  const requests = recorded.reduce((sum, one) => sum + one.requests, 0)
  const tokens = (count: keyof Usage): number => recorded.reduce((sum, { usage }) => sum + (usage?.[count] ?? 0), 0)
  const input = tokens('inputTokens').toLocaleString('en-US')
  const output = tokens('outputTokens').toLocaleString('en-US')
  return `${countOf(requests, 'request')}, ${input} input and ${output} output tokens, ${costWords(recorded)}`
}

/** What a simulator says costs nothing. */
function costWords(recorded: readonly RecordedCase[]): string {
  const billed = recorded.filter(({ planned: { from } }) => from === 'simulator' || from.origin === 'live')
  const live = billed.filter(({ planned: { from } }) => from !== 'simulator')
  if (live.length === 0) return billed.length === 0 ? 'cost unknown' : 'no cost'
  const sums = new Map<string, number>()
  for (const { planned, usage } of live) {
    const { prices } = planned.subject
    if (prices === undefined || usage === undefined) continue
    const currency = prices.currency ?? 'USD'
    sums.set(currency, (sums.get(currency) ?? 0) + costOf(usage, prices))
  }
  const unpriced = new Set(
    live.filter(({ planned }) => planned.subject.prices === undefined).map(({ planned }) => planned.subject.name),
  )
  const known = [...sums].map(([currency, sum]) => `about ${sum.toFixed(4)} ${currency}`)
  const unknown = unpriced.size === 0 ? [] : [`cost unknown (no prices for ${[...unpriced].join(', ')})`]
  return [...known, ...unknown].join(', ') || 'cost unknown (no usage)'
}
