import type { AdapterErrorCode } from '@steploop/core'
import type { Check } from '../check.ts'
import { asksInTurn } from '../scenario-parts/asks.ts'
import { briefExcerpt } from '../scenario-parts/brief-excerpt.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { typedFailure, waits, waitsOnce } from '../scenario-parts/typed-failure.ts'
import type { Scenario } from '../scenario.ts'
import type { ScriptedTurn } from '../script.ts'
import { answer, call, say } from '../script-parts.ts'

/** Milliseconds that simulated providers ask for, each in its own words; a subject whose provider asks for none says so. */
const asked = 1000

const said = say('In Zürich sind es 7 °C ☀️.')

interface PassingFailure {
  readonly id: string
  readonly title: string
  /** What the provider answers instead of a turn. */
  readonly failure: ScriptedTurn
  /** What it is for the caller. */
  readonly code: AdapterErrorCode
  /** The provider says something that has to be kept. Default true. */
  readonly worded?: boolean | undefined
  /** How often the second run tries again before it gives up. Default 0. */
  readonly maxRetries?: number | undefined
  /** How long the first run waits. Default: as long as it likes. */
  readonly waited?: Check | undefined
  /** Checks beside those that hold for every such failure. */
  readonly checks?: readonly Check[] | undefined
}

/** A failure that passes: after a tool ran the turn is asked for again, and without retries the run fails with its code. */
function passingFailure(passing: PassingFailure): Scenario {
  const { id, title, failure, code, worded, maxRetries = 0, waited = waitsOnce, checks = [] } = passing
  const givenUp = Array.from({ length: maxRetries + 1 }, () => failure)
  return {
    id,
    title,
    appliesTo: { requires: ['tools'] },
    script: [answer(call('get_weather', { city: 'Zürich' })), failure, answer(said), ...givenUp],
    golden: `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      step 2 stop: text
      completed answer
    run 2
      failed turn-failed from ${code}
  `,
    run: asksInTurn(['Wetter in Zürich?'], ['Und in 東京?', { maxRetries }]),
    checks: [
      counters({ requests: 3, executions: 1 }, { requests: maxRetries + 1, executions: 0 }),
      typedFailure({ run: 2, code, worded }),
      waited,
      ...checks,
    ],
  }
}

const rateLimited = passingFailure({
  id: 'rate-limited',
  title: 'The provider asks for a pause: it is kept, and the run goes on; in the end the loop gives up.',
  failure: { type: 'failure', failure: 'rate-limited' },
  code: 'rate-limit',
  maxRetries: 2,
  waited: waits('The loop waits as long as the provider says.', (waited) => waited.join() === String(asked)),
})

const overloaded = passingFailure({
  id: 'overloaded',
  title: 'The provider is overloaded for a moment: the turn is asked for again, no tool runs again.',
  failure: { type: 'failure', failure: 'overloaded' },
  code: 'overloaded',
})

const serverError = passingFailure({
  id: 'server-error',
  title: 'The provider fails for a moment: the turn is asked for again, no tool runs again.',
  failure: { type: 'failure', failure: 'server-error' },
  code: 'server-error',
})

const before = { type: 'breakage', breakage: 'reset' } as const
const halfway = { ...before, says: [say('In 東京 🗼 ist es …'), call('get_weather', { city: '東京' })] } as const

/** A stream that breaks off lacks its end; a body that breaks off is a broken connection and nothing else. */
const golden = (cause: string): string => `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      step 2 stop: text
      completed answer
    run 2
      failed turn-failed from connection
    run 3
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      failed turn-failed from ${cause}
  `

const connectionReset: Scenario = {
  id: 'connection-reset',
  title:
    'The connection breaks before an answer, and in the middle of one: asked again, and no call of half an answer runs.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    before,
    halfway,
    answer(said),
    before,
    answer(call('get_weather', { city: 'Zürich' })),
    halfway,
  ],
  golden: { generate: golden('connection'), stream: golden('incomplete-stream') },
  run: asksInTurn(['Wetter in Zürich?'], ['Und in 東京?', { maxRetries: 0 }], ['Und jetzt?', { maxRetries: 0 }]),
  checks: [
    counters({ requests: 4, executions: 1 }, { requests: 1, executions: 0 }, { requests: 2, executions: 1 }),
    typedFailure({ run: 2, code: 'connection', worded: false }),
    waits(
      'The loop waits before each further attempt.',
      (waited) => waited.length === 2 && waited.every((ms) => ms > 0),
    ),
    everyCallAnswered,
  ],
}

const htmlErrorPage: Scenario = {
  id: 'html-error-page',
  title: 'A gateway answers with a page for people: asked again, then distinguished by its status.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    { type: 'breakage', breakage: 'html-page' },
    answer(said),
    { type: 'breakage', breakage: 'html-page' },
    { type: 'breakage', breakage: 'html-page', status: 200 },
  ],
  golden: `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      step 2 stop: text
      completed answer
    run 2
      failed turn-failed from server-error
    run 3
      failed turn-failed from malformed-response
  `,
  run: asksInTurn(['Wetter in Zürich?'], ['Und in 東京?', { maxRetries: 0 }], ['Und in 大阪?', { maxRetries: 0 }]),
  checks: [
    counters({ requests: 3, executions: 1 }, { requests: 1, executions: 0 }, { requests: 1, executions: 0 }),
    typedFailure({ run: 2, code: 'server-error', worded: false }),
    waitsOnce,
    briefExcerpt('<!doctype html>', 2, 3),
    everyCallAnswered,
  ],
}

const emptyBody = passingFailure({
  id: 'empty-body',
  title: 'The status says 200, and nothing follows: asked again, and no empty success.',
  failure: { type: 'breakage', breakage: 'empty-body' },
  code: 'empty-response',
  worded: false,
  checks: [everyCallAnswered],
})

export const passingFailuresScenarios: readonly Scenario[] = [
  rateLimited,
  overloaded,
  serverError,
  connectionReset,
  htmlErrorPage,
  emptyBody,
]
