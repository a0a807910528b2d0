import { AdapterError, type AdapterErrorCode } from '@steploop/core/adapter'
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
const place: Readonly<Record<Location, string>> = { status: 'of the simulator', body: 'inside its answers' }
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
    for (const { isWhole, shown } of failed.values()) {
      if (isWhole && search.tries(`words-in-${location}`))
        search.found(`words-in-${location}`, [{ message: `\`providerMessage\` is the whole body for ${shown}` }])
    }
    // What is worded like another failure cannot be told from it.
    const apart = [...failed].filter(([failure, { words }]) => failure in codes && known.get(words)?.length === 1)
    if (apart.length === 0) search.idle(`own-in-${location}`, `no failure ${place[location]} has words of its own`)
    for (const [failure, { code, shown }] of apart) {
      const due = codes[failure]
      if (!search.tries(`${failure}-in-${location}`)) continue
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
  /** What was said for people was not taken out of what is for programs. */
  readonly isWhole: boolean
}

async function failedWith({ subject, mode }: StressCase, failure: Failure, location: Location): Promise<Failed> {
  const simulated = simulatedFetch({ subject, script: [{ type: 'failure', failure, location }] })
  let status = 0
  let text = ''
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await simulated.fetch(input, init)
    const body = new Uint8Array(await response.arrayBuffer())
    status = response.status
    text = Buffer.from(body).toString('latin1')
    return new PlainResponse(streamOf({ chunks: [body] }), response)
  }
  const adapter = subject.adapter({ fetch, apiKey: canary })
  const error: unknown = await eventsOf(adapter.turn({ messages: [ask], turn: 0 }, { mode })).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const message = AdapterError.isInstance(error) ? (error.providerMessage ?? '') : ''
  return {
    words: [String(status), ...new Set(wordsOf(text, message))].toSorted().join(' '),
    code: error === undefined ? 'no error' : (errorCode(error) ?? described(error)),
    shown: `status ${status}\n  ${text.slice(-300)}`,
    isWhole: /^[[{<]/.test(message) && message === text.trim(),
  }
}

/** @param message what the adapter takes for the sentence */
function wordsOf(text: string, message: string): readonly string[] {
  const quoted = text.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?|\b[45]\d\d\b/g) ?? []
  const said = quoted.filter((word) => /^\d|^"[^\s\d]+"$/.test(word))
  if (said.length > 0 || /"\s*:/.test(text)) return said
  // What is no JSON does not say where its words are, but in the sentence they are not.
  const sentence = new Set(split(message))
  return split(text).filter((word) => !sentence.has(word) && !/\d/.test(word))
}

/** By all that is in no word, escapes as well. */
function split(text: string): readonly string[] {
  return text.split(/(?:\\.|%\w\w|[^\w-])+/)
}
