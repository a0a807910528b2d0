import {
  AdapterError,
  createTurnCollector,
  StepLoopError,
  type Message,
  type Mode,
  type Turn,
  type TurnEvent,
} from '@steploop/core/adapter'
import type { Subject } from '@steploop/conformance'
import { bodylessStatuses, type RecordedResponse } from '@steploop/conformance/cli'

/** One recorded response and the adapter that has to decode it. */
export interface RecordedAnswer {
  readonly subject: Subject
  /** The model of the recorded request; `undefined` where there is no request. */
  readonly model: string | undefined
  readonly mode: Mode
  /** Ordinal of the turn: ids for calls that come without one are made from it. */
  readonly turn: number
  readonly response: RecordedResponse
}

/** What the adapter made of one response. */
export interface DecodedAnswer {
  /** All batches in one list. */
  readonly events: readonly TurnEvent[]
  /** The fold, of what came before the error where there is one. */
  readonly turn: Turn
  readonly error: AdapterError | undefined
  /** The turn ended without throwing anything, soundly or not. */
  readonly completed: boolean
  /** Set when the adapter broke down instead of reporting: what it did, for a person. */
  readonly crash: string | undefined
}

/** Milliseconds; everything is in memory, so only an adapter that waits for ever comes near. */
const patience = 30_000

const prompt: Message = { role: 'user', content: 'Hello.' }

/** Runs a recorded response, cut into `chunks`, through the adapter's own `turn()`: transport, framing, decoding, errors and limits. */
export async function replayTurn(
  exchange: RecordedAnswer,
  chunks: Iterable<Uint8Array<ArrayBuffer>>,
): Promise<DecodedAnswer> {
  const { response } = exchange
  const { status, headers } = response
  const answer = async (): Promise<Response> =>
    new Response(bodylessStatuses.has(status) ? null : streamOf(chunks), { status, headers })
  return runTurn(exchange, { messages: [prompt], fetch: answer })
}

export interface TurnInput {
  readonly messages: readonly Message[]
  readonly fetch: typeof fetch
}

/** One turn of the exchange's adapter; never throws: whatever happens is in the replay. */
export async function runTurn(exchange: RecordedAnswer, { messages, fetch }: TurnInput): Promise<DecodedAnswer> {
  const { subject, mode } = exchange
  const events: TurnEvent[] = []
  const collector = createTurnCollector(undefined)
  let origin: { provider: string; model: string } | undefined
  const run = async (): Promise<void> => {
    const adapter = subject.adapter({ fetch, apiKey: 'recorded-traffic', model: exchange.model ?? subject.model })
    origin = { provider: adapter.provider, model: adapter.model }
    for await (const batch of adapter.turn({ messages, turn: exchange.turn }, { mode })) {
      events.push(...batch)
      collector.push(batch)
    }
  }
  const failure = await failureOf(run)
  const turn = collector.turn()
  const message = { ...turn.message, ...origin }
  const { error, crash } = judge(failure, events)
  return { events, turn: { ...turn, message }, error, completed: failure === undefined, crash }
}

async function failureOf(run: () => Promise<void>): Promise<{ readonly thrown: unknown } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the turn did not end within ${patience} ms`)), patience)
  })
  try {
    await Promise.race([run(), waited])
    return undefined
  } catch (thrown) {
    return { thrown }
  } finally {
    clearTimeout(timer)
  }
}

function judge(
  failure: { readonly thrown: unknown } | undefined,
  events: readonly TurnEvent[],
): { error: AdapterError | undefined; crash: string | undefined } {
  if (failure === undefined) return { error: undefined, crash: contractBreach(events) }
  const { thrown } = failure
  if (!AdapterError.isInstance(thrown)) return { error: undefined, crash: describe(thrown) }
  // The transport turns what an adapter throws by accident into `unknown` with a cause; a provider's own error has none.
  const internal = thrown.code === 'unknown' && thrown.cause !== undefined && !AdapterError.isInstance(thrown.cause)
  return { error: thrown, crash: internal ? describe(thrown.cause) : undefined }
}

/** A turn that ended without an error has `turn-start` first, `turn-end` last, and each of them once. */
function contractBreach(events: readonly TurnEvent[]): string | undefined {
  const starts = events.filter((event) => event.type === 'turn-start').length
  const ends = events.filter((event) => event.type === 'turn-end').length
  if (starts !== 1 || events[0]?.type !== 'turn-start') {
    return `broken contract: \`turn-start\` has to come first and once, it came ${starts} times`
  }
  if (ends !== 1 || events.at(-1)?.type !== 'turn-end') {
    return `broken contract: \`turn-end\` has to come last and once, it came ${ends} times`
  }
  return undefined
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `threw ${String(thrown)}`
  const name = StepLoopError.isInstance(thrown) ? `${thrown.name} ${thrown.code}` : thrown.name
  const index = thrown.stack?.split('\n').find((line) => line.trim().startsWith('at '))
  return `${name}: ${thrown.message}${index === undefined ? '' : ` (${index.trim()})`}`
}

/** Chunks handed over per pull: one promise for many chunks keeps one-byte runs fast. */
const chunksPerPull = 512

function streamOf(chunks: Iterable<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.iterator]()
  return new ReadableStream({
    pull(controller) {
      for (let count = 0; count < chunksPerPull; count++) {
        const next = iterator.next()
        if (next.done) {
          controller.close()
          return
        }
        controller.enqueue(next.value)
      }
    },
  })
}
