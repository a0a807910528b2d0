import { streamedSteps } from './answers.ts'
import type { Contestant } from './contestants/contestant.ts'
import { median } from './measure.ts'
import { scriptedFetch } from './scripted-fetch.ts'

const steps = 10

/**
 * Milliseconds from the last byte of a streamed turn to the next request, in the median: everything between, the tool among it, which
 * answers at once.
 */
export async function measureGap(contestant: Contestant, rounds: number): Promise<number> {
  const gaps: number[] = []
  const fetch = scriptedFetch(streamedSteps(steps), { stream: true, onGap: (ms) => gaps.push(ms) })
  const run = contestant.prepare({ fetch, stream: true, maxSteps: steps + 1 })
  for (let round = 0; round < rounds * 2; round++) {
    // The first half warms up.
    if (round === rounds) gaps.length = 0
    await run()
  }
  return median(gaps)
}
