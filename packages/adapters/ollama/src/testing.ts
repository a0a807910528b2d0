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
import { ollamaChat } from './wire.ts'

export const origin = { provider: 'ollama', model: 'qwen3' }

export const question: Message = { role: 'user', content: 'Weather in Zürich?' }

export function requestOf(fields: Partial<TurnRequest> = {}): TurnRequest {
  return { messages: [question], turn: 0, ...fields }
}

/** Decodes a stream: a line that has no member of one is the message of one; a text goes as it is. */
export function readStream(lines: readonly (JsonObject | string)[], request = requestOf()): DecodedEvents {
  return decodeEvents((out) => {
    const decoder = ollamaChat(origin).createDecoder(request)
    for (const line of lines) decoder.push({ data: typeof line === 'string' ? line : lineText(line) }, out)
    decoder.end(out)
  }, origin)
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
  return decodeEvents((out) => ollamaChat(origin).decode(body, request, out), origin)
}

export interface Sent {
  readonly body: JsonObject
  readonly messages: readonly JsonObject[]
  readonly warnings: readonly Warning[]
  readonly text: string
}

export function send(
  fields: Partial<TurnRequest>,
  options: { mode?: 'generate' | 'stream'; model?: string } = {},
): Sent {
  const { mode = 'generate', model = origin.model } = options
  const { body: text, warnings } = ollamaChat({ ...origin, model }).encode(requestOf(fields), mode)
  const body: unknown = JSON.parse(text)
  if (!isObject(body) || !Array.isArray(body['messages'])) throw new TypeError(`no chat request: ${text}`)
  return { body, messages: body['messages'].filter(isObject), warnings, text }
}

/** The message of the body that sends this one back. */
export function sendBack(message: AssistantMessage): JsonObject | undefined {
  return send({ messages: [question, message] }).messages[1]
}

export function assistant(content: readonly AssistantPart[], provider = origin.provider): AssistantMessage {
  return { role: 'assistant', content, provider, model: origin.model }
}
