import type { EncodedRequest, TurnRequest } from '../contract/adapter.ts'
import type { TurnEvent } from '../contract/events.ts'
import type { HttpErrorOptions } from './http-error.ts'

/** What one HTTP exchange needs. */
export interface HttpTurnOptions extends HttpErrorOptions {
  readonly maxBytes: number
  readonly request: TurnRequest
  readonly baseURL: string
  readonly send: (encoded: EncodedRequest, signal: AbortSignal) => Promise<Response>
}

/** The state of a turn: what was decoded but not handed over yet, and the first error, which ends it. */
export interface Exchange {
  readonly options: HttpTurnOptions
  readonly controller: AbortController
  /** How many questions of the consumer are not answered yet, and what answers the last of them. */
  asking: number
  last: Promise<BatchResult> | undefined
  out: TurnEvent[]
  over: boolean
  /** The consumer left: whatever it still waits for is the end. */
  left: boolean
  failure: { readonly error: unknown } | undefined
  frames: number
  /** Reads the response on, by one network chunk; set once the response has begun. */
  read: (() => Promise<BatchResult>) | undefined
  /** Ends what the turn waits for, whether that pays attention to the signal or not. A closure made here would outlive its turn by generations. */
  stop: ((reason: unknown) => void) | undefined
}

/** What a question of the consumer is answered with, in order or after a failure. */
export type BatchResult = IteratorResult<readonly TurnEvent[], undefined>
export type Settle = () => BatchResult | Promise<BatchResult>
