import type { LoopEvent } from '@steploop/core'
import { systemClock, type Clock } from '@steploop/core/adapter'
import { endOfStream, heartbeat, heartbeatMs, printChunk } from './chunks.ts'
import { createUiEncoder, type UiEncoderOptions } from './encoder.ts'
import { batchWrites } from './batch-writes.ts'

export interface UiMessageStreamOptions extends UiEncoderOptions {
  /** Default: the system's. */
  readonly clock?: Clock | undefined
}

/**
 * The events of a run as a UI message stream of the AI SDK: the body of a `Response` with `uiMessageStreamHeaders`, for `useChat` and all
 * that reads its protocol. What comes in one tick leaves in one write; a comment is written every 15 s while nothing comes. Leaving the
 * stream aborts the run; a page that shall be able to come back to it needs `createChat`.
 */
export function toUiMessageStream(
  events: AsyncIterable<LoopEvent>,
  { clock = systemClock, ...options }: UiMessageStreamOptions = {},
): ReadableStream<Uint8Array> {
  const encode = createUiEncoder(options)
  const bytes = new TextEncoder()
  const writes = batchWrites(events, (event) => encode(event).map(printChunk).join(''))
  let stopBeating: (() => void) | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const beat = (): void => {
          // It is awaited; without a reader nothing piles up.
          if (controller.desiredSize === 0) controller.enqueue(bytes.encode(heartbeat))
          stopBeating = clock.after(heartbeatMs, beat)
        }
        stopBeating = clock.after(heartbeatMs, beat)
        try {
          const { value, done } = await writes.next()
          if (done !== true) return controller.enqueue(bytes.encode(value))
          controller.enqueue(bytes.encode(endOfStream))
          controller.close()
        } finally {
          stopBeating()
        }
      },
      async cancel() {
        stopBeating?.()
        await writes.return()
      },
    },
    { highWaterMark: 0 },
  )
}
