import type { Exchange, RecordedResponse } from '../cassette.ts'
import { connectionBroke, deliveries, pause } from './delivery.ts'
import type { ReplayOptions } from './replay.ts'

export interface ReplayedResponseOptions extends ReplayOptions {
  /** Aborting it ends a delivery, and rejects a response that never begins. */
  readonly signal?: AbortSignal | undefined
  /** Waited for before every chunk and before the ending. */
  readonly gap?: (() => Promise<void>) | undefined
  /** Sends an empty chunk first, for a transport that holds the head back until one comes. */
  readonly flushHead?: boolean | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * A web Response that arrives as it was recorded: one read gives one recorded chunk, `eof` closes, `reset` fails the next read,
 * `stall` and `abort` give nothing more until the signal aborts or the reader cancels.
 *
 * Rejects when no response began: at once for `reset`, on abort for the others.
 */
export async function replayedResponse(exchange: Exchange, options: ReplayedResponseOptions): Promise<Response> {
  const { response } = exchange
  options.signal?.throwIfAborted()
  if (response.status === 0) {
    if (response.ending === 'reset') throw connectionBroke('fetch failed')
    return untilAborted(options.signal)
  }
  const body = withoutBody.has(response.status) ? null : bodyStream(response, options)
  const replayed = new Response(body, { status: response.status, headers: { ...response.headers, ...options.headers } })
  Object.defineProperty(replayed, 'url', { value: exchange.request.url })
  return replayed
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(abortReason(signal)), { once: true })
  })
}

function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError')
}

function bodyStream(
  response: RecordedResponse,
  options: ReplayedResponseOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { signal } = options
  const chunks = deliveries(response)
  let ended = false
  let headHeld = options.flushHead === true
  let delivering: ReadableStreamDefaultController | undefined
  const onAbort = (): void => {
    ended = true
    delivering?.error(signal?.reason)
  }
  const stop = (): void => signal?.removeEventListener('abort', onAbort)
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => {
        delivering = controller
        signal?.addEventListener('abort', onAbort, { once: true })
      },
      pull: async (controller) => {
        if (headHeld) {
          headHeld = false
          return controller.enqueue(new Uint8Array())
        }
        const next = chunks.next()
        if (next.done === true) {
          await options.gap?.()
          return ended ? undefined : end(response, controller, stop)
        }
        await pause(next.value.chunk, options)
        await options.gap?.()
        if (!ended) controller.enqueue(next.value.bytes)
        return undefined
      },
      cancel: () => {
        ended = true
        stop()
      },
    },
    // One read, one chunk: a queue would run ahead of the consumer.
    { highWaterMark: 0 },
  )
}

function end(
  response: RecordedResponse,
  controller: ReadableStreamDefaultController,
  stop: () => void,
): Promise<void> | undefined {
  switch (response.ending) {
    case 'eof':
      stop()
      controller.close()
      return undefined
    case 'reset':
      stop()
      controller.error(connectionBroke('terminated'))
      return undefined
    case 'stall':
    case 'abort':
      return new Promise(() => {})
    default:
      return response.ending satisfies never
  }
}
