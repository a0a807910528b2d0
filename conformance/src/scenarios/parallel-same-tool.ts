import type { Scenario } from '../scenario.ts'
import { callsAre, resultsHold } from '../scenario-parts/call-triples.ts'
import { answer, call, say } from '../script-parts.ts'

const cities = ['Zürich', '東京', 'São Paulo']

export const parallelSameTool: Scenario = {
  id: 'parallel-same-tool',
  title: 'Three calls of one tool in one turn, finishing in another order.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(...cities.map((city) => call('get_weather', { city }))),
    answer(say('Überall 7 °C: Zürich ☀️, 東京 ☀️, São Paulo ☀️.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        call get_weather {"city":"東京"} by loop
        call get_weather {"city":"São Paulo"} by loop
        result get_weather json
        result get_weather json
        result get_weather json
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools({ order: [2, 0, 1] })
    await run('Vergleiche das Wetter in Zürich, 東京 und São Paulo.', { tools: { get_weather } })
  },
  checks: [
    {
      id: 'triples',
      sentence: 'Each call has its own id, name and input.',
      judge: ({ runs }) =>
        callsAre(
          runs[0],
          0,
          cities.map((city) => ({ toolName: 'get_weather', input: { city } })),
        ),
    },
    {
      id: 'pairs-by-id',
      sentence: 'Each result belongs to its own call, although all have the same tool name.',
      judge: ({ runs }) => resultsHold(runs[0], 0, cities),
    },
  ],
}
