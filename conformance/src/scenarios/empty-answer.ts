import { retryEmpty } from '@steploop/core/policies'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const emptyAnswer: Scenario = {
  id: 'empty-answer',
  title: 'Neither text nor calls: the run ends; with the policy it is asked once more, never after tools ran.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over':
        'An empty answer leaves nothing between results and the next question, which Mistral’s order of roles refuses.',
      resume: 'The policy looks at the steps of its run, and a run that is resumed has none.',
    },
  },
  script: [
    answer(),
    answer(),
    answer(say('Grüezi aus Zürich und 東京 👋')),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(),
  ],
  golden: `
    run 1
      step 1 stop
      completed answer
    run 2
      step 1 stop
      step 2 stop
        text
      completed answer
    run 3
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 stop
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    const policies = [retryEmpty()]
    await run('Sag etwas zu Zürich 🏔️', { tools: { get_weather } })
    await run('Sag etwas zu Zürich 🏔️', { tools: { get_weather }, policies })
    await run('Wetter in Zürich?', { tools: { get_weather }, policies })
  },
  checks: [counters({ requests: 1, executions: 0 }, { requests: 2, executions: 0 }, { requests: 2, executions: 1 })],
}
