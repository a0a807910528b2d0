import type { Scenario } from '../scenario.ts'
import { notRetried, typedFailure } from '../scenario-parts/typed-failure.ts'

export const unknownModel: Scenario = {
  id: 'unknown-model',
  title: 'The provider does not know the model.',
  script: [{ type: 'failure', failure: 'unknown-model' }],
  golden: `
    run 1
      failed turn-failed from not-found
  `,
  async run({ run }) {
    await run('Kennt mich in Zürich oder 東京 jemand? 🔎')
  },
  checks: [typedFailure({ code: 'not-found' }), notRetried],
}
