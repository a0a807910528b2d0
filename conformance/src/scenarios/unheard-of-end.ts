import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'
import { counters } from '../scenario-parts/run-counters.ts'

export const unheardOfEnd: Scenario = {
  id: 'unheard-of-end',
  title:
    'The answer ends for a reason that nobody knows yet: `unknown`, with the provider’s own word, and nothing is lost.',
  script: [{ ...answer(say('Bis hierher und nicht weiter, Zürich wie 東京 🧱.')), finish: 'unheard-of' }],
  golden: `
    run 1
      step 1 unknown
        text
      completed answer
  `,
  async run({ run }) {
    await run('Wie weit geht es in Zürich und 東京?')
  },
  checks: [
    counters({ requests: 1, executions: 0 }),
    {
      id: 'raw-reason-kept',
      sentence: 'The provider’s own word for it is kept.',
      judge: ({ runs }) => {
        const raw = runs[0]?.result?.steps[0]?.rawFinishReason ?? ''
        return unless(raw !== '', 'the raw finish reason is lost', 'run 1, step 1')
      },
    },
  ],
}
