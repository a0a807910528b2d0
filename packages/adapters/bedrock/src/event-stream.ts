import { malformed, type Frame, type Framer, type Origin } from '@steploop/core/adapter'
import { crc32 } from './crc32.ts'

/** Total length, length of the headers, checksum of both; at the end the checksum of all before it. */
const preludeLength = 12
const checksumLength = 4
const leastLength = preludeLength + checksumLength
/** A payload of 24 MiB, and headers of 128 KiB: more is no frame but a wrong offset in the stream. */
const mostLength = 24 * 1024 * 1024 + 128 * 1024 + leastLength

/**
 * Cuts a stream of AWS event stream messages (`application/vnd.amazon.eventstream`) into frames. The frame's `event` is the type of an
 * event; that of an exception has `exception:` before it, that of an unmodelled error `error:`, and `data` is then the message.
 * Throws `malformed-response` for a wrong checksum, length or header.
 */
export function createEventStreamFramer(origin: Origin): Framer {
  const decoder = new TextDecoder()
  /** What came of a message that is not whole, at the start of a buffer that grows. */
  let rest = new Uint8Array(0)
  let length = 0
  const keep = (bytes: Uint8Array): void => {
    if (rest.length < length + bytes.length) {
      const larger = new Uint8Array(Math.max(2 * rest.length, length + bytes.length))
      larger.set(rest.subarray(0, length))
      rest = larger
    }
    rest.set(bytes, length)
    length += bytes.length
  }
  return {
    push(bytes, onFrame) {
      const isFresh = length === 0
      if (!isFresh) keep(bytes)
      const all = isFresh ? bytes : rest.subarray(0, length)
      let at = 0
      for (;;) {
        const size = lengthAt(all, at, origin)
        if (size === undefined || all.length - at < size) break
        onFrame(readMessage(all.subarray(at, at + size), decoder, origin))
        at += size
      }
      if (isFresh) keep(all.subarray(at))
      else if (at > 0) {
        rest.copyWithin(0, at, length)
        length -= at
      }
    },
    // That the turn is not whole is for the decoder to say. It has to know that something came: nothing at all is another error.
    end(onFrame) {
      if (length > 0) onFrame({ event: 'unfinished', data: '{}' })
    },
  }
}

/** The length of the message that begins there; `undefined` while its prelude is not whole. */
function lengthAt(bytes: Uint8Array, at: number, origin: Origin): number | undefined {
  if (bytes.length - at < preludeLength) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, preludeLength)
  const size = view.getUint32(0)
  if (crc32(bytes.subarray(at, at + 8)) !== view.getUint32(8))
    throw broken('the checksum of its prelude is wrong', origin)
  if (size < leastLength || size > mostLength) throw broken(`its length is ${size} bytes`, origin)
  if (view.getUint32(4) > size - leastLength) throw broken('its headers are longer than the message', origin)
  return size
}

function readMessage(bytes: Uint8Array, decoder: TextDecoder, origin: Origin): Frame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = bytes.length - checksumLength
  if (crc32(bytes.subarray(0, end)) !== view.getUint32(end)) throw broken('its checksum is wrong', origin)
  const bodyAt = preludeLength + view.getUint32(4)
  const headers = readHeaders(bytes.subarray(preludeLength, bodyAt), decoder, origin)
  const payload = decoder.decode(bytes.subarray(bodyAt, end))
  switch (headers.get(':message-type')) {
    case 'event':
      return { event: headers.get(':event-type'), data: payload }
    case 'exception':
      return { event: `exception:${headers.get(':exception-type')}`, data: payload }
    case 'error': {
      const message = headers.get(':error-message')
      return { event: `error:${headers.get(':error-code')}`, data: JSON.stringify({ message }) }
    }
    case undefined:
    default:
      throw broken('it says neither event, exception nor error', origin)
  }
}

/** Sizes of the values of the header types that have one size; 6 and 7 bear their length. */
const sizes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }
const blobType = 6
const textType = 7

function readHeaders(bytes: Uint8Array, decoder: TextDecoder, origin: Origin): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw broken('a header is longer than the headers', origin)
    at += count
    return bytes.subarray(at - count, at)
  }
  const takeByte = (): number => {
    take(1)
    return view.getUint8(at - 1)
  }
  while (at < bytes.length) {
    const name = decoder.decode(take(takeByte()))
    const type = takeByte()
    if (type === textType || type === blobType) {
      take(2)
      const value = take(view.getUint16(at - 2))
      if (type === textType) headers.set(name, decoder.decode(value))
      continue
    }
    const size = sizes[type]
    if (size === undefined) throw broken(`its header '${name}' is of the type ${type}, which does not exist`, origin)
    take(size)
  }
  return headers
}

function broken(reason: string, origin: Origin): Error {
  return malformed(origin, `a message of the event stream cannot be read: ${reason}`, 'binary data')
}
