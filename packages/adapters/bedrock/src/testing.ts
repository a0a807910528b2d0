import type { JsonObject, TurnRequest } from '@steploop/core/adapter'
import { decodeEvents, decodeWhole, encodeTurn, type DecodedEvents, type EncodedTurn } from '@steploop/core/testing'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { bedrockConverse } from './wire.ts'

export const origin = { provider: 'bedrock', model: 'anthropic.claude-sonnet-4-5-20250929-v1:0' }

export const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes)),
  (text) => new TextEncoder().encode(text),
)

/** A message of the event stream, as the codec of the AWS SDK writes it. */
export function message(type: string, payload: object, messageType = 'event'): Uint8Array<ArrayBuffer> {
  const encoded = codec.encode({
    headers: {
      [messageType === 'event' ? ':event-type' : ':exception-type']: { type: 'string', value: type },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: messageType },
    },
    body: new TextEncoder().encode(JSON.stringify(payload)),
  })
  return new Uint8Array(encoded)
}

/** Bytes of several messages in one. */
export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** An event of ConverseStream by its name. */
export type Event = readonly [type: string, payload: JsonObject]

export const begin: Event = ['messageStart', { role: 'assistant' }]

export function delta(contentBlockIndex: number, piece: JsonObject): Event {
  return ['contentBlockDelta', { contentBlockIndex, delta: piece }]
}

export function stopped(contentBlockIndex: number): Event {
  return ['contentBlockStop', { contentBlockIndex }]
}

export function end(stopReason = 'end_turn'): Event {
  return ['messageStop', { stopReason }]
}

export function requestOf(fields: Partial<TurnRequest> = {}): TurnRequest {
  return { messages: [{ role: 'user', content: 'Weather in Zürich?' }], turn: 0, ...fields }
}

export function readStream(events: readonly Event[], request = requestOf()): DecodedEvents {
  return decodeEvents((out) => {
    const decoder = bedrockConverse(origin).createDecoder(request)
    for (const [event, payload] of events) decoder.push({ event, data: JSON.stringify(payload) }, out)
    decoder.end(out)
  }, origin)
}

export function readWhole(content: readonly JsonObject[], fields: JsonObject = {}): DecodedEvents {
  const body = { output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', ...fields }
  return decodeWhole(bedrockConverse(origin), body, { request: requestOf(), origin })
}

export function send(fields: Partial<TurnRequest>, model = origin.model): EncodedTurn {
  return encodeTurn(bedrockConverse({ ...origin, model }), requestOf(fields))
}
