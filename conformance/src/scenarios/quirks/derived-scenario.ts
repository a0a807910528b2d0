import type { Derivation } from '../../wires/derive-cassette.ts'
import type { Scenario } from '../../scenario.ts'

/** What differs from the scenario that a quirk is shown with; golden skeleton, run and checks are those of the base unless given. */
export interface WireQuirk
  extends Pick<Scenario, 'id' | 'title'>, Partial<Pick<Scenario, 'golden' | 'run' | 'checks' | 'mayLose'>> {
  /** Who does it, as `placesOf` names places. */
  readonly at: readonly string[]
  /** In words, with the heading of docs/wire.md that it comes from. */
  readonly recipe: string
  readonly change: Derivation['change']
}

/** The same conversation in other bytes: what real servers send and a tidy simulator does not. */
export function quirkOf(base: Scenario, { recipe, change, ...own }: WireQuirk): Scenario {
  return { ...base, ...own, derived: { from: base.id, recipe, change } }
}
