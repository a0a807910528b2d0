import type { Scenario } from '../scenario.ts'
import { counters, countsAnew, everyCallAnswered, finalizesWithoutTools } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const maxStepsFinalize: Scenario = {
  id: 'max-steps-finalize',
  title: 'After its last batch of calls the model is asked once more, without tools, and answers.',
  appliesTo: { requires: ['tools'], stressors: { resume: countsAnew } },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_weather', { city: '東京' })),
    answer(say('Zürich und 東京 haben 7 °C ☀️; weiter kam ich nicht.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 tool-calls
        call get_weather {"city":"東京"} by loop
        result get_weather json
      step 3 stop
        text
      completed max-steps
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich, 東京 und São Paulo?', { tools: { get_weather }, maxSteps: 2 })
  },
  checks: [counters({ requests: 3, executions: 2 }), finalizesWithoutTools, everyCallAnswered],
}
