import {
  type AssistantMessage,
  type AssistantPart,
  type JsonObject,
  type Message,
  type Mode,
  type TurnRequest,
  type WireFormat,
} from '@steploop/core/adapter'
import { decodeStream, decodeWhole, encodeTurn, type DecodedEvents, type EncodedTurn } from '@steploop/core/testing'
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
  const frames = chunks.map((chunk) => (typeof chunk === 'string' ? chunk : chunkText(chunk)))
  return decodeStream(wireOf(dialect), frames, { request, origin })
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
  return decodeWhole(wireOf(dialect), answer, { request, origin })
}

export function send(fields: Partial<TurnRequest>, dialect?: ChatDialect, mode?: Mode): EncodedTurn {
  return encodeTurn(wireOf(dialect), requestOf(fields), mode)
}

/** The assistant message of the body that sends this one back. */
export function sendBack(message: AssistantMessage, dialect?: ChatDialect): JsonObject | undefined {
  const { messages } = send({ messages: [question, message] }, dialect)
  return messages[1]
}

export function assistant(content: readonly AssistantPart[], provider = origin.provider): AssistantMessage {
  return { role: 'assistant', content, provider, model: origin.model }
}
