import type { Scenario } from '../scenario.ts'
import { notRetried, typedFailure } from '../scenario-parts/typed-failure.ts'

export const badRequest: Scenario = {
  id: 'bad-request',
  title: 'The provider refuses the request as it stands.',
  script: [{ type: 'failure', failure: 'bad-request' }],
  golden: `
    run 1
      failed turn-failed from bad-request
  `,
  async run({ run }) {
    await run('Stimmt in Zürich oder 東京 etwas nicht? 🧩')
  },
  checks: [typedFailure({ code: 'bad-request' }), notRetried],
}
