import type { Check } from '../../check.ts'
import type { Scenario } from '../../scenario.ts'
import type { Derivation } from '../../derivation.ts'

/** What differs from the scenario that a quirk is shown with; golden skeleton, run and checks are those of that scenario unless given. */
export interface WireQuirk
  extends Pick<Scenario, 'id' | 'title'>, Partial<Pick<Scenario, 'golden' | 'run' | 'checks' | 'mayLose'>> {
  /** Id of the scenario that it is shown with. */
  readonly of: string
  /** Who does it, as `scopesOf` names scopes. */
  readonly at: readonly string[]
  /** In words, with the heading of docs/wire.md that it comes from. */
  readonly recipe: string
  readonly change: Derivation['change']
  /** Stressors that say nothing about it, with the reason, beside those of the scenario. */
  readonly stressors?: Readonly<Record<string, string>> | undefined
  /** Checks beside those of the scenario. */
  readonly moreChecks?: readonly Check[] | undefined
}

/** Makes a quirk, the same conversation in other bytes: what real servers send and a tidy simulator does not. */
export function quirkOf(
  base: Scenario,
  { of: from, at: wires, recipe, change, stressors, moreChecks = [], ...own }: WireQuirk,
): Scenario {
  const appliesTo = { ...base.appliesTo, wires, stressors: { ...base.appliesTo?.stressors, ...stressors } }
  return { ...base, appliesTo, checks: [...base.checks, ...moreChecks], ...own, derived: { from, recipe, change } }
}
