import type { Scenario } from '../scenario.ts'
import { notRetried, typedFailure } from '../scenario-parts/typed-failure.ts'

export const contextOverflow: Scenario = {
  id: 'context-overflow',
  title: 'The conversation is longer than the model can read.',
  script: [{ type: 'failure', failure: 'context-overflow' }],
  golden: `
    run 1
      failed turn-failed from context-overflow
  `,
  async run({ run }) {
    await run('Alles über Zürich und 東京 📚')
  },
  checks: [typedFailure({ code: 'context-overflow' }), notRetried],
}
