import type { Scenario } from '../scenario.ts'
import { counters, countsAnew, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

const limit = 60_000

export const totalTimeout: Scenario = {
  id: 'total-timeout',
  title: 'The time of the run is over while a tool hangs: the run ends at once, and can be continued.',
  appliesTo: { requires: ['tools'], stressors: { resume: countsAnew } },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('Die Uhr in 東京 hat nicht geantwortet ⏳.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      incomplete timeout
    run 2
      step 1 stop
        text
      completed answer
  `,
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather, get_time } = tools()
    const hanging = {
      ...get_time,
      execute() {
        clock.elapse(limit)
        return new Promise<never>(() => undefined)
      },
    }
    const options = { tools: { get_weather, get_time: hanging }, timeout: limit, toolTimeout: 0, clock }
    const first = await run('Wetter in Zürich, dann Zeit in 東京?', options)
    const transcript = first.result?.transcript
    if (transcript !== undefined) await run({ transcript, prompt: 'Und ohne die Uhr? ⏰' }, options)
  },
  checks: [counters({ requests: 2, executions: 1 }, { requests: 1, executions: 0 }), everyCallAnswered],
}
