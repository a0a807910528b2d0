import type { Scenario } from '../scenario.ts'
import { callsAre, resultsHold } from '../scenario-parts/call-triples.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

const calls = ['Zürich', '東京', 'São Paulo'].map((city) => ({ toolName: 'get_weather', input: { city } }))

export const tooManyCalls: Scenario = {
  id: 'too-many-calls',
  title: 'More calls in one turn than a step may run: the excess is answered, not run.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(...calls.map(({ toolName, input }) => call(toolName, input))),
    answer(say('Zürich und 東京: 7 °C ☀️. São Paulo blieb offen.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        call get_weather {"city":"東京"} by loop
        call get_weather {"city":"São Paulo"} by loop
        result get_weather json
        result get_weather json
        result get_weather error too-many-calls
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich, 東京 und São Paulo? 🌍', { tools: { get_weather }, maxToolCallsPerStep: 2 })
  },
  checks: [
    counters({ requests: 2, executions: 2 }),
    everyCallAnswered,
    {
      id: 'triples',
      sentence: 'The calls that are not run stay in the step, with their own ids and inputs.',
      judge: ({ runs }) => callsAre(runs[0], 0, calls),
    },
    {
      id: 'excess-is-told',
      sentence: 'The excess is the last call, and its answer says how many calls a step runs.',
      judge: ({ runs }) => resultsHold(runs[0], 0, ['Zürich', '東京', 'At most 2']),
    },
  ],
}
