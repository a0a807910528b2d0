import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, say } from '../script-parts.ts'

const text = 'In Zürich sind es 7 °C, und in 東京 🗼'

export const lengthLimit: Scenario = {
  id: 'length-limit',
  title: 'An answer that the token limit cuts is kept, and named for what it is.',
  script: [{ ...answer(say(text)), finish: 'length' }],
  golden: `
    run 1
      step 1 length
        text
      completed length
  `,
  async run({ run }) {
    await run('Wetter in Zürich und 東京?', { maxOutputTokens: 32 })
  },
  checks: [
    counters({ requests: 1, executions: 0 }),
    {
      id: 'text-kept',
      isOfScript: true,
      sentence: 'The text up to the limit is there.',
      judge: ({ runs }) =>
        unless(runs[0]?.result?.text === text, `the text is ${JSON.stringify(runs[0]?.result?.text)}`, 'run 1'),
    },
  ],
}
