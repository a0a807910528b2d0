import type { Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call } from '../script-parts.ts'
import { typedFailure } from '../scenario-parts/typed-failure.ts'

export const errorIn200: Scenario = {
  id: 'error-in-200',
  title: 'The status says 200, the body is an error: it fails like its twin with a status.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    { type: 'failure', failure: 'server-error', place: 'body' },
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      failed turn-failed from server-error
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich, dann in 東京? ⛈️', { tools: { get_weather }, maxRetries: 0 })
  },
  checks: [counters({ requests: 2, executions: 1 }), typedFailure({ code: 'server-error' }), everyCallAnswered],
}
