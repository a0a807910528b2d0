import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { give } from '../structured-tool.ts'
import { noSyntheticTool, noWay, outputIs } from './structured.ts'
import { weatherReport } from '../scenario-parts/weather-report.ts'

export const structuredRepair: Scenario = {
  id: 'structured-repair',
  title: 'An object that is not valid is sent back once, and repaired; a second run gives up after that.',
  appliesTo: { requires: [noWay], stressors: { resume: 'Repairs count per run: a run that is resumed counts anew.' } },
  onlySimulated: 'a real model does not give an invalid object on demand',
  script: [
    give({ city: 'Zürich', celsius: 'sieben' }),
    give({ city: 'Zürich', celsius: 7 }),
    give({ answer: 'In 東京 sind es sieben Grad 🌡️.' }),
    give({ city: '東京' }),
  ],
  golden: `
    run 1
      step 1 stop
        text
      step 2 stop
        text
      completed answer
    run 2
      step 1 stop
        text
      step 2 stop
        text
      failed invalid-output
  `,
  async run({ run }) {
    await run('Wie warm ist es in Zürich?', { output: weatherReport })
    await run('Wie warm ist es in 東京?', { output: weatherReport })
  },
  checks: [
    counters({ requests: 2, executions: 0 }, { requests: 2, executions: 0 }),
    outputIs({ city: 'Zürich', celsius: 7 }),
    noSyntheticTool,
    {
      id: 'says-what-is-wrong',
      sentence: 'The model is told which member is wrong, and why.',
      judge: ({ runs }) => {
        const texts = runs[0]?.requests[1]?.view?.items.flatMap((item) =>
          item.type === 'user' || item.type === 'result' ? [item.text] : [],
        )
        const told = texts?.some((text) => text.includes('celsius') && text.includes('expected a number'))
        return unless(told !== false, `the model is told ${JSON.stringify(texts)}`, 'run 1, request 2')
      },
    },
  ],
}
