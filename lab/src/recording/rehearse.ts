import type { Mode } from '@steploop/core'
import type { Scenario, Subject } from '@steploop/conformance'
import type { SentRequest } from '@steploop/conformance/cli'
import { playRecorded } from './play-recorded.ts'

export interface RehearseOptions {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
}

/**
 * Plays a scenario against the simulator, and gives the requests in the order in which its script answered them. `undefined` when the
 * simulator does not speak the wire format, or refused a request.
 */
export async function rehearse(options: RehearseOptions): Promise<readonly SentRequest[] | undefined> {
  const { evidence, rejections } = await playRecorded({ ...options, from: 'simulator', deadline: 20_000 })
  return rejections.length > 0 ? undefined : evidence.runs.flatMap(({ requests }) => requests)
}
