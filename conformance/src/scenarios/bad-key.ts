import { AdapterError, LoopError } from '@steploop/core'
import type { Check } from '../check.ts'
import { unless } from '../check.ts'
import { allRequests } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'

const refusals: ReadonlySet<number | undefined> = new Set([400, 401, 403])

const typed: Check = {
  id: 'typed-with-provider-message',
  sentence: 'The cause is an AdapterError `authentication` with a 4xx status and the provider’s own message.',
  judge: ({ runs }) => {
    const error = runs[0]?.error
    if (!LoopError.isInstance(error)) return [{ message: 'the run did not reject with a LoopError', where: 'run 1' }]
    const cause = error.cause
    if (!AdapterError.isInstance(cause))
      return [{ message: 'the cause of the LoopError is no AdapterError', where: 'run 1' }]
    // A transport without HTTP has no status.
    const isHttp = runs[0]?.requests[0]?.method === 'POST'
    return [
      ...unless(cause.code === 'authentication', `the code is '${cause.code}'`, 'run 1'),
      // 401 at most providers; Google answers 400 with the reason API_KEY_INVALID.
      ...unless(!isHttp || refusals.has(cause.status), `the status is ${cause.status}`, 'run 1'),
      ...unless((cause.providerMessage ?? '') !== '', 'the provider’s message is lost', 'run 1'),
    ]
  },
}

const notRetried: Check = {
  id: 'not-retried',
  sentence: 'A refused key is not tried again.',
  judge: (evidence) => {
    const count = allRequests(evidence).length
    return unless(count === 1, `${count} requests were made; asking again with a refused key cannot help`)
  },
}

export const badKey: Scenario = {
  id: 'bad-key',
  title: 'The provider refuses the key.',
  script: [{ type: 'failure', failure: 'bad-key' }],
  golden: `
    run 1
      failed turn-failed from authentication
  `,
  async run({ run }) {
    await run('Grüezi, 東京! 👋')
  },
  checks: [typed, notRetried],
}
