import type { Clock } from '../contract/clock.ts'
import { AdapterError } from '../contract/errors.ts'
import { createTextDecoder } from '../wire/framing.ts'
import type { Origin } from '../wire/json.ts'

export interface BodyOptions {
  readonly maxBytes: number
  readonly origin: Origin
}

/** How long the end of the bytes may take after the end of the answer; servers send the two at once. */
const closingMs = 100

/** The body of a response, read chunk by chunk and never beyond its limit. */
export class BoundedBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #options: BodyOptions
  #total = 0

  constructor(response: Response, options: BodyOptions) {
    this.#reader = response.body?.getReader()
    this.#options = options
  }

  /** Rejects where the body breaks off. */
  read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    if (this.#reader === undefined) return Promise.resolve(bodyEnd)
    try {
      return this.#reader.read()
    } catch (cause) {
      return Promise.reject(cause)
    }
  }

  /** The bytes of a chunk, counted. Throws `response-too-large` and cancels as soon as more than `maxBytes` have come. */
  count(chunk: Uint8Array | null): Uint8Array {
    const { maxBytes, origin } = this.#options
    this.#total += chunk?.byteLength ?? Number.NaN
    if (chunk && this.#total <= maxBytes) return bytesOf(chunk)
    this.cancel()
    // Not told by its class: a byte array may come from another realm.
    if (Number.isNaN(this.#total)) throw notBytes(chunk, origin)
    const message = `the response is larger than ${maxBytes} bytes`
    throw new AdapterError({ ...origin, code: 'response-too-large', message })
  }

  /** Closes the connection, also where `fetch` itself pays no attention to the signal. */
  cancel(): void {
    closeQuietly(() => this.#reader?.cancel())
  }

  /**
   * Lets go of a connection whose answer is over. One that ends by itself in a moment, as nearly all do, can be used again; any other
   * is closed. It is not awaited.
   */
  release(clock: Clock): void {
    const stop = clock.after(closingMs, () => this.cancel())
    const drain = (): Promise<void> =>
      this.read()
        .then((result) => (result.done ? stop() : drain()))
        .catch(stop)
    void drain()
  }
}

/** Closes the connection of a response that will not be read. */
export function discardBody(response: Response): void {
  closeQuietly(() => response.body?.cancel())
}

/** For what is not awaited, and whose failure is not caught elsewhere. */
export function closeQuietly(close: () => Promise<unknown> | undefined): void {
  try {
    Promise.resolve(close()).catch(() => undefined)
  } catch {
    // What cannot be closed has another reader already.
  }
}

/** Bodies made by hand, as tests and proxies have them, like to be of texts. */
function notBytes(chunk: unknown, origin: Origin): AdapterError {
  const message = `the body of the response gave a ${typeof chunk} in place of bytes; look at the \`fetch\` that was passed`
  return new AdapterError({ ...origin, code: 'malformed-response', message })
}

/** What a body without a further byte gives. */
export const bodyEnd: ReadableStreamReadResult<Uint8Array> = { done: true, value: undefined }

/** A `fetch` made by hand may give a buffer, another view of one, or an array of another realm. */
function bytesOf(chunk: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  return 'buffer' in chunk ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : new Uint8Array(chunk)
}

/** What broke a body off. */
export interface BrokenOff {
  readonly cause: unknown
}

/**
 * Hands on the whole body as text, cut at its limit, or where it broke off. By functions, since each `await` costs a turn as much as half of its
 * request; `done` throws nothing.
 */
export function readBody(body: BoundedBody, done: (text: string, broken?: BrokenOff) => void): void {
  const decode = createTextDecoder()
  let text = ''
  const onResult = (result: ReadableStreamReadResult<Uint8Array>, given?: BrokenOff): void => {
    let broken = given
    try {
      if (!result.done) {
        text += decode(body.count(result.value))
        body.read().then(onResult, onFailure)
        return
      }
    } catch (cause) {
      broken = { cause }
    }
    text += decode()
    // A byte order mark is none of the text.
    done(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, broken)
  }
  const onFailure = (cause: unknown): void => onResult(bodyEnd, { cause })
  body.read().then(onResult, onFailure)
}

/** What a body that was to be read whole and broke off says: it was too large, no bytes, or its connection failed. */
export function bodyError({ cause }: BrokenOff, origin: Origin): unknown {
  if (AdapterError.isInstance(cause)) return cause
  const message = 'the connection broke off in the middle of the response'
  return new AdapterError({ ...origin, code: 'connection', message, cause })
}
