import type { TurnEvent, TurnRequest, Warning } from '../contract/adapter.ts'
import type { EncodedRequest } from '../contract/wire-format.ts'
import type { HttpErrorOptions } from './http-error.ts'
import { BoundedBody } from './response-body.ts'

/** What one HTTP exchange needs. */
export interface HttpTurnOptions extends HttpErrorOptions {
  readonly maxBytes: number
  readonly request: TurnRequest
  readonly baseURL: string
  readonly send: (encoded: EncodedRequest, signal: AbortSignal) => Promise<Response>
}

/** The state of a turn: what was decoded but not handed over yet, and the first error, which ends it. */
export class Exchange {
  readonly options: HttpTurnOptions
  readonly controller = new AbortController()
  /** Listens to the caller's signal. A function, since Node keeps what it makes of an object with `handleEvent` for generations. */
  readonly forward = (): void => this.stop(this.options.context.signal?.reason)
  /** The question under way, and what answers the last of those that wait behind it. */
  asked: Question | undefined
  last: Promise<BatchResult> | undefined
  out: TurnEvent[] = []
  /** Warnings about the request; they ride on `turn-start`. */
  warnings: readonly Warning[] = []
  over = false
  /** The consumer left: whatever it still waits for is the end. */
  left = false
  failure: { readonly error: unknown } | undefined
  /** Reads the response on, by one network chunk; set once the response has begun. */
  read: (() => Promise<unknown>) | undefined
  /** Set while the head of the response is awaited: ends that, whether `fetch` pays attention to the signal or not. */
  leaveHead: ((turn: Exchange, reason: unknown) => void) | undefined
  /** Fulfils the promise of the first question. */
  opened: ((answer: unknown) => void) | undefined
  body: BoundedBody | undefined

  constructor(options: HttpTurnOptions) {
    this.options = options
  }

  /** The body, which is closed with the turn, also where that was aborted between the head of the response and now. */
  open(response: Response, maxBytes: number): BoundedBody {
    const body = (this.body = new BoundedBody(response, { maxBytes, origin: this.options.origin }))
    if (this.controller.signal.aborted) body.cancel()
    return body
  }

  /** Ends what the turn waits for, and closes its connection. */
  stop(reason: unknown): void {
    this.controller.abort(reason)
    const { leaveHead } = this
    this.leaveHead = undefined
    leaveHead?.(this, reason)
    this.body?.cancel()
  }
}

/**
 * Why a connection is closed, or a tool stopped, when its turn or its run is over. One for all: making an error costs as much as decoding a
 * small answer. The first one of a program takes ten times as long, so it is not made when core is loaded.
 */
export function turnOver(): Error {
  return (over ??= new Error('The turn is over.'))
}

let over: Error | undefined

/** Who asks is answered in one of two ways, of which neither throws. */
export interface Question {
  take(result: BatchResult): void
  fail(error: unknown): void
  /** What the promise of `pull` is fulfilled with. */
  readonly collect?: (() => unknown) | undefined
  /** Nobody is shown the events: of a whole answer, those that say no more than a later one are left out. */
  readonly unseen?: boolean | undefined
}

/** What a question of the consumer is answered with, in order or after a failure. */
export type BatchResult = IteratorResult<readonly TurnEvent[], undefined>
