import type { AdapterErrorCode } from '@steploop/core/adapter'
import { settleWithin } from '../deadline.ts'
import { described } from '../described.ts'
import { errorCode } from '../judge/trace/trace.ts'
import { PlainResponse } from '../play/plain-classes.ts'
import { canary } from '../play/play-scenario.ts'
import { simulatedFetch } from '../play/simulated-fetch.ts'
import type { ScriptedFailure } from '../script.ts'
import { ask } from './requests/request-form.ts'
import { eventsOf, streamOf } from './replay-turn.ts'
import type { StressCase } from './stressor.ts'
import type { VariantSearch } from './variant-search.ts'

type Failure = ScriptedFailure['failure']
type Location = NonNullable<ScriptedFailure['location']>

/** What the loop does about a failure depends on which it is. */
const codes: Readonly<Partial<Record<Failure, AdapterErrorCode>>> = {
  'context-overflow': 'context-overflow',
  'rate-limited': 'rate-limit',
  'insufficient-credit': 'insufficient-credit',
  overloaded: 'overloaded',
}
/** What else a failure could be taken for. */
const others: readonly Failure[] = ['bad-key', 'forbidden', 'unknown-model', 'bad-request', 'server-error']

/** Errors of a format that its author alone knows: what the simulator has a word for, in place of an answer and inside one. */
export async function ownErrors(stressCase: StressCase, search: VariantSearch): Promise<void> {
  const { mode, sweep, only, deadline } = stressCase
  for (const location of ['status', 'body'] as const) {
    const key = `errors ${mode} own ${location}`
    if (only === undefined && (sweep.seen.has(key) || !sweep.isFirst)) continue
    sweep.seen.add(key)
    const known = new Map<string, Failure[]>()
    const failed = new Map<Failure, Failed>()
    for (const failure of [...others, ...(Object.keys(codes) as Failure[])]) {
      const one = await settleWithin(deadline, 'the turn', failedWith(stressCase, failure, location))
      failed.set(failure, one)
      known.set(one.words, [...(known.get(one.words) ?? []), failure])
    }
    for (const [failure, { words, code, shown }] of failed) {
      const due = codes[failure]
      // What is worded like another failure cannot be told from it.
      if (due === undefined || known.get(words)?.length !== 1 || !search.tries(`${failure}-in-${location}`)) continue
      if (code !== due)
        search.found(`${failure}-in-${location}`, [
          { message: `\`${failure}\` is \`${code}\`, not \`${due}\`, for ${shown}` },
        ])
    }
  }
}

interface Failed {
  /** Status, and the words for programs: no name of a member, no sentence, no id. */
  readonly words: string
  readonly code: string | undefined
  readonly shown: string
}

async function failedWith({ subject, mode }: StressCase, failure: Failure, location: Location): Promise<Failed> {
  const simulated = simulatedFetch({ subject, script: [{ type: 'failure', failure, location }] })
  let words = ''
  let shown = 'nothing'
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await simulated.fetch(input, init)
    const body = new Uint8Array(await response.arrayBuffer())
    const text = Buffer.from(body).toString('latin1')
    const said = (text.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?|\b[45]\d\d\b/g) ?? []).filter((word) =>
      /^\d|^"[^\s\d]+"$/.test(word),
    )
    words = [String(response.status), ...new Set(said)].toSorted().join(' ')
    shown = `status ${response.status}\n  ${text.slice(-300)}`
    return new PlainResponse(streamOf({ chunks: [body] }), response)
  }
  const code = await eventsOf(
    subject.adapter({ fetch, apiKey: canary }).turn({ messages: [ask], turn: 0 }, { mode }),
  ).then(
    () => 'no error',
    (error: unknown) => errorCode(error) ?? described(error),
  )
  return { words, code, shown }
}
