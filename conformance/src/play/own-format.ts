import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Mode } from '@steploop/core'
import { cassettePath } from '../cassette-path.ts'
import { headOf } from './head-of.ts'
import { onlySimulated } from './only-simulated.ts'
import { refusalOf } from './refused-mark.ts'
import type { Scenario } from '../scenario.ts'
import { wireKit } from '../wires/index.ts'
import type { Subject } from '../subject.ts'

/** Whether the provider of a subject can be played: by the suite, or by a simulator that the subject brings. */
export function isSimulated({ wire, simulate }: Pick<Subject, 'wire' | 'simulate'>): boolean {
  return simulate !== undefined || wireKit(wire)?.simulation !== undefined
}

interface Case {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
}

/**
 * Why nobody can be asked for the cassette of a case: no real provider does on demand what it is about, and the suite does not speak the
 * wire format. Whoever has a simulator of that format, as other cassettes show, or a recording that was refused, can be asked all the same.
 */
export function notRecordable({ subject, scenario, mode }: Case): string | undefined {
  const path = cassettePath(subject, scenario.id, mode)
  if (isSimulated(subject) || existsSync(path)) return undefined
  const wanting = onlySimulated(scenario)
  if (wanting === undefined || refusalOf(path) !== undefined || hasSimulated(dirname(path))) return undefined
  return `${wanting}, and the simulator does not speak '${subject.wire}' (one of yours can: give the subject a \`simulate\`)`
}

/** Whether a folder holds a cassette that a simulator gave. */
function hasSimulated(folder: string): boolean {
  if (!existsSync(folder)) return false
  return readdirSync(folder).some(
    (name) => name.endsWith('.yaml') && /^ +kind: "?simulated"?$/m.test(headOf(join(folder, name), 1024)),
  )
}
