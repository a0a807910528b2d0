import type { Chunk, Ending } from '../cassette.ts'

/** What a tap has seen of a body so far. */
export interface Tapped {
  readonly chunks: Chunk[]
  readonly pieces: Uint8Array[]
  ending: Ending
}

export interface TapOptions {
  /** Milliseconds from any fixed moment. */
  readonly clock: () => number
  /** The request's signal: a body that fails after an abort was aborted, not broken. */
  readonly signal: AbortSignal | undefined
  readonly tapped: Tapped
}

/**
 * A stream that hands on what the source gives, chunk by chunk, when the consumer asks for it, and takes down copies. It never reads
 * ahead, delays, joins or splits. (`tee` would buffer without bound for the slower branch.)
 */
export function tap(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  { clock, signal, tapped }: TapOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader()
  // Times are rounded from the start, so that the sum of the gaps does not drift.
  const start = clock()
  let before = 0
  // A read that was under way then ends, or fails, because of that: it says nothing of the source.
  let hasLeft = false
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        try {
          const next = await reader.read()
          if (hasLeft) return
          if (next.done) {
            tapped.ending = 'eof'
            controller.close()
            return
          }
          const now = Math.max(before, Math.round(clock() - start))
          tapped.chunks.push({ ms: now - before, bytes: next.value.length })
          tapped.pieces.push(next.value.slice())
          before = now
          controller.enqueue(next.value)
        } catch (error) {
          if (hasLeft) return
          tapped.ending = signal?.aborted === true ? 'abort' : 'reset'
          controller.error(error)
        }
      },
      cancel: async (reason) => {
        hasLeft = true
        tapped.ending = 'abort'
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
