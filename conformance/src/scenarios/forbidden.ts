import type { Scenario } from '../scenario.ts'
import { notRetried, typedFailure } from '../scenario-parts/typed-failure.ts'

export const forbidden: Scenario = {
  id: 'forbidden',
  title: 'The key is good, but not for this.',
  script: [{ type: 'failure', failure: 'forbidden' }],
  golden: `
    run 1
      failed turn-failed from permission
  `,
  async run({ run }) {
    await run('Grüezi aus Zürich, 東京! 🚧')
  },
  checks: [typedFailure({ code: 'permission' }), notRetried],
}
