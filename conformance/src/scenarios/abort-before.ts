import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, say } from '../script-parts.ts'

export const abortBefore: Scenario = {
  id: 'abort-before',
  title: 'A signal that is aborted already: nothing is asked.',
  script: [answer(say('Grüezi aus Zürich 👋'))],
  golden: `
    run 1
      step 1 stop
        text
      completed answer
    run 2
      failed aborted from Error
  `,
  async run({ run }) {
    await run('Sag Grüezi aus Zürich.')
    await run('Und aus 東京?', { abortSignal: AbortSignal.abort(new Error('the caller has left 🚪')) })
  },
  checks: [counters({ requests: 1, executions: 0 }, { requests: 0, executions: 0 })],
}
