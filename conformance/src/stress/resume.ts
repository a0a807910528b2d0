import { openSearch } from './variant-search.ts'
import { playsAlike } from './same-requests.ts'
import type { Stressor } from './stressor.ts'

/** A run that is stored and taken up again goes on as if nothing had happened. */
export const resume: Stressor = {
  id: 'resume',
  sentence: 'A transcript that goes through JSON after any step gives the same remaining requests, byte by byte.',
  async run(stressCase) {
    const longest = Math.max(0, ...stressCase.evidence.runs.map(({ turns }) => turns.length))
    const search = openSearch(stressCase)
    for (let steps = 1; steps < longest; steps++) {
      if (!search.tries(String(steps))) continue
      const how = `when the run is stored after step ${steps} and resumed`
      search.found(String(steps), await playsAlike(stressCase, how, { interruptAfter: steps }))
    }
    return search.outcome('no run has a second step')
  },
}
