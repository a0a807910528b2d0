import { isObject, type JsonObject } from '@steploop/core/adapter'
import { memberText, parsed } from '../../json.ts'
import { eventMessage } from '../simulate/event-message.ts'

/** A message of the AWS event stream, as byte offsets, with what it says. */
export interface ScannedMessage {
  readonly start: number
  readonly end: number
  /** The type of the event or of the exception. */
  readonly name: string
  /** The payload; of a `chunk` what its bytes hold. */
  readonly data: string
}

const leastLength = 16

/** No text begins with a byte of zeros, and every message shorter than 16 MiB does. */
export function isEventStream(bytes: Uint8Array): boolean {
  return bytes.length >= leastLength && bytes[0] === 0
}

/** The messages, by their lengths alone: a check of a framing must not share it. */
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
    const name = /:(?:event|exception)-type[^]{3}(\w+)/.exec(headers)?.[1] ?? ''
    const data = text.decode(bytes.subarray(headersEnd, end - 4))
    messages.push({ start, end, name, data: name === 'chunk' ? chunkText(data) : data })
    start = end
  }
  return messages
}

function chunkText(data: string): string {
  const chunk = parsed(data)
  return isObject(chunk) ? Buffer.from(memberText(chunk, 'bytes'), 'base64').toString() : data
}

/** What a message says, as the SDK's types have it: `{ <event>: payload }`. A chunk names no event: what it holds does. */
export function messagePayload({ name, data }: ScannedMessage): JsonObject | undefined {
  const payload = parsed(data)
  if (!isObject(payload)) return undefined
  return name === 'chunk' ? payload : { [name]: payload }
}

/** The payloads of a stream, as far as they are JSON objects. */
export function messagePayloads(bytes: Uint8Array): readonly JsonObject[] {
  return scanMessages(bytes)
    .map(messagePayload)
    .filter((payload) => payload !== undefined)
}

/** The message for such a payload. What is no whole JSON goes out as it is, under the name of the message in whose place it stands. */
export function printMessage(text: string, { name }: Pick<ScannedMessage, 'name'>): Uint8Array<ArrayBuffer> {
  if (name === 'chunk') return eventMessage(name, JSON.stringify({ bytes: Buffer.from(text).toString('base64') }))
  const [, event = name, rest = text] = /^\{"(\w+)":([^]*)$/.exec(text) ?? []
  const payload = parsed(text) === undefined ? rest : rest.slice(0, -1)
  return eventMessage(event, payload, event.endsWith('Exception') ? 'exception' : 'event')
}
