import type { AssistantMessage, AssistantPart, JsonObject, Message, Mode, TurnRequest } from '@steploop/core/adapter'
import { decodeStream, decodeWhole, encodeTurn, type DecodedEvents, type EncodedTurn } from '@steploop/core/testing'
import { ollamaChat } from './wire.ts'

const origin = { provider: 'ollama', model: 'qwen3' }

export const question: Message = { role: 'user', content: 'Weather in Zürich?' }

export function requestOf(fields: Partial<TurnRequest> = {}): TurnRequest {
  return { messages: [question], turn: 0, ...fields }
}

/** Decodes a stream: a line that has no member of one is the message of one; a text goes as it is. */
export function readStream(lines: readonly (JsonObject | string)[], request = requestOf()): DecodedEvents {
  const frames = lines.map((line) => (typeof line === 'string' ? line : lineText(line)))
  return decodeStream(ollamaChat(origin), frames, { request, origin })
}

const lineMembers = ['done', 'error', 'message', 'logprobs']

function lineText(line: JsonObject): string {
  if (lineMembers.some((name) => name in line)) return JSON.stringify({ model: 'qwen3:8b', ...line })
  return JSON.stringify({ model: 'qwen3:8b', message: { role: 'assistant', content: '', ...line }, done: false })
}

/** The last line of a stream. */
export function done(fields: JsonObject = {}): JsonObject {
  return { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', ...fields }
}

/** Decodes one JSON answer with this message. */
export function readWhole(message: JsonObject, fields: JsonObject = {}, request = requestOf()): DecodedEvents {
  const body = { model: 'qwen3:8b', ...done(), message: { role: 'assistant', content: '', ...message }, ...fields }
  return decodeWhole(ollamaChat(origin), body, { request, origin })
}

export function send(
  fields: Partial<TurnRequest>,
  { mode, model = origin.model }: { mode?: Mode; model?: string } = {},
): EncodedTurn {
  return encodeTurn(ollamaChat({ ...origin, model }), requestOf(fields), mode)
}

/** The message of the body that sends this one back. */
export function sendBack(message: AssistantMessage): JsonObject | undefined {
  return send({ messages: [question, message] }).messages[1]
}

export function assistant(content: readonly AssistantPart[], provider = origin.provider): AssistantMessage {
  return { role: 'assistant', content, provider, model: origin.model }
}
