import type { Scenario } from '../scenario.ts'
import { counters } from './run-counters.ts'
import { answer, call, say } from './script-parts.ts'
import { typedFailure, waits } from './typed-failure.ts'

export const overloaded: Scenario = {
  id: 'overloaded',
  title: 'The provider is overloaded for a moment: the turn is asked for again, no tool runs again.',
  needs: ['tools'],
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    { type: 'failure', failure: 'overloaded' },
    answer(say('In Zürich sind es 7 °C ☀️.')),
    { type: 'failure', failure: 'overloaded' },
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 stop
        text
      completed answer
    run 2
      failed turn-failed from overloaded
  `,
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather } = tools()
    await run('Wetter in Zürich?', { tools: { get_weather }, clock })
    await run('Und in 東京?', { tools: { get_weather }, clock, maxRetries: 0 })
  },
  checks: [
    counters({ requests: 3, executions: 1 }, { requests: 1, executions: 0 }),
    typedFailure({ run: 2, code: 'overloaded' }),
    waits('The loop waits before it asks again.', (waited) => waited.length === 1 && (waited[0] ?? 0) > 0),
  ],
}
