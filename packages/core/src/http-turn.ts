import type { EncodedRequest, Frame, Framer, TurnDecoder, TurnRequest, WireFormat } from './adapter.ts'
import { AdapterError } from './errors.ts'
import type { TurnEvent, Warning } from './events.ts'
import { createNdjsonFramer, createSseFramer } from './framing.ts'
import { connectionMessage, responseError, translate, type HttpErrorOptions } from './http-error.ts'
import { malformed, parseJson } from './json.ts'
import { boundedChunks, readText, type BodyChunk, type BodyChunks, type BodyOptions } from './response-body.ts'

export interface HttpTurnOptions extends HttpErrorOptions {
  readonly maxBytes: number
  readonly request: TurnRequest
  readonly send: (encoded: EncodedRequest, signal: AbortSignal) => Promise<Response>
}

/**
 * One HTTP exchange as batches of events: one await per network chunk, none per event. An error is thrown only after the events before
 * it were yielded, so chunk boundaries never change what the consumer sees. An iterator by hand: a generator costs an await more per
 * chunk, two of them inside each other twice that.
 */
export function httpTurn(options: HttpTurnOptions): AsyncIterableIterator<readonly TurnEvent[], undefined> {
  const outer = options.context.signal
  const controller = new AbortController()
  const forward = (): void => controller.abort(outer?.reason)
  const progress: Progress = { out: [], over: false, failure: undefined, frames: 0 }
  let advance: (() => Promise<void>) | undefined
  const end = (): void => {
    progress.over = true
    progress.failure = undefined
    outer?.removeEventListener('abort', forward)
  }
  const begin = async (): Promise<() => Promise<void>> => {
    outer?.throwIfAborted()
    outer?.addEventListener('abort', forward, { once: true })
    return openTurn(options, progress, controller.signal)
  }
  const next = async (): Promise<IteratorResult<readonly TurnEvent[], undefined>> => {
    try {
      advance ??= await begin()
      while (!progress.over && progress.failure === undefined && progress.out.length === 0) await advance()
      if (progress.out.length > 0) return { done: false, value: takeOut(progress) }
      if (progress.failure !== undefined) throw progress.failure.error
      end()
      return { done: true, value: undefined }
    } catch (error) {
      end()
      controller.abort(turnOver)
      throw translate(error, options)
    }
  }
  return {
    next,
    return() {
      if (!progress.over) controller.abort(turnOver)
      end()
      progress.out = []
      return Promise.resolve({ done: true, value: undefined })
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** What was framed and decoded but not handed over yet, and the first error, which ends the turn. */
interface Progress {
  out: TurnEvent[]
  over: boolean
  failure: { readonly error: unknown } | undefined
  frames: number
}

/** Every batch is a fresh array that the receiver owns. */
function takeOut(progress: Progress): readonly TurnEvent[] {
  const { out } = progress
  progress.out = []
  return out
}

/** Closes the connection of a turn that was left early. One for all turns: making an error costs as much as decoding a small answer. */
const turnOver = new Error('The turn is over.')

/** Sends the request. Each call of the function that it gives takes the turn one network chunk further. */
async function openTurn(
  options: HttpTurnOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const encoded = options.wire.encode(options.request, options.context.mode)
  const response = await connect(options, encoded, signal)
  const body: BodyOptions = { maxBytes: options.maxBytes, stamp: options.stamp, signal }
  if (!response.ok) throw await responseError(options, response, body)
  return isStream(response, options)
    ? streamedTurn(options, progress, boundedChunks(response, body), encoded.warnings)
    : () => wholeTurn(options, progress, readText(response, body), encoded.warnings)
}

async function connect(options: HttpTurnOptions, encoded: EncodedRequest, signal: AbortSignal): Promise<Response> {
  try {
    return await untilAborted(options.send(encoded, signal), signal)
  } catch (cause) {
    if (AdapterError.isInstance(cause) || options.context.signal?.aborted) throw cause
    throw new AdapterError({ ...options.stamp, code: 'connection', cause, message: connectionMessage(cause) })
  }
}

/** A `fetch` of the caller's may pay no attention to the signal. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(turnOver)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The content type decides, by its prefix (WIRE A9, A10); without a telling one, the mode. */
function isStream(response: Response, options: HttpTurnOptions): boolean {
  const type = response.headers.get('content-type')?.toLowerCase() ?? ''
  if (type.startsWith('text/event-stream') || type.startsWith('application/x-ndjson')) return true
  if (type.startsWith('text/html')) return false
  // A line of NDJSON is JSON, and some servers say just that.
  if (type.startsWith('application/json') && options.wire.framing !== 'ndjson') return false
  return options.context.mode === 'stream'
}

async function wholeTurn(
  options: HttpTurnOptions,
  progress: Progress,
  body: Promise<string>,
  warnings: readonly Warning[],
): Promise<void> {
  const text = await body
  progress.over = true
  try {
    if (text.trim() === '') throw malformed(options.stamp, 'the response is empty', text)
    options.wire.decode(parseJson(text, options.stamp), options.request, progress.out)
  } catch (error) {
    progress.failure = { error }
  }
  attachWarnings(progress.out, warnings)
}

function streamedTurn(
  options: HttpTurnOptions,
  progress: Progress,
  chunks: BodyChunks,
  warnings: readonly Warning[],
): () => Promise<void> {
  const framer = createFramer(options.wire)
  const decoder = options.wire.createDecoder(options.request)
  const onFrame = (frame: Frame): void => pushFrame(decoder, frame, progress)
  let unsaid = warnings.length > 0
  const onChunk = (chunk: BodyChunk): void => {
    if (!chunk.done) framer.push(chunk.bytes, onFrame)
    else {
      finish(framer, decoder, progress, options, chunk.error)
      progress.over = true
    }
    if (!unsaid || progress.out.length === 0) return
    attachWarnings(progress.out, warnings)
    unsaid = false
  }
  return () => chunks.next().then(onChunk)
}

function pushFrame(decoder: TurnDecoder, frame: Frame, progress: Progress): void {
  if (progress.failure !== undefined) return
  progress.frames++
  try {
    decoder.push(frame, progress.out)
  } catch (error) {
    progress.failure = { error }
  }
}

/**
 * The bytes are over, cleanly or not. A tail that does not parse is no evidence of anything: whether the turn is whole is for the
 * decoder to say, from the terminal evidence that it saw.
 */
function finish(
  framer: Framer,
  decoder: TurnDecoder,
  progress: Progress,
  options: HttpTurnOptions,
  cause: unknown,
): void {
  if (progress.failure !== undefined) return
  framer.end((frame) => pushFrame(decoder, frame, progress))
  progress.failure = readableFailure(progress)
  if (progress.failure !== undefined) return
  if (progress.frames === 0 && cause === undefined) {
    progress.failure = { error: malformed(options.stamp, 'the stream is empty', '') }
    return
  }
  try {
    decoder.end(progress.out)
  } catch (error) {
    progress.failure = { error: withCause(error, cause) }
  }
}

/** A tail that does not parse, or a last `data:` without anything behind it. */
const unreadable: ReadonlySet<unknown> = new Set(['malformed-response', 'empty-response'])

function readableFailure({ failure }: Progress): Progress['failure'] {
  return AdapterError.isInstance(failure?.error) && unreadable.has(failure.error.code) ? undefined : failure
}

function withCause(error: unknown, cause: unknown): unknown {
  if (error instanceof Error && cause !== undefined) error.cause ??= cause
  return error
}

function createFramer(wire: WireFormat): Framer {
  if (wire.framing === 'sse') return createSseFramer()
  return wire.framing === 'ndjson' ? createNdjsonFramer() : wire.framing()
}

/** The warnings of `encode` ride on `turn-start`. */
function attachWarnings(out: TurnEvent[], warnings: readonly Warning[]): void {
  const first = out[0]
  if (warnings.length === 0 || first?.type !== 'turn-start') return
  out[0] = { ...first, warnings: [...warnings, ...(first.warnings ?? [])] }
}
