import {
  isObject,
  type AssistantMessage,
  type AssistantPart,
  type JsonObject,
  type Message,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import { decodeEvents, type DecodedEvents } from '@steploop/core/testing'
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
  return decodeEvents((out) => {
    const decoder = cohereChat(origin).createDecoder(request)
    for (const one of events) decoder.push({ data: JSON.stringify(one) }, out)
    decoder.end(out)
  }, origin)
}

export function readWhole(message: JsonObject, fields: JsonObject = {}, request = requestOf()): DecodedEvents {
  const body = { id: 'r-1', message: { role: 'assistant', ...message }, finish_reason: 'COMPLETE', ...fields }
  return decodeEvents((out) => cohereChat(origin).decode(body, request, out), origin)
}

export interface Sent {
  readonly body: JsonObject
  readonly messages: readonly JsonObject[]
  readonly warnings: readonly Warning[]
}

export function send(fields: Partial<TurnRequest>, mode: 'generate' | 'stream' = 'generate'): Sent {
  const { body: text, warnings } = cohereChat(origin).encode(requestOf(fields), mode)
  const body: unknown = JSON.parse(text)
  if (!isObject(body) || !Array.isArray(body['messages'])) throw new TypeError(`no chat request: ${text}`)
  return { body, messages: body['messages'].filter(isObject), warnings }
}

/** The message of the body that sends this one back. */
export function sendBack(message: AssistantMessage): JsonObject | undefined {
  return send({ messages: [question, message] }).messages[1]
}

export function assistant(content: readonly AssistantPart[], provider = origin.provider): AssistantMessage {
  return { role: 'assistant', content, provider, model: origin.model }
}
