import { crc32 } from 'node:zlib'
import type { Exchange } from '@steploop/cassette'
import { header, sealed } from '../simulate/event-message.ts'
import { scanMessages } from './event-stream.ts'

/** Values of every type that a header may have, by number: https://smithy.io/2.0/aws/amazon-eventstream.html */
const values: readonly (readonly number[])[] = [
  [],
  [],
  [7],
  [0, 7],
  [0, 0, 0, 7],
  [0, 0, 0, 0, 0, 0, 0, 7],
  [0, 2, 7, 7],
  [0, 2, 0xc3, 0xbc],
  [0, 0, 1, 0x9a, 0, 0, 0, 0],
  Array.from({ length: 16 }, (_, index) => index),
]

const others = values.map((value, type) => Uint8Array.from([3, 0x78, 0x2d, 0x30 + type, type, ...value]))

/** The AWS event stream has a checksum of the lengths, and one of the whole message. */
export function isMessageStream({ exchange }: { readonly exchange: Exchange }): boolean {
  return exchange.response.headers['content-type']?.startsWith('application/vnd.amazon.eventstream') === true
}

/** The messages with a header of every type before their own. */
export function withOtherHeaders(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const messages = scanMessages(bytes).map(({ start, end }) => {
    const message = bytes.subarray(start, end)
    const headersEnd = 12 + viewOf(message).getUint32(4)
    return sealed([...others, message.subarray(12, headersEnd)], message.subarray(headersEnd, -4))
  })
  return Uint8Array.from(Buffer.concat(messages))
}

const body = new TextEncoder().encode('{}')
const kind = header(':message-type', 'event')

/** Messages whose checksums are right, and that no server sends, or that say that it failed. */
export const brokenMessages: readonly (readonly [id: string, message: Uint8Array])[] = [
  ['header-of-no-type', sealed([Uint8Array.from([1, 0x78, 42]), kind], body)],
  ['header-without-end', sealed([kind, Uint8Array.from([1, 0x78, 7, 0, 9])], body)],
  ['message-of-no-kind', sealed([header(':event-type', 'messageStop')], body)],
  ['message-of-another-kind', sealed([header(':message-type', 'novelty'), header(':event-type', 'messageStop')], body)],
  ['headers-beyond-the-message', changed((view) => view.setUint32(4, view.byteLength - 15))],
  ['shorter-than-nothing', changed((view) => view.setUint32(0, 15))],
  ['longer-than-any', changed((view) => view.setUint32(0, 0x7f_ff_ff_ff))],
  [
    'error',
    sealed(
      [
        header(':message-type', 'error'),
        header(':error-code', 'InternalFailure'),
        header(':error-message', 'Sorry about that.'),
      ],
      new Uint8Array(),
    ),
  ],
]

/** A message with something else in its lengths, and checksums of that. */
function changed(change: (view: DataView) => void): Uint8Array {
  const message = sealed([kind], body)
  const view = viewOf(message)
  change(view)
  view.setUint32(8, crc32(message.subarray(0, 8)))
  view.setUint32(message.length - 4, crc32(message.subarray(0, -4)))
  return message
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
