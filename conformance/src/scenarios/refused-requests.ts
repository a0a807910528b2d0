import { AdapterError, LoopError } from '@steploop/core'
import { unless, type Check } from '../check.ts'
import { allRequests } from '../evidence.ts'
import { notRetried, typedFailure } from '../scenario-parts/typed-failure.ts'
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

const keyNotRetried: Check = {
  id: 'not-retried',
  sentence: 'A refused key is not tried again.',
  judge: (evidence) => {
    const count = allRequests(evidence).length
    return unless(count === 1, `${count} requests were made; asking again with a refused key cannot help`)
  },
}

const badKey: Scenario = {
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
  checks: [typed, keyNotRetried],
}

const forbidden: Scenario = {
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

const unknownModel: Scenario = {
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

const badRequest: Scenario = {
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

const contextOverflow: Scenario = {
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

export const refusedRequestsScenarios: readonly Scenario[] = [
  badKey,
  forbidden,
  unknownModel,
  badRequest,
  contextOverflow,
]
