import { crc32 } from 'node:zlib'
import { printMessage } from '../wires/read/event-stream.ts'
import type { Break, Breaks, Bug } from './mutant.ts'
import { brokenResponses, hasTools } from './stream-mutants.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** What reads the messages of one stream. */
interface Reader {
  readonly read: (chunk: Uint8Array) => Bytes
  /** At the end of the stream. */
  readonly end?: (() => Bytes) | undefined
}

const preludeLength = 12

/** Breaks how messages of the AWS event stream are read. */
function brokenFrames({
  reader,
  ...facts
}: Bug & { readonly reader: () => Reader; readonly asks?: ((body: string) => boolean) | undefined }): Break {
  return brokenResponses({
    ...facts,
    change(response) {
      const { body, status, headers } = response
      if (body === null || headers.get('content-type')?.startsWith('application/vnd.amazon.eventstream') !== true)
        return response
      const { read, end } = reader()
      const broken = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => controller.enqueue(read(chunk)),
        flush: (controller) => end && controller.enqueue(end()),
      })
      return new Response(body.pipeThrough(broken), { status, headers })
    },
  })
}

/** Collects bytes and gives each message that is whole to `take`. */
function messageReader(take: (message: Bytes) => void): { readonly push: (chunk: Uint8Array) => void; rest: Bytes } {
  const reader = {
    rest: new Uint8Array(0),
    push(chunk: Uint8Array) {
      let all = joined([reader.rest, chunk])
      while (all.length >= preludeLength) {
        const length = new DataView(all.buffer).getUint32(0)
        if (length < 16 || all.length < length) break
        take(all.slice(0, length))
        all = all.slice(length)
      }
      reader.rest = all
    },
  }
  return reader
}

function joined(parts: readonly Uint8Array[]): Bytes {
  return new Uint8Array(Buffer.concat(parts))
}

/** The message with the checksums that fit what it says now. */
function resealed(message: Bytes): Bytes {
  const view = new DataView(message.buffer)
  const end = message.length - 4
  view.setUint32(8, crc32(message.subarray(0, 8)))
  view.setUint32(end, crc32(message.subarray(0, end)))
  return message
}

/** How bytes become messages where a framing is binary. */
export const frameMutants: Breaks = {
  'frame-checksum-ignored': brokenFrames({
    bug: 'The checksums of a message are skipped.',
    killer: 'text-only#checksum',
    reader() {
      const whole: Bytes[] = []
      const messages = messageReader((message) => whole.push(resealed(message)))
      return {
        read(chunk) {
          messages.push(chunk)
          return joined(whole.splice(0))
        },
        end: () => messages.rest,
      }
    },
  }),
  'frame-split-lost': brokenFrames({
    bug: 'With tools, a message whose last bytes come in another chunk is lost.',
    killer: 'single-call#golden',
    asks: hasTools,
    reader() {
      let owed = 0
      const whole: Bytes[] = []
      const messages = messageReader((message) => whole.push(message))
      return {
        read(chunk) {
          const rest = chunk.subarray(owed)
          owed -= chunk.length - rest.length
          messages.push(rest)
          const { length, buffer } = messages.rest
          const missing = length < preludeLength ? 0 : new DataView(buffer).getUint32(0) - length
          if (missing > 0 && missing < 4) {
            owed = missing
            messages.rest = joined([])
          }
          return joined(whole.splice(0))
        },
        end: () => messages.rest,
      }
    },
  }),
  'frame-end-of-file-is-end': brokenFrames({
    bug: 'A stream that ends between two messages has ended well.',
    killer: 'text-only#truncate',
    reader() {
      let isOver = false
      const messages = messageReader((message) => {
        isOver ||= Buffer.from(message).includes('messageStop') || Buffer.from(message).includes('Exception')
      })
      return {
        read(chunk) {
          messages.push(chunk)
          return joined([chunk])
        },
        end: () => (isOver ? joined([]) : printMessage('{"messageStop":{"stopReason":"end_turn"}}', { name: '' })),
      }
    },
  }),
}
