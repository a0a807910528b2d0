import { crc32 as reference } from 'node:zlib'
import { Int64 } from '@smithy/eventstream-codec'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { AdapterError, type Frame } from '@steploop/core/adapter'
import { crc32 } from './crc32.ts'
import { createEventStreamFramer } from './event-stream.ts'
import { parsePayload } from './payload.ts'
import { codec, joinBytes, message, origin } from './testing.ts'

function framesOf(chunks: readonly Uint8Array[]): readonly Frame[] {
  const framer = createEventStreamFramer(origin)
  const frames: Frame[] = []
  for (const chunk of chunks) framer.push(chunk, (frame) => frames.push(frame))
  framer.end((frame) => frames.push(frame))
  return frames
}

function failureOf(bytes: Uint8Array): unknown {
  try {
    return framesOf([bytes])
  } catch (error) {
    return error
  }
}

/** The same message with its checksums made right, so that what is wrong is what was changed. */
function resealed(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer)
  view.setUint32(8, reference(bytes.subarray(0, 8)))
  view.setUint32(bytes.length - 4, reference(bytes.subarray(0, bytes.length - 4)))
  return bytes
}

const hello = message('contentBlockDelta', { delta: { text: 'Grüezi 🌞' } })

test('the checksum is that of IEEE 802.3', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => crc32(bytes) === reference(bytes)))
})

test('a message that is not whole is reported as such at the end', () => {
  for (let length = 1; length < hello.length; length++) {
    expect(framesOf([hello.subarray(0, length)])).toEqual([{ event: 'unfinished', data: '{}' }])
  }
  expect(framesOf([])).toEqual([])
})

test('any bit that is wrong is found, in the prelude, the headers, the payload and the checksums', () => {
  const before = joinBytes(hello, message('messageStop', {}))
  for (let index = 0; index < hello.length; index++) {
    const bytes = before.slice()
    bytes[index] = (bytes[index] ?? 0) ^ (1 << (index % 8))
    const failure = failureOf(bytes)
    expect(AdapterError.isInstance(failure) && failure.code, `byte ${index}`).toBe('malformed-response')
  }
})

/** The first bytes of a message, which say how long it is. */
function prelude(length: number): Uint8Array {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setUint32(0, length)
  return resealed(bytes).subarray(0, 12)
}

/** 24 MiB of payload and 128 KiB of headers: https://smithy.io/2.0/aws/amazon-eventstream.html */
const longest = 24 * 1024 ** 2 + 128 * 1024 + 16

test.each([15, longest + 1])('what no message says is refused: a length of %i', (length) => {
  const failure = failureOf(prelude(length))
  expect(failure).toMatchObject({ ...origin, code: 'malformed-response' })
  expect(String(failure)).toContain(`its length is ${length} bytes`)
})

test.each([16, longest])('a message may have a length of %i', (length) => {
  expect(framesOf([prelude(length)])).toEqual([{ event: 'unfinished', data: '{}' }])
})

test('what no message says is refused: a header of a type that does not exist', () => {
  const bytes = hello.slice()
  const typeAt = 12 + 1 + (bytes[12] ?? 0)
  bytes[typeAt] = 42
  const failure = failureOf(resealed(bytes))
  expect(failure).toMatchObject({ ...origin, code: 'malformed-response' })
  expect(String(failure)).toContain('type 42')
})

test('what no message says is refused: a header that goes beyond the headers', () => {
  const bytes = hello.slice()
  bytes[12] = 255
  const failure = failureOf(resealed(bytes))
  expect(failure).toMatchObject({ ...origin, code: 'malformed-response' })
  expect(String(failure)).toContain('a header is longer')
})

test('what no message says is refused: a message of another kind', () => {
  expect(failureOf(message('x', {}, 'novelty'))).toMatchObject({ ...origin, code: 'malformed-response' })
})

test('what no message says is refused: headers that are longer than it', () => {
  const bytes = hello.slice()
  new DataView(bytes.buffer).setUint32(4, bytes.length)
  const failure = failureOf(resealed(bytes))
  expect(failure).toMatchObject({ ...origin, code: 'malformed-response' })
  expect(String(failure)).toContain('headers are longer')
})

test('headers of every type stand before those that tell what it is, and an error has its code', () => {
  const [bytes, date] = [new Uint8Array(3), new Date(0)]
  const encoded = codec.encode({
    headers: {
      yes: { type: 'boolean', value: true },
      no: { type: 'boolean', value: false },
      byte: { type: 'byte', value: 1 },
      short: { type: 'short', value: 2 },
      int: { type: 'integer', value: 3 },
      long: { type: 'long', value: Int64.fromNumber(4) },
      bytes: { type: 'binary', value: bytes },
      date: { type: 'timestamp', value: date },
      uuid: { type: 'uuid', value: '00000000-0000-0000-0000-000000000000' },
      ':message-type': { type: 'string', value: 'error' },
      ':error-code': { type: 'string', value: 'InternalFailure' },
      ':error-message': { type: 'string', value: 'oops' },
    },
    body: new Uint8Array(0),
  })
  expect(framesOf([encoded])).toEqual([{ event: 'error:InternalFailure', data: '{"message":"oops"}' }])
})

test('exceptions are distinguished from events', () => {
  expect(framesOf([message('throttlingException', { message: 'slow down' }, 'exception')])).toEqual([
    { event: 'exception:throttlingException', data: '{"message":"slow down"}' },
  ])
})

test.each([
  ['no JSON', /is not JSON/],
  ['{}', /holds no `bytes`/],
  ['{"bytes":"?"}', /are no base64/],
])('a chunk of Claude whose data is %j is an error that says whose', (data, words) => {
  const read = () => parsePayload(data, origin)
  expect(read).toThrow(expect.objectContaining({ code: 'malformed-response', ...origin }))
  expect(read).toThrow(words)
})
