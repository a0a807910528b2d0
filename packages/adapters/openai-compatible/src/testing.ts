import {
  isObject,
  type AssistantMessage,
  type AssistantPart,
  type JsonObject,
  type Message,
  type TurnRequest,
  type Warning,
  type WireFormat,
} from '@steploop/core/adapter'
import { decodeEvents, wholeWarnings, type DecodedEvents } from '@steploop/core/testing'
import type { ChatDialect } from './dialect.ts'
import { chatCompletions } from './wire.ts'

export const origin = { provider: 'openai-compatible', model: 'chat-model' }

export const question: Message = { role: 'user', content: 'Weather in Zürich?' }

export function requestOf(fields: Partial<TurnRequest> = {}): TurnRequest {
  return { messages: [question], turn: 0, ...fields }
}

export function wireOf(dialect?: ChatDialect): WireFormat {
  return chatCompletions({ ...origin, dialect })
}

/** Decodes a stream; a chunk is a delta of the only choice, or a whole chunk when it has a member of one, or a text as it is. */
export function readStream(
  chunks: readonly (JsonObject | string)[],
  { dialect, request = requestOf() }: { dialect?: ChatDialect; request?: TurnRequest } = {},
): DecodedEvents {
  return decodeEvents((out) => {
    const decoder = wireOf(dialect).createDecoder(request)
    for (const chunk of chunks) decoder.push({ data: typeof chunk === 'string' ? chunk : chunkText(chunk) }, out)
    decoder.end(out)
  }, origin)
}

const chunkMembers = ['choices', 'usage', 'error', 'id', 'x_groq', 'object', 'citations']

function chunkText(chunk: JsonObject): string {
  if (chunkMembers.some((name) => name in chunk)) return JSON.stringify(chunk)
  const { finish_reason: finish, ...delta } = chunk
  return JSON.stringify({ choices: [{ index: 0, delta, ...(finish !== undefined && { finish_reason: finish }) }] })
}

/** Decodes one JSON answer whose only choice has this message. */
export function readWhole(
  message: JsonObject,
  {
    finish = 'stop',
    dialect,
    body,
    request = requestOf(),
  }: { finish?: string; dialect?: ChatDialect; body?: object; request?: TurnRequest } = {},
): DecodedEvents {
  const answer = {
    id: 'chat_1',
    model: 'chat-model-1',
    choices: [{ index: 0, message, finish_reason: finish }],
    ...body,
  }
  return decodeEvents((out) => wireOf(dialect).decode(answer, request, out), origin)
}

export interface Sent {
  readonly body: JsonObject
  readonly messages: readonly JsonObject[]
  readonly warnings: readonly Warning[]
  readonly text: string
}

export function send(
  fields: Partial<TurnRequest>,
  dialect?: ChatDialect,
  mode: 'generate' | 'stream' = 'generate',
): Sent {
  const { body: text, warnings } = wireOf(dialect).encode(requestOf(fields), mode)
  const body: unknown = JSON.parse(text)
  if (!isObject(body) || !Array.isArray(body['messages'])) throw new TypeError(`no chat request: ${text}`)
  return { body, messages: body['messages'].filter(isObject), warnings: wholeWarnings(warnings), text }
}

/** The assistant message of the body that sends this one back. */
export function sendBack(message: AssistantMessage, dialect?: ChatDialect): JsonObject | undefined {
  const { messages } = send({ messages: [question, message] }, dialect)
  return messages[1]
}

export function assistant(content: readonly AssistantPart[], provider = origin.provider): AssistantMessage {
  return { role: 'assistant', content, provider, model: origin.model }
}
