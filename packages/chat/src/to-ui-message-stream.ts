import type { LoopEvent } from '@steploop/core'
import { endOfStream, printChunk } from './chunks.ts'
import { createUiEncoder, type UiEncoderOptions } from './encoder.ts'
import { inWrites } from './in-writes.ts'

/**
 * The events of a run as a UI message stream of the AI SDK: the body of a `Response` with `uiMessageStreamHeaders`, for `useChat` and all
 * that reads its protocol. What comes in one tick leaves in one write. Leaving the stream aborts the run; a page that shall be able to come
 * back to it needs `createChat`.
 */
export function toUiMessageStream(
  events: AsyncIterable<LoopEvent>,
  options: UiEncoderOptions = {},
): ReadableStream<Uint8Array> {
  const encode = createUiEncoder(options)
  const bytes = new TextEncoder()
  const writes = inWrites(events, (event) => encode(event).map(printChunk).join(''))
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await writes.next()
        if (done !== true) return controller.enqueue(bytes.encode(value))
        controller.enqueue(bytes.encode(endOfStream))
        controller.close()
      },
      cancel: async () => void (await writes.return()),
    },
    { highWaterMark: 0 },
  )
}
