import type { Exchange } from '@steploop/cassette'
import { AdapterError, type Mode, type TurnEvent } from '@steploop/core/adapter'
import type { Evidence, TurnRecord } from '../evidence.ts'
import { PlainResponse } from '../play/plain-classes.ts'
import { canary } from '../play/play-scenario.ts'
import { settleWithin } from '../deadline.ts'
import { errorCode } from '../judge/trace/trace.ts'
import type { Bytes } from './split-offsets.ts'
import type { StressCase } from './stressor.ts'

/** A turn of a case together with the exchange that answered it. */
export interface RecordedTurn {
  readonly number: number
  readonly turn: TurnRecord
  readonly exchange: Exchange
  readonly body: Bytes
}

/** Turns and exchanges of a case that passed stand in the same order; retries and failures before a request have no pair. */
export function recordedTurns({ evidence, cassette }: StressCase): readonly RecordedTurn[] {
  const turns = evidence.runs.flatMap((run) => run.turns)
  if (turns.length !== cassette.exchanges.length) return []
  return turns.flatMap((turn, index) => {
    const exchange = cassette.exchanges[index]
    if (exchange === undefined) return []
    return [{ number: index + 1, turn, exchange, body: new Uint8Array(exchange.response.body) }]
  })
}

export function chunkSizes({ response }: Exchange): readonly number[] {
  return response.chunks.map(({ bytes }) => bytes)
}

/** All events of a turn; throws what the turn throws. */
export async function eventsOf(batches: AsyncIterable<readonly TurnEvent[]>): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = []
  for await (const batch of batches) events.push(...batch)
  return events
}

export interface TurnOutcome {
  readonly events: readonly TurnEvent[]
  /** Code of what was thrown, and of whom it is where it is not of the adapter; `undefined` when the turn ended without throwing. */
  readonly error: string | undefined
  readonly message: string | undefined
  /** The turn threw an `AdapterError` that names the adapter's provider and model. */
  readonly isTyped: boolean
  /** Milliseconds, as the error says. */
  readonly retryAfterMs?: number | undefined
  readonly providerMessage?: string | undefined
  readonly requestId?: string | undefined
}

export interface Delivery {
  readonly chunks: readonly Bytes[]
  /** How the body ends after the chunks; `open`: not at all. Default `eof`. */
  readonly ending?: 'eof' | 'reset' | 'open' | undefined
}

/** Runs one recorded turn through the adapter again and again, each time with another delivery of its body. */
export function turnReplayer(
  stressCase: StressCase,
  { turn, exchange }: RecordedTurn,
): (delivery: Delivery) => Promise<TurnOutcome> {
  let next: Delivery = { chunks: [] }
  const { status, headers } = exchange.response
  const fetch = async (): Promise<Response> => new PlainResponse(streamOf(next), { status, headers: { ...headers } })
  const adapter = stressCase.subject.adapter({ fetch, apiKey: canary })
  const play = async (mode: Mode): Promise<TurnOutcome> => {
    const events: TurnEvent[] = []
    try {
      for await (const batch of adapter.turn(turn.request, { mode })) events.push(...batch)
      return { events, error: undefined, message: undefined, isTyped: false }
    } catch (error) {
      const message = AdapterError.isInstance(error) || error instanceof Error ? error.message : String(error)
      const outcome = { events, error: errorCode(error), message, isTyped: false }
      if (!AdapterError.isInstance(error)) return outcome
      const { retryAfterMs, providerMessage, requestId, provider, model } = error
      if (provider !== adapter.provider || model !== adapter.model)
        return {
          ...outcome,
          error: `${error.code} of ${provider}/${model}, not of ${adapter.provider}/${adapter.model}`,
        }
      return { ...outcome, isTyped: true, retryAfterMs, providerMessage, requestId }
    }
  }
  return (delivery) => {
    next = delivery
    return settleWithin(stressCase.deadline, 'the turn', play(stressCase.mode))
  }
}

/** A response body that arrives in these chunks. */
export function streamOf({ chunks, ending = 'eof' }: Delivery): ReadableStream<Bytes> {
  if (ending !== 'reset') {
    return new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk)
        if (ending === 'eof') controller.close()
      },
    })
  }
  let at = 0
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[at++]
      if (chunk === undefined) controller.error(new TypeError('terminated'))
      else controller.enqueue(chunk)
    },
  })
}

/** All that a consumer sees of a turn, as one text. */
export function fingerprint({ events, error, message }: TurnOutcome): string {
  return `${error ?? ''} ${message ?? ''} ${JSON.stringify(events)}`
}

/** Equal for turns whose responses an adapter cannot tell apart: it may read them by the options of the request. */
export function turnKey(recorded: RecordedTurn): string {
  const { messages: _, ...options } = recorded.turn.request
  return `${bodyKey(recorded)} ${JSON.stringify(options)}`
}

/** Equal for responses that an adapter cannot tell apart, as long as the request plays no part. */
export function bodyKey({ exchange, body }: RecordedTurn): string {
  return `${exchange.response.status} ${Buffer.from(body).toString('base64')}`
}

/** Run and turn of the exchange with this number, both from 0. */
export function locate({ runs }: Evidence, number: number): { readonly run: number; readonly turn: number } {
  let before = 0
  for (const [run, { turns }] of runs.entries()) {
    if (number <= before + turns.length) return { run, turn: number - before - 1 }
    before += turns.length
  }
  return { run: runs.length, turn: 0 }
}

/** Where a turn of a case stands, for a person. */
export function turnLocation(evidence: Evidence, number: number): string {
  const { run, turn } = locate(evidence, number)
  return `run ${run + 1}, turn ${turn + 1}`
}
