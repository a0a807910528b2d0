import type { Scenario } from '../scenario.ts'
import { callsAre, resultsHold } from '../scenario-parts/call-triples.ts'
import { answer, call, say } from '../script-parts.ts'

const calls = [
  { toolName: 'get_weather', input: { city: 'Zürich' } },
  { toolName: 'get_time', input: { tz: 'Asia/Tokyo' } },
]

export const parallelCalls: Scenario = {
  id: 'parallel-calls',
  title: 'Two different tools in one turn; the second finishes first.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(...calls.map(({ toolName, input }) => call(toolName, input))),
    answer(say('Zürich: 7 °C ☀️. 東京: 12:34 Uhr.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_weather json
        result get_time text
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather, get_time } = tools({ order: [1, 0] })
    await run('Wetter in Zürich und Zeit in 東京?', { tools: { get_weather, get_time } })
  },
  checks: [
    {
      id: 'triples',
      sentence: 'Each call has its own id, name and input.',
      judge: ({ runs }) => callsAre(runs[0], 0, calls),
    },
    {
      id: 'pairs-by-id',
      sentence: 'Each result belongs to its own call, whichever finished first.',
      judge: ({ runs }) => resultsHold(runs[0], 0, ['Zürich', 'Asia/Tokyo']),
    },
  ],
}
