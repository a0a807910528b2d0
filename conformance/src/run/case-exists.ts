import type { Capabilities, Mode } from '@steploop/core'
import { scopesOf } from '../wires/any-format/scopes.ts'
import type { Scenario } from '../scenario.ts'
import type { Subject } from '../subject.ts'
import { holdsIn } from '../judge/applicability.ts'
import { canary } from '../play/play-scenario.ts'

/**
 * Whether there is such a case at all. A quirk of a wire format is no case for the others, and what an adapter does without a capability
 * is none where it has it: unlike `notApplicable`, nothing is missing there, so reports say nothing of it.
 */
export function existsFor(scenario: Scenario, subject: Subject, mode: Mode): boolean {
  if (subject.scenarios !== undefined && !subject.scenarios.includes(scenario.id)) return false
  const { wires, without } = scenario.appliesTo ?? {}
  const scopes = scopesOf(subject).flatMap((scope) => [scope, `${scope}/${mode}`])
  if (wires !== undefined && !scopes.some((scope) => wires.includes(scope))) {
    return false
  }
  if (without === undefined) return true
  const capabilities = capabilitiesOf(subject)
  return capabilities !== undefined && !without.some((feature) => holdsIn(capabilities[feature], mode))
}

/** `undefined` for a subject that gives no adapter; its other cases say so. */
function capabilitiesOf(subject: Subject): Capabilities | undefined {
  try {
    return subject.adapter({ apiKey: canary }).capabilities
  } catch {
    return undefined
  }
}
