import type { Scenario } from '../scenario.ts'
import { counters, countsAnew, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call } from '../script-parts.ts'

export const maxStepsIncomplete: Scenario = {
  id: 'max-steps-incomplete',
  title: 'The calls of the request after the last batch are answered, not run, and the run ends as incomplete.',
  appliesTo: { requires: ['tools', 'parallel'], stressors: { resume: countsAnew } },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_weather', { city: '東京' }), call('get_time', { tz: 'Asia/Tokyo' })),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 tool-calls
        call get_weather {"city":"東京"} by loop
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_weather error limit-reached
        result get_time error limit-reached
      incomplete max-steps
  `,
  async run({ run, tools }) {
    const { get_weather, get_time } = tools()
    await run('Wetter und Zeit in Zürich und 東京?', {
      tools: { get_weather, get_time },
      maxSteps: 1,
      onLimit: 'incomplete',
    })
  },
  checks: [counters({ requests: 2, executions: 1 }), everyCallAnswered],
}
