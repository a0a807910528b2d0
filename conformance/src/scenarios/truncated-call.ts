import type { Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const truncatedCall: Scenario = {
  id: 'truncated-call',
  title: 'The token limit is reached in the middle of a call: it is answered, not run, and the model tries again.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over':
        'Other providers take arguments that are no JSON as an empty object, which the comparison of histories does not know.',
    },
  },
  mayLose: ['messages', 'assistant'],
  script: [
    {
      ...answer(say('Moment 🕰️'), { type: 'call', toolName: 'get_weather', input: {}, inputText: '{"city":"Zür' }),
      finish: 'length',
    },
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️.')),
  ],
  golden: `
    run 1
      step 1 length
        text
        call get_weather truncated by loop
        result get_weather error truncated-call
      step 2 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich, dann in 東京?', { tools: { get_weather }, maxOutputTokens: 64 })
  },
  checks: [counters({ requests: 3, executions: 1 }), everyCallAnswered],
}
