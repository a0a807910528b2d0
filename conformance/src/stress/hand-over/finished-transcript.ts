import { existsSync } from 'node:fs'
import { readCassette } from '@steploop/cassette'
import type { Mode, Transcript } from '@steploop/core'
import { cassettePath } from '../../cassette-path.ts'
import { replayFetch } from '../../play/front-ends.ts'
import { playScenario } from '../../play/play-scenario.ts'
import type { Scenario } from '../../scenario.ts'
import type { Subject } from '../../subject.ts'
import { simulatedFetch } from '../../play/simulated-fetch.ts'

export interface FinishedTranscript {
  readonly transcript: Transcript
  /** True when the simulator made the answers, so that it knows their signatures. */
  readonly simulated: boolean
}

/**
 * The transcript that the loop returns for a scenario: from the subject's cassette, or, where it has none, from its provider's simulator.
 *
 * @throws Error when the run does not end with an answer
 */
export async function finishedTranscript(
  subject: Subject,
  scenario: Scenario,
  mode: Mode,
): Promise<FinishedTranscript> {
  const path = cassettePath(subject, scenario.id, mode)
  const cassette = existsSync(path) ? readCassette(path) : undefined
  const { fetch } =
    cassette === undefined ? simulatedFetch({ subject, script: scenario.script }) : replayFetch(cassette, path)
  const { runs, stopped } = await playScenario({ subject, scenario, mode, deadline: 10_000, fetch })
  const last = runs.at(-1)
  if (last?.result?.status === 'completed') {
    return {
      transcript: last.result.transcript,
      simulated: (cassette?.header.origin.kind ?? 'simulated') === 'simulated',
    }
  }
  const message = `${subject.name}/${scenario.id}/${mode} does not end with an answer, so there is nothing to hand over`
  throw new Error(message, { cause: last?.error ?? stopped })
}
