import type { Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'
import { typedFailure, waits } from '../scenario-parts/typed-failure.ts'

const before = { type: 'breakage', breakage: 'reset' } as const
const halfway = { ...before, says: [say('In 東京 🗼 ist es …'), call('get_weather', { city: '東京' })] } as const

/** A stream that breaks off lacks its end; a body that breaks off is a broken connection and nothing else. */
const golden = (cause: string): string => `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 stop
        text
      completed answer
    run 2
      failed turn-failed from connection
    run 3
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      failed turn-failed from ${cause}
  `

export const connectionReset: Scenario = {
  id: 'connection-reset',
  title:
    'The connection breaks before an answer, and in the middle of one: asked again, and no call of half an answer runs.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    before,
    halfway,
    answer(say('In Zürich sind es 7 °C ☀️.')),
    before,
    answer(call('get_weather', { city: 'Zürich' })),
    halfway,
  ],
  golden: { generate: golden('connection'), stream: golden('incomplete-stream') },
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather } = tools()
    await run('Wetter in Zürich?', { tools: { get_weather }, clock })
    await run('Und in 東京?', { tools: { get_weather }, clock, maxRetries: 0 })
    await run('Und jetzt?', { tools: { get_weather }, clock, maxRetries: 0 })
  },
  checks: [
    counters({ requests: 4, executions: 1 }, { requests: 1, executions: 0 }, { requests: 2, executions: 1 }),
    typedFailure({ run: 2, code: 'connection', worded: false }),
    waits(
      'The loop waits before each further attempt.',
      (waited) => waited.length === 2 && waited.every((ms) => ms > 0),
    ),
    everyCallAnswered,
  ],
}
