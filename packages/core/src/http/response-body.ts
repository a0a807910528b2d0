import type { Clock } from '../contract/clock.ts'
import { AdapterError } from '../contract/errors.ts'
import type { Origin } from '../wire/json.ts'

export interface BodyOptions {
  readonly maxBytes: number
  readonly origin: Origin
}

/** The body of a response, read chunk by chunk and never beyond its limit. */
export interface BoundedBody {
  /** Rejects where the body breaks off. */
  read(): Promise<ReadableStreamReadResult<Uint8Array>>
  /** Counts a chunk. Throws `response-too-large` and cancels as soon as more than `maxBytes` have come. */
  count(chunk: Uint8Array): void
  /** Closes the connection, also where `fetch` itself pays no attention to the signal. */
  readonly cancel: () => void
  /**
   * Lets go of a connection whose answer is over. One that ends by itself in a moment, as nearly all do, can be used again; any other
   * is closed. Nobody waits for it.
   */
  release(clock: Clock): void
}

/** How long the end of the bytes may take after the end of the answer; servers send the two at once. */
const closingMs = 100

export function boundBody(response: Response, { maxBytes, origin }: BodyOptions): BoundedBody {
  const reader = response.body?.getReader()
  const cancel = (): void => closeQuietly(() => reader?.cancel())
  const read = (): Promise<ReadableStreamReadResult<Uint8Array>> => {
    if (reader === undefined) return Promise.resolve(bodyEnd)
    try {
      return reader.read()
    } catch (cause) {
      return Promise.reject(cause)
    }
  }
  let total = 0
  return {
    read,
    count(chunk) {
      total += chunk.byteLength
      if (total <= maxBytes) return
      cancel()
      // Not told by its class: a byte array may come from another realm.
      if (Number.isNaN(total)) throw notBytes(chunk, origin)
      const message = `the response is larger than ${maxBytes} bytes`
      throw new AdapterError({ ...origin, code: 'response-too-large', message })
    },
    cancel,
    release(clock) {
      const stop = clock.after(closingMs, cancel)
      const drain = (): Promise<void> => read().then((result) => (result.done ? stop() : drain()), stop)
      void drain()
    },
  }
}

/** Closes the connection of a response that nobody is going to read. */
export function discardBody(response: Response): void {
  closeQuietly(() => response.body?.cancel())
}

/** For what nobody waits for, and whose failure is nobody's to catch. */
export function closeQuietly(close: () => Promise<unknown> | undefined): void {
  try {
    Promise.resolve(close()).catch(() => undefined)
  } catch {
    // What cannot be closed is somebody else's already.
  }
}

/** Bodies made by hand, as tests and proxies have them, like to be of texts. */
function notBytes(chunk: unknown, origin: Origin): AdapterError {
  const message = `the body of the response gave a ${typeof chunk} where it has to give bytes; look at the \`fetch\` that was passed`
  return new AdapterError({ ...origin, code: 'malformed-response', message })
}

/** What a body without a further byte gives. */
export const bodyEnd: ReadableStreamReadResult<Uint8Array> = { done: true, value: undefined }

/** The whole body as text. Throws `response-too-large`, and `connection` when the body breaks off. */
export async function readText(body: BoundedBody, origin: Origin): Promise<string> {
  const chunks: Uint8Array[] = []
  for (;;) {
    let result: ReadableStreamReadResult<Uint8Array>
    try {
      result = await body.read()
    } catch (cause) {
      const message = 'the connection broke off in the middle of the response'
      throw new AdapterError({ ...origin, code: 'connection', message, cause })
    }
    if (result.done) return decoded(chunks)
    body.count(result.value)
    chunks.push(result.value)
  }
}

/** As much of the body as there is, cut at its limit. */
export async function readExcerpt(body: BoundedBody): Promise<string> {
  const chunks: Uint8Array[] = []
  try {
    for (;;) {
      const result = await body.read()
      if (result.done) break
      body.count(result.value)
      chunks.push(result.value)
    }
  } catch {
    // Too long, or broken off: what came says what went wrong well enough.
  }
  return decoded(chunks)
}

/** For texts that come in one piece, as most answers do: it keeps no state between them. */
const wholeText = new TextDecoder()

function decoded(chunks: readonly Uint8Array[]): string {
  if (chunks.length === 1) return wholeText.decode(chunks[0])
  const decoder = new TextDecoder()
  let text = ''
  for (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}
