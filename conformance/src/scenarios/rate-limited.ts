import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'
import { typedFailure, waits } from '../scenario-parts/typed-failure.ts'

/** Milliseconds that simulated providers ask for, each in its own words; a subject whose provider asks for none says so. */
const asked = 1000

export const rateLimited: Scenario = {
  id: 'rate-limited',
  title: 'The provider asks for a pause: it is kept, and the run goes on; in the end the loop gives up.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    { type: 'failure', failure: 'rate-limited' },
    answer(say('In Zürich sind es 7 °C ☀️.')),
    { type: 'failure', failure: 'rate-limited' },
    { type: 'failure', failure: 'rate-limited' },
    { type: 'failure', failure: 'rate-limited' },
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
      failed turn-failed from rate-limit
  `,
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather } = tools()
    await run('Wetter in Zürich?', { tools: { get_weather }, clock })
    await run('Und in 東京?', { tools: { get_weather }, clock, maxRetries: 2 })
  },
  checks: [
    counters({ requests: 3, executions: 1 }, { requests: 3, executions: 0 }),
    typedFailure({ run: 2, code: 'rate-limit' }),
    waits('The loop waits as long as the provider says.', (waited) => waited.join() === String(asked)),
  ],
}
