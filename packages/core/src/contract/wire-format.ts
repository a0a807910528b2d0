/**
 * The contract of an HTTP adapter: the four functions that `defineHttpAdapter` makes an `Adapter` of, and what they are given and give.
 */
import type { AdapterErrorCode, Mode, TurnEvent, TurnRequest, Warning } from './adapter.ts'

/** One frame of a stream: an SSE event (`event` may be absent, docs/wire.md#no-event-lines) or one NDJSON line. */
export interface Frame {
  readonly event?: string | undefined
  readonly data: string
}

/** Cuts a byte stream into frames, for formats that are neither SSE nor NDJSON. Synchronous. */
export interface Framer {
  push(bytes: Uint8Array, onFrame: (frame: Frame) => void): void
  /** The stream ended: gives what is left. */
  end(onFrame: (frame: Frame) => void): void
}

export interface EncodedRequest {
  /** Appended to the base URL, with its leading slash and query. */
  readonly path: string
  /** Headers of this request beside content type and auth. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body as JSON text, joined from fragments that `encodeOnce` keeps. */
  readonly body: string
  /** What was dropped or coerced. Never silent. */
  readonly warnings: readonly Warning[]
}

/**
 * How far a streamed answer is.
 *
 * - `done`: the wire format's end mark came (`[DONE]`, `message_stop`, `done: true`), so nothing follows that counts.
 * - `answered`: the terminal evidence is there, but usage, or an end mark, may still follow (a `finish_reason` before `[DONE]`).
 * - `open`: neither.
 */
export type TurnProgress = 'open' | 'answered' | 'done'

/** Decodes one streamed turn. Synchronous; keeps its own state. */
export interface TurnDecoder {
  /** Appends what the frame means to `out`. Throws `AdapterError` for an error inside the stream (it is then over). */
  push(frame: Frame, out: TurnEvent[]): void
  /**
   * Asked once per network chunk, after its frames: not every server closes the connection when the answer is over. With `done` the turn
   * ends at once, with `answered` as soon as 2 seconds have brought no further event; `end` is then called and the connection let go.
   * While `open`, and in a decoder without this function, the stream is read to the end of its bytes.
   */
  progress?(): TurnProgress
  /**
   * The stream ended. Appends closing events and `turn-end`, or throws `incomplete-stream` unless the terminal evidence that the
   * wire format declares was seen.
   */
  end(out: TurnEvent[]): void
}

/** What `decodeError` finds out about a failed response; the transport adds provider, model and status. */
export interface ErrorFacts {
  readonly code: AdapterErrorCode
  /** The provider's own words, shortened and without secrets by the transport. */
  readonly providerMessage?: string | undefined
  /** Default: by code. */
  readonly retryable?: boolean | undefined
  /** Milliseconds until the provider wants to be asked again. */
  readonly retryAfterMs?: number | undefined
  readonly requestId?: string | undefined
}

/**
 * The four pure functions of an HTTP adapter. None touches the network, a clock or randomness, so all are tested with plain data.
 * What arrives is `unknown` until checked: be loose about unknown fields and events, strict about those you use.
 */
export interface WireFormat {
  /** Name of the wire format, for example `openai-chat`. */
  readonly name: string
  readonly framing: 'sse' | 'ndjson' | (() => Framer)
  encode(request: TurnRequest, mode: Mode): EncodedRequest
  /** One JSON body. Appends all events of the turn; throws `AdapterError` for an error inside a 200. */
  decode(json: unknown, request: TurnRequest, out: TurnEvent[]): void
  createDecoder(request: TurnRequest): TurnDecoder
  /** A response that is not 2xx. `text` is the body, JSON or not; header names are case-insensitive. */
  decodeError(status: number, headers: Headers, text: string): ErrorFacts
}
