import type { AssistantMessage, AssistantPart, JsonObject, Message, Mode, TurnRequest } from '@steploop/core/adapter'
import { decodeStream, decodeWhole, encodeTurn, type DecodedEvents, type EncodedTurn } from '@steploop/core/testing'
import { cohereChat } from './wire.ts'

export const origin = { provider: 'cohere', model: 'command-a-03-2025' }

export const question: Message = { role: 'user', content: 'Weather in Zürich?' }

export function requestOf(fields: Partial<TurnRequest> = {}): TurnRequest {
  return { messages: [question], turn: 0, ...fields }
}

/** An event of a stream, whose `delta` holds these members of the message. */
export function event(type: string, message: JsonObject = {}, fields: JsonObject = {}): JsonObject {
  return { type, delta: { message }, ...fields }
}

export const begin: JsonObject = { id: 'r-1', ...event('message-start', { role: 'assistant', content: [] }) }

export function finished(reason = 'COMPLETE', fields: JsonObject = {}): JsonObject {
  return { type: 'message-end', delta: { finish_reason: reason, ...fields } }
}

export function readStream(events: readonly JsonObject[], request = requestOf()): DecodedEvents {
  return decodeStream(cohereChat(origin), events, { request, origin })
}

export function readWhole(message: JsonObject, fields: JsonObject = {}, request = requestOf()): DecodedEvents {
  const body = { id: 'r-1', message: { role: 'assistant', ...message }, finish_reason: 'COMPLETE', ...fields }
  return decodeWhole(cohereChat(origin), body, { request, origin })
}

export function send(fields: Partial<TurnRequest>, mode?: Mode): EncodedTurn {
  return encodeTurn(cohereChat(origin), requestOf(fields), mode)
}

export function assistant(content: readonly AssistantPart[], provider = origin.provider): AssistantMessage {
  return { role: 'assistant', content, provider, model: origin.model }
}
