import { crc32 } from 'node:zlib'
import type { JsonObject } from './wire-simulation.ts'

const encoder = new TextEncoder()

/** A message of the AWS event stream: https://smithy.io/2.0/aws/amazon-eventstream.html */
export function eventMessage(
  type: string,
  payload: string,
  kind: 'event' | 'exception' = 'event',
): Uint8Array<ArrayBuffer> {
  const headers = [
    header(`:${kind}-type`, type),
    header(':content-type', 'application/json'),
    header(':message-type', kind),
  ]
  return sealed(headers, encoder.encode(payload))
}

/** A message of these headers and this body, with its lengths and checksums. */
export function sealed(headers: readonly Uint8Array[], body: Uint8Array): Uint8Array<ArrayBuffer> {
  const headersLength = headers.reduce((sum, { length }) => sum + length, 0)
  const message = new Uint8Array(12 + headersLength + body.length + 4)
  const view = new DataView(message.buffer)
  view.setUint32(0, message.length)
  view.setUint32(4, headersLength)
  view.setUint32(8, crc32(message.subarray(0, 8)))
  let at = 12
  for (const bytes of [...headers, body]) {
    message.set(bytes, at)
    at += bytes.length
  }
  view.setUint32(at, crc32(message.subarray(0, at)))
  return message
}

export function jsonMessage(type: string, payload: JsonObject): Uint8Array {
  return eventMessage(type, JSON.stringify(payload))
}

/** One byte of length, the name, the type (7: a text), two bytes of length, the value. */
export function header(name: string, value: string): Uint8Array {
  const key = encoder.encode(name)
  const bytes = encoder.encode(value)
  return Uint8Array.from([key.length, ...key, 7, bytes.length >> 8, bytes.length & 255, ...bytes])
}
