import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from './run-counters.ts'
import { answer, say } from './script-parts.ts'
import { give } from './structured-tool.ts'
import { noSyntheticTool, outputIs } from './structured.ts'
import { weatherReport } from './weather-report.ts'

const words = 'In Zürich sind es sieben Grad 🌡️, in 東京 auch.'

export const structuredInWords: Scenario = {
  id: 'structured-in-words',
  title: 'The model answers in words where an object is asked for: it is told so once, and gives the object.',
  needs: ['structured'],
  notUnder: { resume: 'Repairs count per run: a run that is resumed counts anew.' },
  script: [answer(say(words)), give({ city: 'Zürich', celsius: 7 })],
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
      id: 'words-kept',
      sentence: 'The words stay in the conversation, and the model is asked for the object after them.',
      judge: ({ runs }) => {
        const items = runs[0]?.requests[1]?.view?.items ?? []
        const said = items.map((item) => (item.type === 'text' ? item.text : '')).join('')
        const asked = items.at(-1)
        const where = 'run 1, request 2'
        if (items.length === 0) return []
        return [
          ...unless(said === words, `the model’s words are '${said}'`, where),
          ...unless(
            asked?.type === 'user' && asked.text.includes('JSON'),
            `the end is ${JSON.stringify(asked)}`,
            where,
          ),
        ]
      },
    },
  ],
}
