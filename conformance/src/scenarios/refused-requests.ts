import { AdapterError, LoopError, type AdapterErrorCode } from '@steploop/core'
import { unless, type Check } from '../check.ts'
import { asks } from '../scenario-parts/asks.ts'
import { notRetried, typedFailure } from '../scenario-parts/typed-failure.ts'
import type { Scenario } from '../scenario.ts'
import type { ScriptedFailure } from '../script.ts'

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

const badKey: Scenario = {
  id: 'bad-key',
  title: 'The provider refuses the key.',
  script: [{ type: 'failure', failure: 'bad-key' }],
  golden: `
    failed turn-failed from authentication
  `,
  run: asks('Grüezi, 東京! 👋'),
  checks: [typed, notRetried],
}

type Refused = Exclude<ScriptedFailure['failure'], 'bad-key'>

/** A request that is refused as it stands: the run fails with the code, and nothing is asked again. */
function refused(failure: Refused, code: AdapterErrorCode, title: string, prompt: string): Scenario {
  return {
    id: failure,
    title,
    script: [{ type: 'failure', failure }],
    golden: `
    run 1
      failed turn-failed from ${code}
  `,
    run: asks(prompt),
    checks: [typedFailure({ code }), notRetried],
  }
}

export const refusedRequestsScenarios: readonly Scenario[] = [
  badKey,
  refused('forbidden', 'permission', 'The key is good, but not for this.', 'Grüezi aus Zürich, 東京! 🚧'),
  refused(
    'unknown-model',
    'not-found',
    'The provider does not know the model.',
    'Kennt mich in Zürich oder 東京 jemand? 🔎',
  ),
  refused(
    'bad-request',
    'bad-request',
    'The provider refuses the request as it stands.',
    'Stimmt in Zürich oder 東京 etwas nicht? 🧩',
  ),
  refused(
    'context-overflow',
    'context-overflow',
    'The conversation is longer than the model can read.',
    'Alles über Zürich und 東京 📚',
  ),
]
