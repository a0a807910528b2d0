import { errorText } from '../../../src/wire/error-text.ts'
import { LoopError } from '../../../src/contract/errors.ts'
import { judgedIsExecuted, oneDecisionOneExecution } from './check-decisions.ts'
import { continuationFits, historyIsTheLoops, noCallIsLost } from './check-history.ts'
import { policiesMeanTheirNames } from './check-policies.ts'
import {
  forgedTranscriptsAreRefused,
  honestTranscriptsAreTaken,
  keysAreForOneCall,
  resumingGoesOn,
} from './check-resuming.ts'
import type { DecisionObservation } from './play.ts'
import { perRun, type Check, type Problem } from './views.ts'

/** Every run settles, with a result or a `LoopError`; options are refused only where they are wrong. */
const settles: Check = (observation) => {
  const { draw, refused } = observation
  const odd = draw.tools.some(({ approval }) => approval === 'odd')
  if (refused !== undefined && !(odd && LoopError.isInstance(refused)))
    return [{ kind: 'right options were refused', detail: errorText(refused) }]
  return perRun(({ hung, outcome }) => {
    if (hung) return [{ kind: 'a run hung', detail: '' }]
    if (outcome.type !== 'error' || LoopError.isInstance(outcome.error)) return []
    return [{ kind: 'a run rejected with another error', detail: errorText(outcome.error) }]
  })(observation)
}

/** What holds for everything that decides, by name. */
export const decisionChecks = {
  judgedIsExecuted,
  oneDecisionOneExecution,
  historyIsTheLoops,
  noCallIsLost,
  keysAreForOneCall,
  resumingGoesOn,
  forgedTranscriptsAreRefused,
  honestTranscriptsAreTaken,
  continuationFits,
  policiesMeanTheirNames,
  settles,
} satisfies Readonly<Record<string, Check>>

export interface Found extends Problem {
  readonly invariant: string
}

export function problemsOf(observation: DecisionObservation): readonly Found[] {
  const history = historyIsTheLoops(observation)
  const written = history.filter(({ kind }) => kind.endsWith('others wrote'))
  // Whatever else there is to see then follows from it.
  if (written.length > 0) return written.map((problem) => ({ invariant: 'historyIsTheLoops', ...problem }))
  return Object.entries(decisionChecks).flatMap(([invariant, check]) => {
    const problems = check === historyIsTheLoops ? history : check(observation)
    return problems.map((problem) => ({ invariant, ...problem }))
  })
}
