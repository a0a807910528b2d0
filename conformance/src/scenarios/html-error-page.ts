import type { Scenario } from '../scenario.ts'
import { briefExcerpt } from '../scenario-parts/brief-excerpt.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'
import { typedFailure, waits } from '../scenario-parts/typed-failure.ts'

export const htmlErrorPage: Scenario = {
  id: 'html-error-page',
  title: 'A gateway answers with a page for people: asked again, then told apart by its status.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    { type: 'breakage', breakage: 'html-page' },
    answer(say('In Zürich sind es 7 °C ☀️.')),
    { type: 'breakage', breakage: 'html-page' },
    { type: 'breakage', breakage: 'html-page', status: 200 },
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
      failed turn-failed from server-error
    run 3
      failed turn-failed from malformed-response
  `,
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather } = tools()
    await run('Wetter in Zürich?', { tools: { get_weather }, clock })
    await run('Und in 東京?', { tools: { get_weather }, clock, maxRetries: 0 })
    await run('Und in 大阪?', { tools: { get_weather }, clock, maxRetries: 0 })
  },
  checks: [
    counters({ requests: 3, executions: 1 }, { requests: 1, executions: 0 }, { requests: 1, executions: 0 }),
    typedFailure({ run: 2, code: 'server-error', worded: false }),
    waits('The loop waits before it asks again.', (waited) => waited.length === 1 && (waited[0] ?? 0) > 0),
    briefExcerpt('<!doctype html>', 2, 3),
    everyCallAnswered,
  ],
}
