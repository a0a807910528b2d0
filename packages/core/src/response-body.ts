import { AdapterError } from './errors.ts'
import type { Stamp } from './json.ts'

/** `error` is set when the body broke off instead of ending. */
export type BodyChunk =
  | { readonly done: false; readonly bytes: Uint8Array }
  | { readonly done: true; readonly error?: unknown }

export interface BodyChunks {
  next(): Promise<BodyChunk>
}

export interface BodyOptions {
  readonly maxBytes: number
  readonly stamp: Stamp
  /** Closes the body, also where `fetch` itself pays no attention to the signal. */
  readonly signal: AbortSignal
}

/** The body chunk by chunk. Throws `response-too-large` and cancels as soon as more than `maxBytes` have come. */
export function boundedChunks(response: Response, { maxBytes, stamp, signal }: BodyOptions): BodyChunks {
  const reader = response.body?.getReader()
  const cancel = (): void => void reader?.cancel(signal.reason).catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  let total = 0
  const onRead = (result: ReadableStreamReadResult<Uint8Array>): BodyChunk => {
    if (result.done) return bodyEnd
    total += result.value.byteLength
    if (total > maxBytes) {
      cancel()
      throw tooLarge(maxBytes, stamp)
    }
    return { done: false, bytes: result.value }
  }
  const onError = (error: unknown): BodyChunk => ({ done: true, error })
  return { next: () => (reader === undefined ? Promise.resolve(bodyEnd) : reader.read().then(onRead, onError)) }
}

const bodyEnd: BodyChunk = { done: true }

/**
 * The whole body as text. Throws `response-too-large` above `maxBytes` (or cuts there), `connection` when the body breaks off.
 */
export async function readText(
  response: Response,
  options: BodyOptions,
  above: 'throw' | 'cut' = 'throw',
): Promise<string> {
  const chunks = boundedChunks(response, options)
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    let chunk: BodyChunk
    try {
      chunk = await chunks.next()
    } catch (error) {
      if (above === 'cut') return text
      throw error
    }
    if (!chunk.done) {
      text += decoder.decode(chunk.bytes, { stream: true })
      continue
    }
    if (chunk.error !== undefined && above === 'throw') {
      const message = 'the connection broke off in the middle of the response'
      throw new AdapterError({ ...options.stamp, code: 'connection', message, cause: chunk.error })
    }
    return text + decoder.decode()
  }
}

function tooLarge(maxBytes: number, stamp: Stamp): AdapterError {
  const message = `the response is larger than ${maxBytes} bytes`
  return new AdapterError({ ...stamp, code: 'response-too-large', message })
}
