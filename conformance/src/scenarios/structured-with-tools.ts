import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, call } from '../script-parts.ts'
import { give } from '../structured-tool.ts'
import { noSyntheticTool, outputIs } from './structured.ts'
import { weatherReport } from '../scenario-parts/weather-report.ts'

export const structuredWithTools: Scenario = {
  id: 'structured-with-tools',
  title: 'Tools first, the object last.',
  appliesTo: {
    requires: [
      'tools',
      (can) =>
        can('structured') && !can('structuredWithTools')
          ? 'the object cannot be asked for beside tools; `structured-apart` shows what is done instead'
          : undefined,
    ],
  },
  script: [answer(call('get_weather', { city: '東京' })), give({ city: '東京', celsius: 7 })],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"東京"} by loop
        result get_weather json
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wie warm ist es in 東京, von Zürich aus gesehen?', { tools: { get_weather }, output: weatherReport })
  },
  checks: [counters({ requests: 2, executions: 1 }), outputIs({ city: '東京', celsius: 7 }), noSyntheticTool],
}
