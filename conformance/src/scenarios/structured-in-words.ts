import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, say } from '../script-parts.ts'
import { give } from '../structured-tool.ts'
import { noSyntheticTool, outputIs } from './structured.ts'
import { weatherReport } from '../scenario-parts/weather-report.ts'

export const structuredInWords: Scenario = {
  id: 'structured-in-words',
  title: 'The model answers in words where an object is asked for: it is told so once, and gives the object.',
  appliesTo: {
    requires: ['structured'],
    stressors: { resume: 'Repairs count per run: a run that is resumed counts anew.' },
  },
  script: [answer(say('In Zürich sind es sieben Grad 🌡️, in 東京 auch.')), give({ city: 'Zürich', celsius: 7 })],
  golden: `
    run 1
      step 1 stop
        text
      step 2 stop
        text
      completed answer
  `,
  async run({ run }) {
    await run('Wie warm ist es in Zürich?', { output: weatherReport })
  },
  checks: [
    counters({ requests: 2, executions: 0 }),
    outputIs({ city: 'Zürich', celsius: 7 }),
    noSyntheticTool,
    {
      id: 'says-what-is-wrong',
      sentence: 'After its words the model is told that a JSON object was asked for.',
      judge: ({ runs }) => {
        const asked = runs[0]?.requests[1]?.view?.items.at(-1)
        const told = asked === undefined || (asked.type === 'user' && asked.text.includes('JSON'))
        return unless(told, `the conversation ends with ${JSON.stringify(asked)}`, 'run 1, request 2')
      },
    },
  ],
}
