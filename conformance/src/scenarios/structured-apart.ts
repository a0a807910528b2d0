import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'
import { give } from '../structured-tool.ts'
import { noSyntheticTool, outputIs } from './structured.ts'
import { weatherReport } from '../scenario-parts/weather-report.ts'

export const structuredApart: Scenario = {
  id: 'structured-apart',
  title: 'Where the object cannot be asked for beside tools: once they are done, one more turn without them gives it.',
  appliesTo: {
    requires: [
      'tools',
      'structured',
      (can) =>
        can('structuredWithTools')
          ? 'the object is asked for beside tools: `structured-with-tools` shows it'
          : undefined,
    ],
  },
  script: [
    answer(call('get_weather', { city: '東京' })),
    answer(say('In 東京 sind es 7 °C ☀️.')),
    give({ city: '東京', celsius: 7 }),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"東京"} by loop
        result get_weather json
      step 2 stop
        text
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wie warm ist es in 東京, von Zürich aus gesehen?', { tools: { get_weather }, output: weatherReport })
  },
  checks: [
    counters({ requests: 3, executions: 1 }),
    outputIs({ city: '東京', celsius: 7 }),
    noSyntheticTool,
    {
      id: 'asked-for-apart',
      sentence: 'Only the last request asks for the object, and only it has no tools.',
      judge: ({ runs }) =>
        (runs[0]?.requests ?? []).flatMap(({ view }, index) => {
          const request = runs[0]?.turns[index]?.request
          const isLast = index === 2
          const where = `run 1, request ${index + 1}`
          const offered = view === undefined ? request?.tools !== undefined : view.tools.length > 0
          return [
            ...unless(
              (request?.responseFormat !== undefined) === isLast,
              'the object is asked for at the wrong time',
              where,
            ),
            ...unless(offered !== isLast, `the request ${offered ? 'has' : 'lacks'} tools`, where),
          ]
        }),
    },
  ],
}
