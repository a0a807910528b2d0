import type { EncodedRequest } from '../contract/adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import type { TurnEvent, Warning } from '../contract/events.ts'
import { connectionError, responseError, translate } from './http-error.ts'
import type { BatchResult, Exchange, HttpTurnOptions, Settle } from './http-exchange.ts'
import { attachWarnings, streamedTurn } from './http-stream.ts'
import { malformed, parseJson } from '../wire/json.ts'
import { boundBody, discardBody, readText, type BoundedBody } from './response-body.ts'

/**
 * One HTTP exchange as batches of events: one await per network chunk, none per event. An error is thrown only after the events before
 * it were yielded, so chunk boundaries never change what the consumer sees. An iterator by hand: a generator costs an await more per
 * chunk, two of them inside each other twice that.
 */
export function httpTurn(options: HttpTurnOptions): AsyncIterableIterator<readonly TurnEvent[], undefined> {
  const outer = options.context.signal
  const turn = createExchange(options)
  const forward = (): void => stopTurn(turn, outer?.reason)
  const end = (): void => {
    turn.over = true
    turn.failure = undefined
    outer?.removeEventListener('abort', forward)
  }
  const finished = (): BatchResult => {
    turn.asking--
    end()
    return turnEnd
  }
  const fail = (error: unknown): BatchResult => {
    // What the leaving itself broke off is no failure.
    if (turn.left) return finished()
    turn.asking--
    const isOpen = !turn.over
    end()
    // After the last byte there is no connection to close.
    if (isOpen) stopTurn(turn, turnOver)
    throw translate(error, options)
  }
  const settle = (): BatchResult | Promise<BatchResult> => {
    if (turn.left) return finished()
    if (turn.out.length > 0) {
      turn.asking--
      return { done: false, value: takeOut(turn) }
    }
    if (turn.failure !== undefined) return fail(turn.failure.error)
    return !turn.over && turn.read !== undefined ? turn.read() : finished()
  }
  const begin = (): Promise<void> => {
    if (outer?.aborted) return Promise.reject(turnOver)
    outer?.addEventListener('abort', forward)
    return openTurn(turn, settle)
  }
  const ask = (): Promise<BatchResult> => {
    if (turn.over || turn.failure !== undefined) return Promise.resolve().then(settle)
    return turn.read === undefined ? begin().then(settle, fail) : turn.read()
  }
  return {
    next: () => askInOrder(turn, ask),
    return() {
      turn.left = true
      if (!turn.over) stopTurn(turn, turnOver)
      end()
      return Promise.resolve(turnEnd)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const turnEnd: BatchResult = { done: true, value: undefined }

function createExchange(options: HttpTurnOptions): Exchange {
  return {
    options,
    controller: new AbortController(),
    asking: 0,
    last: undefined,
    out: [],
    over: false,
    left: false,
    failure: undefined,
    frames: 0,
    read: undefined,
    stop: undefined,
  }
}

/** Two questions at once are two questions one after the other, not two requests. */
function askInOrder(turn: Exchange, ask: () => Promise<BatchResult>): Promise<BatchResult> {
  turn.last = turn.last === undefined || turn.asking === 0 ? ask() : turn.last.then(ask, ask)
  turn.asking++
  return turn.last
}

/** Every batch is a fresh array that the receiver owns. */
function takeOut(turn: Exchange): readonly TurnEvent[] {
  const { out } = turn
  turn.out = []
  return out
}

/** Closes the connection of a turn that was left early. One for all turns: making an error costs as much as decoding a small answer. */
const turnOver = new Error('The turn is over.')

function stopTurn({ controller, stop }: Exchange, reason: unknown): void {
  controller.abort(reason)
  stop?.(turnOver)
}

/** Sends the request, and reads a response that is no stream. */
async function openTurn(turn: Exchange, settle: Settle): Promise<void> {
  const { options } = turn
  const encoded = options.wire.encode(options.request, options.context.mode)
  const response = await connect(turn, encoded)
  const onBody = (body: BoundedBody): void => {
    turn.stop = body.cancel
    // Aborted between the head of the response and now.
    if (turn.controller.signal.aborted) body.cancel()
  }
  if (!response.ok) throw await responseError(options, { response, url: options.baseURL + encoded.path, onBody })
  const body = boundBody(response, options)
  onBody(body)
  if (isStream(response, options)) turn.read = streamedTurn(turn, body, { warnings: encoded.warnings, settle })
  else decodeWhole(turn, await readText(body, options.origin), encoded.warnings)
}

/** A `fetch` of the caller's may pay no attention to the signal, so it is raced. */
function connect(turn: Exchange, encoded: EncodedRequest): Promise<Response> {
  const { options } = turn
  return new Promise((resolve, reject) => {
    turn.stop = reject
    const failed = (cause: unknown): void => {
      if (AdapterError.isInstance(cause) || options.context.signal?.aborted) reject(cause)
      else reject(connectionError(cause, options))
    }
    try {
      Promise.resolve(options.send(encoded, turn.controller.signal)).then((response) => {
        // Nobody waits for it any more, and what nobody reads keeps its connection.
        if (turn.controller.signal.aborted) discardBody(response)
        else resolve(response)
      }, failed)
    } catch (cause) {
      failed(cause)
    }
  })
}

/**
 * The content type decides, by its prefix (docs/wire.md#content-types, docs/wire.md#json-in-place-of-a-stream); without a telling one, the
 * mode.
 */
function isStream(response: Response, options: HttpTurnOptions): boolean {
  const type = response.headers.get('content-type')?.toLowerCase() ?? ''
  if (type.startsWith('text/event-stream') || type.startsWith('application/x-ndjson')) return true
  if (type.startsWith('text/html')) return false
  // A line of NDJSON is JSON, and some servers say just that.
  if (type.startsWith('application/json') && options.wire.framing !== 'ndjson') return false
  return options.context.mode === 'stream'
}

function decodeWhole(turn: Exchange, text: string, warnings: readonly Warning[]): void {
  const { wire, origin, request } = turn.options
  turn.over = true
  try {
    if (text.trim() === '') throw malformed(origin, 'the response is empty', text)
    wire.decode(parseJson(text, origin), request, turn.out)
  } catch (error) {
    turn.failure = { error }
  }
  attachWarnings(turn.out, warnings)
}
