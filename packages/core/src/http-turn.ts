import type {
  EncodedRequest,
  ErrorFacts,
  Frame,
  Framer,
  TurnContext,
  TurnDecoder,
  TurnRequest,
  WireFormat,
} from './adapter.ts'
import { AdapterError } from './errors.ts'
import type { TurnEvent, Warning } from './events.ts'
import { createNdjsonFramer, createSseFramer } from './framing.ts'
import { malformed, parseJson, type Stamp } from './json.ts'
import { boundedChunks, readText, type BodyOptions } from './response-body.ts'

export interface HttpTurnOptions {
  readonly wire: WireFormat
  readonly stamp: Stamp
  readonly maxBytes: number
  readonly request: TurnRequest
  readonly context: TurnContext
  /** Replaces secrets that the provider echoed. */
  readonly hide: (text: string) => string
  readonly send: (encoded: EncodedRequest, signal: AbortSignal) => Promise<Response>
}

/**
 * One HTTP exchange as batches of events: one await per network chunk, none per event. An error is thrown only after the events before
 * it were yielded, so chunk boundaries never change what the consumer sees.
 */
export async function* httpTurn(options: HttpTurnOptions): AsyncGenerator<readonly TurnEvent[], undefined> {
  const outer = options.context.signal
  const controller = new AbortController()
  const forward = (): void => controller.abort(outer?.reason)
  try {
    outer?.throwIfAborted()
    outer?.addEventListener('abort', forward, { once: true })
    const encoded = options.wire.encode(options.request, options.context.mode)
    const response = await connect(options, encoded, controller.signal)
    const body: BodyOptions = { maxBytes: options.maxBytes, stamp: options.stamp, signal: controller.signal }
    if (!response.ok) throw await responseError(options, response, body)
    if (isStream(response, options)) yield* streamedTurn(options, response, body, encoded.warnings)
    else yield await wholeTurn(options, response, body, encoded.warnings)
  } catch (error) {
    throw translate(error, options)
  } finally {
    outer?.removeEventListener('abort', forward)
    controller.abort(turnOver)
  }
  return undefined
}

/** Closes the connection of a turn that was left early. One for all turns: making an error costs as much as decoding a small answer. */
const turnOver = new Error('The turn is over.')

async function connect(options: HttpTurnOptions, encoded: EncodedRequest, signal: AbortSignal): Promise<Response> {
  try {
    return await options.send(encoded, signal)
  } catch (cause) {
    if (AdapterError.isInstance(cause) || options.context.signal?.aborted) throw cause
    throw new AdapterError({ ...options.stamp, code: 'connection', cause, message: connectionMessage(cause) })
  }
}

/** `fetch failed` alone helps nobody: the reason is in the cause. */
function connectionMessage(cause: unknown): string {
  const error = cause instanceof Error ? cause : undefined
  const inner = error?.cause instanceof Error ? error.cause.message : undefined
  return `the connection failed: ${inner || error?.message || String(cause)}`
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
  response: Response,
  body: BodyOptions,
  warnings: readonly Warning[],
): Promise<readonly TurnEvent[]> {
  const text = await readText(response, body)
  if (text.trim() === '') throw malformed(options.stamp, 'the response is empty', text)
  const out: TurnEvent[] = []
  options.wire.decode(parseJson(text, options.stamp), options.request, out)
  attachWarnings(out, warnings)
  return out
}

/** A stream under way: what was framed and decoded, and the first error, which ends it. */
interface Progress {
  out: TurnEvent[]
  failure: { readonly error: unknown } | undefined
  frames: number
}

async function* streamedTurn(
  options: HttpTurnOptions,
  response: Response,
  body: BodyOptions,
  warnings: readonly Warning[],
): AsyncGenerator<readonly TurnEvent[], undefined> {
  const framer = createFramer(options.wire)
  const decoder = options.wire.createDecoder(options.request)
  const progress: Progress = { out: [], failure: undefined, frames: 0 }
  const onFrame = (frame: Frame): void => pushFrame(decoder, frame, progress)
  const chunks = boundedChunks(response, body)
  let unsaid = warnings.length > 0
  for (;;) {
    const chunk = await chunks.next()
    if (chunk.done) finish(framer, decoder, progress, options, chunk.error)
    else framer.push(chunk.bytes, onFrame)
    if (progress.out.length > 0) {
      if (unsaid) attachWarnings(progress.out, warnings)
      unsaid = false
      yield progress.out
      progress.out = []
    }
    if (progress.failure !== undefined) throw progress.failure.error
    if (chunk.done) return undefined
  }
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

const errorBodyBytes = 256 * 1024

async function responseError(options: HttpTurnOptions, response: Response, body: BodyOptions): Promise<AdapterError> {
  const text = await readText(response, { ...body, maxBytes: errorBodyBytes }, 'cut').catch(() => '')
  const facts = errorFacts(options, response, text)
  const said = facts.providerMessage
  return new AdapterError({
    ...options.stamp,
    ...facts,
    status: response.status,
    providerMessage: said === undefined ? undefined : options.hide(said).slice(0, 1000),
    excerpt: said === undefined && text !== '' ? options.hide(text) : undefined,
    message: response.status >= 300 && response.status < 400 ? redirectMessage : undefined,
  })
}

const redirectMessage =
  'the server answered with a redirect, which is not followed because it would carry the key along; set `baseURL` to the final address'

/** `decodeError` sees whatever a proxy may answer; should it fail, the status alone decides. */
function errorFacts(options: HttpTurnOptions, response: Response, text: string): ErrorFacts {
  try {
    return options.wire.decodeError(response.status, response.headers, text)
  } catch {
    return { code: response.status >= 500 ? 'server-error' : 'unknown' }
  }
}

/** Whatever was thrown becomes an `AdapterError` without secrets. An abort by the caller wins over what it caused. */
function translate(error: unknown, options: HttpTurnOptions): AdapterError {
  const { stamp, context } = options
  if (context.signal?.aborted) {
    const reason: unknown = context.signal.reason
    const timedOut = reason instanceof Error && reason.name === 'TimeoutError'
    return new AdapterError({ ...stamp, code: timedOut ? 'timeout' : 'aborted', cause: reason })
  }
  if (AdapterError.isInstance(error)) return error
  const said = error instanceof Error ? error.message : String(error)
  const message = `the adapter failed while it handled the turn: ${options.hide(said)}`
  return new AdapterError({ ...stamp, code: 'unknown', cause: error, message })
}
