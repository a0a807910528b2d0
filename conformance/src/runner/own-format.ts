import { existsSync } from 'node:fs'
import type { Mode } from '@steploop/core'
import { cassettePath } from '../cassette-path.ts'
import { onlySimulated } from '../recording/only-simulated.ts'
import type { Scenario } from '../scenario.ts'
import { simulatedWires } from '../simulator/wires.ts'
import type { Subject } from '../subject.ts'

/** Whether the suite can play the provider of a subject: not one with a wire format of its own. */
export function isSimulated({ wire }: Pick<Subject, 'wire'>): boolean {
  return simulatedWires.some((simulation) => simulation.wire === wire)
}

interface Case {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
}

/**
 * Why nobody can be asked for the cassette of a case: no real provider does on demand what it is about, and the suite does not speak the
 * wire format. Whoever has a simulator of that format can record it all the same; then it counts like every other.
 */
export function notRecordable({ subject, scenario, mode }: Case): string | undefined {
  if (isSimulated(subject) || existsSync(cassettePath(subject, scenario.id, mode))) return undefined
  const wanting = onlySimulated(scenario)
  if (wanting === undefined) return undefined
  return `${wanting}, and the simulator does not speak '${subject.wire}' (one of yours can: record --base-url URL --simulated)`
}
