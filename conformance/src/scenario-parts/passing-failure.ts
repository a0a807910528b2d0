import type { AdapterErrorCode } from '@steploop/core'
import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import type { ScriptedTurn } from '../script.ts'
import { counters } from './run-counters.ts'
import { answer, call, say } from '../script-parts.ts'
import { typedFailure, waits } from './typed-failure.ts'

export interface PassingFailure {
  readonly id: string
  readonly title: string
  /** What the provider answers instead of a turn. */
  readonly failure: ScriptedTurn
  /** What it is for the caller. */
  readonly code: AdapterErrorCode
  /** The provider says something that has to be kept. Default true. */
  readonly worded?: boolean | undefined
  /** Beside those that hold for every such failure. */
  readonly checks?: readonly Check[] | undefined
}

/** A failure that passes: after a tool ran the turn is asked for again, and without retries the run fails with its code. */
export function passingFailure({ id, title, failure, code, worded, checks = [] }: PassingFailure): Scenario {
  return {
    id,
    title,
    appliesTo: { requires: ['tools'] },
    script: [
      answer(call('get_weather', { city: 'Zürich' })),
      failure,
      answer(say('In Zürich sind es 7 °C ☀️.')),
      failure,
    ],
    golden: `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      step 2 stop: text
      completed answer
    run 2
      failed turn-failed from ${code}
  `,
    async run({ run, tools, clock: staged }) {
      const clock = staged()
      const { get_weather } = tools()
      await run('Wetter in Zürich?', { tools: { get_weather }, clock })
      await run('Und in 東京?', { tools: { get_weather }, clock, maxRetries: 0 })
    },
    checks: [
      counters({ requests: 3, executions: 1 }, { requests: 1, executions: 0 }),
      typedFailure({ run: 2, code, worded }),
      waits('The loop waits before it asks again.', (waited) => waited.length === 1 && (waited[0] ?? 0) > 0),
      ...checks,
    ],
  }
}
