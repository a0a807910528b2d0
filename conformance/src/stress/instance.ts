import type { Adapter, TurnEvent } from '@steploop/core/adapter'
import { settleWithin } from '../deadline.ts'
import { described } from '../described.ts'
import { factsOf } from '../play/observe-fetch.ts'
import { PlainResponse } from '../play/plain-classes.ts'
import { canary } from '../play/play-scenario.ts'
import { openSearch } from './variant-search.ts'
import {
  eventsOf,
  recordedTurns,
  streamOf,
  turnLocation,
  turnReplayer,
  type RecordedTurn,
  type TurnOutcome,
} from './replay-turn.ts'
import { compareOutcomes } from './side-by-side.ts'
import { piecesOf, type Bytes } from './split-offsets.ts'
import type { StressCase, Stressor } from './stressor.ts'
import type { SubjectAdapterOptions } from '../subject.ts'

/** An application makes an instance once, for its own server, and has many conversations with it at a time. */
export const instance: Stressor = {
  id: 'instance',
  sentence:
    'An instance asks at the address and with the headers that it was made with, lets go of a request with its turn, tells which model answers, tells a stream as it comes, and keeps turns apart.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    const { mode, sweep, only, evidence } = stressCase
    const recorded = recordedTurns(stressCase).find(
      ({ turn, exchange }) => turn.error === undefined && exchange.response.status === 200,
    )
    if (recorded === undefined) return search.outcome('no request stands beside an answer to it')
    const key = `instance ${mode}`
    if (only === undefined && (sweep.seen.has(key) || !sweep.isFirst)) return search.outcome()
    sweep.seen.add(key)
    const tried = mode === 'stream' ? { ...everyWay, ...streamWays } : everyWay
    for (const [variant, faultOf] of Object.entries(tried)) {
      if (!search.tries(variant)) continue
      const message = await settleWithin(stressCase.deadline, 'the turn', faultOf(stressCase, recorded)).catch(
        described,
      )
      if (message !== undefined) search.found(variant, [{ message, where: turnLocation(evidence, recorded.number) }])
    }
    return search.outcome()
  },
}

type FaultOf = (stressCase: StressCase, recorded: RecordedTurn) => Promise<string | undefined>

const given = { baseURL: 'https://gateway.invalid/proxied', headers: { 'x-tenant': 'zuerich' } }

const everyWay: Readonly<Record<string, FaultOf>> = {
  async 'base-url'(stressCase, recorded) {
    const { subject, evidence } = stressCase
    const sent = evidence.runs.flatMap(({ requests }) => requests)[recorded.number - 1]?.url ?? ''
    const base = subject.baseURL.replace(/\/+$/, '')
    const { url } = await asked(stressCase, recorded, { baseURL: given.baseURL })
    const due = given.baseURL + sent.slice(base.length)
    return !sent.startsWith(base) || url === due
      ? undefined
      : `with \`baseURL: '${given.baseURL}'\` in its options it asks ${url}, not ${due}`
  },

  async headers(stressCase, recorded) {
    const { headers } = await asked(stressCase, recorded, { headers: given.headers })
    const value = headers['x-tenant']
    return value === 'zuerich' ? undefined : `the header \`x-tenant: zuerich\` of its options is sent as ${value}`
  },

  async 'beside-another'(stressCase, recorded) {
    const alone = await asked(stressCase, recorded, given)
    const another: Asked[] = []
    const { url, headers } = await asked(stressCase, recorded, given, async () => {
      another.push(await asked(stressCase, recorded, { apiKey: otherKey, baseURL: 'https://b.invalid' }))
    })
    if (headers['x-tenant'] !== given.headers['x-tenant'] || url !== alone.url || holds(headers, otherKey))
      return `made before another instance, it asks with what that one was made with: ${url}, not ${alone.url}, or with its key or headers`
    // A key that only signs is in no header.
    const isKeyShown = holds(alone.headers, canary)
    return another.every(({ headers: own }) => !holds(own, canary) && holds(own, otherKey) === isKeyShown)
      ? undefined
      : 'made after another instance, it asks with the key of that one, not with its own'
  },

  /** Before there is an answer nothing but the signal says that nobody waits for one. */
  async abort({ subject, mode }, { turn }) {
    const caller = new AbortController()
    let signal: AbortSignal | null | undefined
    const fetch: typeof globalThis.fetch = (input, init) => {
      signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
      const never = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(new DOMException('This operation was aborted', 'AbortError')))
      })
      setImmediate(() => caller.abort(new Error('the caller has left 🚪')))
      return never
    }
    const adapter = subject.adapter({ fetch, apiKey: canary })
    await eventsOf(adapter.turn(turn.request, { mode, signal: caller.signal })).catch(() => undefined)
    return signal?.aborted === true ? undefined : 'the turn is aborted, and the `fetch` that it called is not told'
  },

  /** Providers answer with a dated model, or with another one that has room. */
  async 'other-model'(stressCase, recorded) {
    const model = modelOf(recorded.turn)
    const named = JSON.stringify(model ?? '')
    const other = changedModel(model ?? '')
    const body = Buffer.from(recorded.body).toString('latin1')
    if (model === undefined || !body.includes(named)) return undefined
    const changed = Buffer.from(body.replaceAll(named, JSON.stringify(other)), 'latin1')
    const outcome = await turnReplayer(stressCase, recorded)({ chunks: [new Uint8Array(changed)] })
    const told = modelOf(outcome)
    return outcome.error !== undefined || told === other
      ? undefined
      : `the response names the model '${other}', and the turn tells '${told}'`
  },
}

const otherKey = 'another-key-5e2a'

function holds(headers: Asked['headers'], text: string): boolean {
  return Object.values(headers).some((value) => value.includes(text))
}

function modelOf({ events }: Pick<TurnOutcome, 'events'>): string | undefined {
  return events.map((event) => ('model' in event ? event.model : undefined)).findLast((model) => model !== undefined)
}

/** Another name as long as this one, for frames that say how long they are: a later version. */
export function changedModel(model: string): string {
  return model.replace(/.$/, (last) => (last === '7' ? '8' : '7'))
}

const pieces = 16

const streamWays: Readonly<Record<string, FaultOf>> = {
  /** Before it asks for the last bytes, something was told of those before. */
  async 'as-it-comes'({ subject }, { turn, exchange, body }) {
    const events: TurnEvent[] = []
    const chunks = inPieces(body)
    let told: readonly TurnEvent[] = []
    const stream = new ReadableStream<Bytes>(
      {
        pull(controller) {
          const chunk = chunks.shift()
          if (chunks.length === 0) told = [...events]
          if (chunk === undefined) controller.close()
          else controller.enqueue(chunk)
        },
      },
      { highWaterMark: 0 },
    )
    const { status, headers } = exchange.response
    const fetch = async (): Promise<Response> => new PlainResponse(stream, { status, headers: { ...headers } })
    const adapter = subject.adapter({ fetch, apiKey: canary })
    for await (const batch of adapter.turn(turn.request, { mode: 'stream' })) events.push(...batch)
    const count = (some: readonly TurnEvent[]): number => some.filter(({ type }) => type === 'text-delta').length
    return count(events) < 2 || count(told) > 0
      ? undefined
      : `none of the ${count(events)} pieces of the text is told before the last bytes of the response are there`
  },

  async beside(stressCase, recorded) {
    const { turn, exchange, body } = recorded
    const alone = await turnReplayer(stressCase, recorded)({ chunks: inPieces(body) })
    const { status, headers } = exchange.response
    const fetch = async (): Promise<Response> =>
      new PlainResponse(streamOf({ chunks: inPieces(body) }), { status, headers: { ...headers } })
    const adapter = stressCase.subject.adapter({ fetch, apiKey: canary })
    for (const events of await inTurns(adapter, turn.request)) {
      const diff = compareOutcomes({ title: 'alone', ...alone }, { title: 'beside another', ...alone, events })
      if (diff !== '') return `a turn tells other events while the instance has another one\n${diff}`
    }
    return undefined
  },
}

/** Two turns of one instance, a batch of each at a time. */
async function inTurns(adapter: Adapter, request: RecordedTurn['turn']['request']): Promise<readonly TurnEvent[][]> {
  const both = [1, 2].map(() => ({
    events: [] as TurnEvent[],
    batches: adapter.turn(request, { mode: 'stream' })[Symbol.asyncIterator](),
  }))
  let open = both
  while (open.length > 0) {
    const still: typeof open = []
    for (const one of open) {
      const step = await one.batches.next()
      if (step.done === true) continue
      one.events.push(...step.value)
      still.push(one)
    }
    open = still
  }
  return both.map(({ events }) => events)
}

function inPieces(body: Bytes): Bytes[] {
  const size = Math.max(1, Math.ceil(body.length / pieces))
  return [
    ...piecesOf(
      body,
      Array.from({ length: Math.ceil(body.length / size) }, () => size),
    ),
  ]
}

interface Asked {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** What a fresh instance of these options sends for the turn, after what happens meanwhile. The answer is of no interest. */
async function asked(
  { subject, mode }: Pick<StressCase, 'subject' | 'mode'>,
  { turn }: Pick<RecordedTurn, 'turn'>,
  options: SubjectAdapterOptions,
  meanwhile?: () => Promise<void>,
): Promise<Asked> {
  let sent: Asked = { url: 'nobody', headers: {} }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent = await factsOf(input, init)
    return new PlainResponse('{}', { status: 400 })
  }
  const adapter = subject.adapter({ fetch, apiKey: canary, ...options })
  await meanwhile?.()
  await eventsOf(adapter.turn(turn.request, { mode })).catch(() => undefined)
  return sent
}
