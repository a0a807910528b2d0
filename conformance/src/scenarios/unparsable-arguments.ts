import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const unparsableArguments: Scenario = {
  id: 'unparsable-arguments',
  title:
    'Arguments that are no JSON: the tool does not run, the model corrects itself, the broken turn can be replayed.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over':
        'Other providers take arguments that are no JSON as an empty object, which the comparison of histories does not know.',
    },
  },
  mayLose: ['messages', 'assistant'],
  script: [
    answer({ type: 'call', toolName: 'get_weather', input: {}, inputText: '{"city": Zürich ☀️}' }),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather unparsable by loop
        result get_weather error unparsable-input
      step 2 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich, dann in 東京?', { tools: { get_weather } })
  },
  checks: [
    counters({ requests: 3, executions: 1 }),
    everyCallAnswered,
    {
      id: 'shows-what-came',
      sentence: 'The model is shown what it wrote.',
      judge: ({ runs }) => {
        const text = JSON.stringify(runs[0]?.result?.steps[0]?.toolResults[0]?.output ?? null)
        return unless(text.includes('Zürich ☀️'), `the model is told ${text}`, 'run 1, step 1')
      },
    },
  ],
}
