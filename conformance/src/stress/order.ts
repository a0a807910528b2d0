import type { Evidence } from '../evidence.ts'
import { openSearch } from './variant-search.ts'
import { playsAlike } from './same-requests.ts'
import type { Stressor } from './stressor.ts'

const mostCalls = 4

/** Tools finish when they like; the history must not show it. */
export const order: Stressor = {
  id: 'order',
  sentence: 'Whatever order parallel tools finish in, the next request is the same, byte by byte.',
  async run(stressCase) {
    const orders = permutations(parallelCalls(stressCase.evidence))
    const search = openSearch(stressCase)
    for (const finishing of orders) {
      const numbers = finishing.map((call) => call + 1)
      const variant = numbers.join('-')
      if (!search.tries(variant)) continue
      const how = `when the calls finish in the order ${numbers.join(', ')}`
      search.found(variant, await playsAlike(stressCase, how, { hold: { order: finishing } }))
    }
    return search.outcome('no calls of a first step run side by side')
  },
}

/** How many calls of the first step ran side by side; only a first batch can be held. */
function parallelCalls({ runs }: Evidence): number {
  const step = runs[0]?.result?.steps[0]
  const ids = new Set(runs[0]?.executions.map(({ toolCallId }) => toolCallId))
  const calls = step?.toolCalls.filter(({ toolCallId }) => ids.has(toolCallId)).length ?? 0
  return calls > 1 && calls <= mostCalls ? calls : 0
}

function permutations(count: number): readonly (readonly number[])[] {
  if (count === 0) return []
  let orders: number[][] = [[]]
  for (let call = 0; call < count; call++) {
    orders = orders.flatMap((known) =>
      Array.from({ length: known.length + 1 }, (_, at) => known.toSpliced(at, 0, call)),
    )
  }
  return orders
}
