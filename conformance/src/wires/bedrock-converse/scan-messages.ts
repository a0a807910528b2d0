import type { ScannedMessage } from '../wire-kit.ts'

const leastLength = 16

/** The messages of an event stream, by their lengths alone: whoever checks a framing must not share it. */
export function scanMessages(bytes: Uint8Array): readonly ScannedMessage[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = new TextDecoder()
  const messages: ScannedMessage[] = []
  let start = 0
  while (start + leastLength <= bytes.length) {
    const end = start + view.getUint32(start)
    if (end - start < leastLength || end > bytes.length) break
    const headersEnd = start + 12 + view.getUint32(start + 4)
    const headers = text.decode(bytes.subarray(start + 12, headersEnd))
    // The name of the header, its type, two bytes of length, and the value.
    const name = /:event-type[^]{3}(\w+)/.exec(headers)?.[1]
    messages.push({ start, end, name, data: text.decode(bytes.subarray(headersEnd, end - 4)) })
    start = end
  }
  return messages
}
