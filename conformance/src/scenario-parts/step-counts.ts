import type { Check } from '../check.ts'
import { unless } from '../check.ts'

/** As many requests and steps as the script has turns. */
export function stepCounts(count: number): Check {
  return {
    id: 'step-counts',
    sentence: `The run takes ${count} requests and gives ${count} steps.`,
    judge: ({ runs }) => {
      const requests = runs[0]?.requests.length ?? 0
      const steps = runs[0]?.result?.steps.length ?? 0
      return [
        ...unless(requests === count, `${requests} requests were made instead of ${count}`, 'run 1'),
        ...unless(steps === count, `the result has ${steps} steps instead of ${count}`, 'run 1'),
      ]
    },
  }
}
