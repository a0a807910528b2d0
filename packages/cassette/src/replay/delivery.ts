import type { Chunk, RecordedResponse } from '../cassette.ts'
import type { ReplayOptions } from './replay.ts'

/** The recorded chunks with their bytes. Copies, because a consumer may write into what it was given. */
export function* deliveries(
  response: RecordedResponse,
): Generator<{ readonly chunk: Chunk; readonly bytes: Uint8Array<ArrayBuffer> }> {
  let offset = 0
  for (const chunk of response.chunks) {
    yield { chunk, bytes: new Uint8Array(response.body.subarray(offset, offset + chunk.bytes)) }
    offset += chunk.bytes
  }
}

/** Waits before a chunk as the replay's timing asks; nothing to wait for gives undefined, so that instant replay stays synchronous. */
export function pause(chunk: Chunk, options: ReplayOptions): Promise<void> | undefined {
  const { timing = 'instant' } = options
  const ms = timing === 'instant' ? 0 : chunk.ms / (timing === 'recorded' ? 1 : timing)
  if (ms <= 0) return undefined
  return options.sleep === undefined ? new Promise((resolve) => setTimeout(resolve, ms)) : options.sleep(ms)
}

/** What a broken connection looks like to a caller of fetch on Node. */
export function connectionBroke(message: 'fetch failed' | 'terminated'): TypeError {
  const cause = Object.assign(new Error('other side closed (replayed from a cassette)'), { code: 'UND_ERR_SOCKET' })
  return new TypeError(message, { cause })
}
