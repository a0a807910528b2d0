import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { give } from '../structured-tool.ts'
import { noSyntheticTool, noWay, outputIs } from './structured.ts'
import { weatherReport } from '../scenario-parts/weather-report.ts'

export const structuredThinking: Scenario = {
  id: 'structured-thinking',
  title: 'An object of a model that thinks: such models refuse to be forced to call (docs/wire.md#anthropic-messages).',
  appliesTo: { requires: ['reasoning', noWay] },
  script: [give({ city: 'Zürich', celsius: 7 })],
  golden: `
    run 1
      step 1 stop
        text
      completed answer
  `,
  async run({ run }) {
    await run('Wie warm ist es in Zürich, verglichen mit 東京? 🤔', { output: weatherReport, reasoning: 'low' })
  },
  checks: [
    counters({ requests: 1, executions: 0 }),
    outputIs({ city: 'Zürich', celsius: 7 }),
    noSyntheticTool,
    {
      id: 'nothing-forced',
      sentence: 'The request forces no call, by whatever tool the object is asked for.',
      judge: ({ runs }) => {
        const choice = runs[0]?.turns[0]?.request.toolChoice
        const free = choice === undefined || choice === 'auto' || choice === 'none'
        return unless(free, `the tool choice is ${JSON.stringify(choice)}`, 'run 1, request 1')
      },
    },
  ],
}
