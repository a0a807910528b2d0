import type { Mode, Transcript } from '@steploop/core'
import type { RunRecord } from '../../evidence.ts'
import { playScenario } from '../../play/play-scenario.ts'
import { stored, type ScenarioRunOptions } from '../../scenario.ts'
import { answer, call, say } from '../../script-parts.ts'
import type { ScriptedTurn } from '../../script.ts'
import type { Rejection } from '../../wires/simulate/wire-simulation.ts'
import type { Subject } from '../../subject.ts'
import { simulatedFetch } from '../../play/simulated-fetch.ts'

/** What is asked of the subject that takes over. */
export const handOverPrompt = 'Und wie ist es in Genève? 🏔️'

/** Script that calls a tool of its own before it answers, so that its ids stand beside those of the history. */
const script: readonly ScriptedTurn[] = [
  answer(call('get_weather', { city: 'Genève' })),
  answer(say('In Genève sind es auch 7 °C, sagt das 雲-Amt.')),
]

export interface ContinueOptions {
  readonly transcript: Transcript
  readonly subject: Subject
  readonly mode: Mode
  readonly deadline: number
  /** See `SimulatedFetchOptions`. */
  readonly knowsSignatures?: boolean | undefined
  /** Whether the subject is asked to think. */
  readonly thinks: boolean
}

export interface Continued {
  /** `undefined` when the scenario could not even begin. */
  readonly run: RunRecord | undefined
  readonly rejections: readonly Rejection[]
}

/** Continues a stored transcript with a new prompt, against the simulator of the subject's provider. Never rejects. */
export async function continueWith(options: ContinueOptions): Promise<Continued> {
  const { transcript, subject, mode, deadline, knowsSignatures } = options
  const earlierTurns = transcript.messages.filter(({ role }) => role === 'assistant').length
  const { fetch, rejections } = simulatedFetch({ subject, script, knowsSignatures, earlierTurns })
  const runOptions: ScenarioRunOptions = {
    // The whole history has to be in the body.
    continuation: 'off',
    maxRetries: 0,
    ...(options.thinks && { reasoning: 'medium' }),
  }
  const { runs } = await playScenario({
    subject,
    mode,
    deadline,
    fetch,
    scenario: {
      id: 'hand-over',
      title: 'A stored transcript goes on.',
      appliesTo: { requires: ['tools'] },
      script,
      golden: '',
      checks: [],
      async run({ run, tools }) {
        const { get_weather } = tools()
        await run({ transcript: stored(transcript), prompt: handOverPrompt }, { ...runOptions, tools: { get_weather } })
      },
    },
  })
  return { run: runs[0], rejections }
}
