import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const fallback: Scenario = {
  id: 'fallback',
  title: 'The first model is overloaded in the middle of a run: the second takes over, with the whole conversation.',
  appliesTo: {
    requires: ['tools'],
    stressors: { truncate: 'The other model takes over after a cut, too, so the run does not fail.' },
  },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    { type: 'failure', failure: 'overloaded' },
    answer(call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('Zürich: 7 °C ☀️. 東京: 12:34 Uhr.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 tool-calls
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_time text
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools, another }) {
    const { get_weather, get_time } = tools()
    await run('Wetter in Zürich, Zeit in 東京?', {
      tools: { get_weather, get_time },
      fallbacks: [another()],
      maxRetries: 0,
    })
  },
  checks: [
    counters({ requests: 4, executions: 2 }),
    {
      id: 'said-once',
      sentence: 'One warning says which model failed, why, and which took over.',
      judge: ({ runs }) => {
        const told = (runs[0]?.result?.warnings ?? []).filter(({ path }) => path === 'model')
        const said = told.map(({ message }) => message).join('\n')
        return unless(
          told.length === 1 && said.includes('overloaded'),
          `the warnings are ${JSON.stringify(said)}`,
          'run 1',
        )
      },
    },
  ],
}
