import type { Scenario } from '../scenario.ts'
import { briefExcerpt } from '../scenario-parts/brief-excerpt.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'
import { typedFailure, waits } from '../scenario-parts/typed-failure.ts'

const broken = {
  type: 'breakage',
  breakage: 'broken-json',
  says: [say('Ich schaue noch in 東京 🗼 …'), call('get_weather', { city: '東京' })],
} as const

export const brokenJson: Scenario = {
  id: 'broken-json',
  title:
    'Something that is no JSON stands in the middle of an answer: asked again, and no call of such an answer runs.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    broken,
    answer(say('In Zürich sind es 7 °C ☀️.')),
    answer(call('get_weather', { city: 'Zürich' })),
    broken,
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
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      failed turn-failed from malformed-response
  `,
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather } = tools()
    await run('Wetter in Zürich?', { tools: { get_weather }, clock })
    await run('Und in 東京?', { tools: { get_weather }, clock, maxRetries: 0 })
  },
  checks: [
    counters({ requests: 3, executions: 1 }, { requests: 2, executions: 1 }),
    typedFailure({ run: 2, code: 'malformed-response', worded: false }),
    waits('The loop waits before it asks again.', (waited) => waited.length === 1 && (waited[0] ?? 0) > 0),
    briefExcerpt('{', 2),
    everyCallAnswered,
  ],
}
