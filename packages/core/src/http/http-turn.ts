import type { TurnEvent } from '../contract/adapter.ts'
import type { EncodedRequest } from '../contract/wire-format.ts'
import { AdapterError } from '../contract/errors.ts'
import { connectionError, responseError, translate } from './http-error.ts'
import { Exchange, turnOver, type BatchResult, type HttpTurnOptions, type Question } from './http-exchange.ts'
import { streamedTurn } from './http-stream.ts'
import { unseenEvents } from '../wire/unseen.ts'
import { malformed, parseJson } from '../wire/json.ts'
import { bodyError, discardBody, readBody } from './response-body.ts'

/**
 * One HTTP exchange as batches of events: one await per network chunk, none per event. An error is thrown only after the events before
 * it were yielded, so chunk boundaries never change what the consumer sees. An iterator by hand: a generator costs an await more per
 * chunk, two of them inside each other twice that.
 */
export class HttpTurn implements AsyncIterableIterator<readonly TurnEvent[], undefined> {
  /** Private, since the request and its headers are in it: who prints a turn sees none of them. */
  readonly #exchange: Exchange

  constructor(options: HttpTurnOptions) {
    this.#exchange = new Exchange(options)
  }

  /** Two questions at once are two questions one after the other, not two requests. */
  next(): Promise<BatchResult> {
    const turn = this.#exchange
    const asked = (): Promise<BatchResult> => new Promise((take, refuse) => void ask(turn, { take, fail: refuse }))
    turn.last = turn.last === undefined ? asked() : turn.last.then(asked, asked)
    return turn.last
  }

  /** For one who asks one question at a time. No promise but that of the network chunk, which is fulfilled when the question is answered. */
  pull(question: Question): Promise<unknown> {
    return ask(this.#exchange, question)
  }

  settlesOn(signal: AbortSignal): boolean {
    return this.#exchange.options.context.signal === signal
  }

  return(): Promise<BatchResult> {
    const turn = this.#exchange
    turn.left = true
    if (!turn.over) turn.stop(turnOver())
    end(turn)
    return leaving
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/**
 * True for turns of core's own transport that settle as soon as this signal is aborted: they need not be raced against it, which costs a
 * promise for each chunk, and leave nothing behind.
 */
export function settlesOn(turn: object, signal: AbortSignal): turn is HttpTurn {
  return turn instanceof HttpTurn && turn.settlesOn(signal)
}

const turnEnd: BatchResult = { done: true, value: undefined }

/** One for all turns. */
const leaving = Promise.resolve(turnEnd)

function ask(turn: Exchange, question: Question): Promise<unknown> {
  turn.asked = question
  if (turn.over || turn.failure !== undefined) return Promise.resolve().then(() => settle(turn))
  return turn.read === undefined ? openTurn(turn) : turn.read()
}

/** Answers the question with what there is, or reads on. */
function settle(turn: Exchange): unknown {
  const { asked } = turn
  try {
    answer(turn)
  } catch (error) {
    // What a wire format or a `fetch` of the caller's gives may throw wherever it is looked at.
    asked?.fail(error)
  }
  return asked?.collect?.()
}

function answer(turn: Exchange): void {
  const { asked, left, out, failure, over, read } = turn
  // What the leaving itself broke off is no failure.
  if (!left && out.length > 0) asked?.take({ done: false, value: takeOut(turn) })
  else if (!left && failure !== undefined) {
    end(turn)
    // After the last byte there is no connection to close.
    if (!over) turn.stop(turnOver())
    asked?.fail(translate(failure.error, turn.options))
  } else if (!left && !over && read !== undefined) void read()
  else {
    end(turn)
    asked?.take(turnEnd)
  }
}

function end(turn: Exchange): void {
  turn.over = true
  turn.failure = undefined
  turn.options.context.signal?.removeEventListener('abort', turn.forward)
}

/** A copy of it is for objects from the start. A list that has held none yet is made anew for its first, and in some processes each was. */
const noEvents = [{ type: 'text-start', part: 0 } as TurnEvent].slice(1)

/** Every batch is a fresh array that the receiver owns. */
function takeOut(turn: Exchange): readonly TurnEvent[] {
  const { out, warnings } = turn
  // The list of a turn that is over gets no more, and a literal costs nothing.
  turn.out = turn.over ? [] : noEvents.slice()
  if (warnings.length === 0) return out
  turn.warnings = []
  const [first, ...rest] = out
  if (first?.type !== 'turn-start') return out
  return [{ ...first, warnings: [...warnings, ...(first.warnings ?? [])] }, ...rest]
}

/** Sends the request, and reads a response that is no stream. Fulfilled when the question is answered; everything in between is done by functions. */
function openTurn(turn: Exchange): Promise<unknown> {
  return new Promise((opened) => {
    turn.opened = opened
    const { wire, request, context } = turn.options
    try {
      if (context.signal?.aborted) throw turnOver()
      context.signal?.addEventListener('abort', turn.forward)
      const encoded = wire.encode(request, context.mode)
      turn.warnings = encoded.warnings
      connect(turn, encoded)
    } catch (error) {
      failTurn(turn, error)
    }
  })
}

function failTurn(turn: Exchange, error: unknown): void {
  turn.failure = { error }
  turn.opened?.(settle(turn))
}

const errorBodyBytes = 256 * 1024

/** A `fetch` of the caller's may pay no attention to the signal, so who stops the turn ends this wait as well. */
function connect(turn: Exchange, encoded: EncodedRequest): void {
  const { options, controller } = turn
  turn.leaveHead = leaveHead
  const failed = (cause: unknown): void => {
    if (turn.leaveHead === undefined) return
    turn.leaveHead = undefined
    const isKnown = AdapterError.isInstance(cause) || options.context.signal?.aborted
    failTurn(turn, isKnown ? cause : connectionError(cause, options))
  }
  try {
    Promise.resolve(options.send(encoded, controller.signal)).then((response) => {
      // It is not awaited any more, and an unread body keeps its connection.
      if (controller.signal.aborted) return discardBody(response)
      turn.leaveHead = undefined
      try {
        return readResponse(turn, response, encoded.path)
      } catch (error) {
        return failTurn(turn, error)
      }
    }, failed)
  } catch (cause) {
    failed(cause)
  }
}

function leaveHead(turn: Exchange, reason: unknown): void {
  void Promise.resolve().then(() => failTurn(turn, reason))
}

function readResponse(turn: Exchange, response: Response, path: string): void {
  const { options } = turn
  const body = turn.open(response, response.ok ? options.maxBytes : errorBodyBytes)
  if (response.ok && isStream(response, options)) {
    turn.read = streamedTurn(turn, body, settle)
    turn.opened?.(settle(turn))
    return
  }
  readBody(body, (text, broken) => {
    try {
      // What came of an error says what went wrong well enough.
      if (!response.ok) throw responseError(options, { response, text, url: options.baseURL + path })
      if (broken !== undefined) throw bodyError(broken, options.origin)
      decodeWhole(turn, text)
    } catch (error) {
      turn.failure = { error }
    }
    turn.opened?.(settle(turn))
  })
}

/**
 * The content type decides, by its prefix (docs/wire.md#content-types, docs/wire.md#json-in-place-of-a-stream); otherwise the mode.
 */
function isStream(response: Response, options: HttpTurnOptions): boolean {
  const type = response.headers.get('content-type')?.toLowerCase() ?? ''
  if (type.startsWith('text/event-stream') || type.startsWith('application/x-ndjson')) return true
  if (type.startsWith('text/html')) return false
  // A line of NDJSON is JSON, and some servers say just that.
  if (type.startsWith('application/json') && options.wire.framing !== 'ndjson') return false
  return options.context.mode === 'stream'
}

function decodeWhole(turn: Exchange, text: string): void {
  const { wire, origin, request } = turn.options
  turn.over = true
  if (text.trim() === '') throw malformed(origin, 'the response is empty', text)
  if (turn.asked?.unseen === true) turn.out = unseenEvents()
  wire.decode(parseJson(text, origin), request, turn.out)
}
