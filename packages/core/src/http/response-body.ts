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

/** The whole body as text. Throws `response-too-large`, and `connection` when the body breaks off. */
export function readText(body: BoundedBody, origin: Origin): Promise<string> {
  return readBody(body, (cause) => {
    if (AdapterError.isInstance(cause)) throw cause
    const message = 'the connection broke off in the middle of the response'
    throw new AdapterError({ ...origin, code: 'connection', message, cause })
  })
}

/** Reads as much of the body as there is, cut at its limit: what came says what went wrong well enough. */
export function readExcerpt(body: BoundedBody): Promise<string> {
  return readBody(body, () => undefined)
}

async function readBody(body: BoundedBody, onFailure: (cause: unknown) => void): Promise<string> {
  const decode = createTextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await body.read()
      if (done) break
      text += decode(body.count(value))
    }
  } catch (cause) {
    onFailure(cause)
  }
  text += decode()
  // A byte order mark is none of the text.
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
