import {
  badToolsAreContained,
  contentDecides,
  everyCallAnswered,
  neverTwice,
  ownershipIsExplicit,
  truncatedNeverRuns,
  type Check,
} from './check-calls.ts'
import { anotherModelMayTakeOver, continuationIsSafe, retriesAreRight } from './check-models.ts'
import { limitsHold, oneBuilder, settlesAtOnce, suspendedRunsAreData, usageAddsUp } from './check-run.ts'
import { middlewareSeesAll } from './check-middleware.ts'
import type { Observation } from './observation.ts'

/** The invariants of the loop, by their number in the design. */
const invariants: Readonly<Record<number, Check>> = {
  1: contentDecides,
  2: truncatedNeverRuns,
  3: everyCallAnswered,
  4: neverTwice,
  5: badToolsAreContained,
  6: settlesAtOnce,
  7: oneBuilder,
  8: limitsHold,
  9: ownershipIsExplicit,
  10: suspendedRunsAreData,
  11: continuationIsSafe,
  12: usageAddsUp,
  13: retriesAreRight,
  14: anotherModelMayTakeOver,
}

/** What is looked at beside them, by its name. */
export const checks: Readonly<Record<string, Check>> = { ...invariants, middleware: middlewareSeesAll }

/** What an observation breaks: a line each, with the number of the invariant. */
export function violations(observation: Observation): readonly string[] {
  return Object.entries(checks).flatMap(([number, check]) =>
    check(observation).map((problem) => `invariant ${number}: ${problem}`),
  )
}
