import {
  type AssistantMessage,
  type FunctionToolDefinition,
  type JsonObject,
  type Message,
  type Mode,
  type ToolMessage,
  type Turn,
  type TurnRequest,
} from '@steploop/core/adapter'
import { decodeStream, decodeWhole, encodeTurn, type DecodedEvents, type EncodedTurn } from '@steploop/core/testing'
import { geminiGenerate, type GeminiGenerateOptions } from './wire.ts'

export const model = 'gemini-3-flash-preview'
export const origin = { provider: 'gemini', model }
export const question: Message = { role: 'user', content: 'Is it raining in Graz?' }
export const weather: FunctionToolDefinition = {
  type: 'function',
  name: 'weather',
  description: 'Looks out of the window.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

export function requestOf(fields: Partial<TurnRequest> = {}): TurnRequest {
  return { messages: [question], turn: 0, ...fields }
}

/** A response, or one chunk of a stream, whose first candidate has these parts. */
export function answer(parts: readonly object[], candidate: object = { finishReason: 'STOP' }): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...candidate }],
    usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 5, totalTokenCount: 13 },
    modelVersion: model,
    responseId: 'resp_1',
  }
}

export function readStream(chunks: readonly (object | string)[], request: TurnRequest = requestOf()): DecodedEvents {
  return decodeStream(geminiGenerate(origin), chunks, { request, origin })
}

export function readWhole(body: unknown, request: TurnRequest = requestOf()): DecodedEvents {
  return decodeWhole(geminiGenerate(origin), body, { request, origin })
}

export interface Encoded extends EncodedTurn {
  readonly contents: readonly JsonObject[]
}

export function encoded(
  fields: Partial<TurnRequest> = {},
  options: Partial<GeminiGenerateOptions> = {},
  mode?: Mode,
): Encoded {
  const turn = encodeTurn(geminiGenerate({ ...origin, ...options }), requestOf(fields), mode, 'contents')
  return { ...turn, contents: turn.messages }
}

/** Results of all client calls of a turn, in call order. */
function resultsOf(message: AssistantMessage, value = 'Dry.'): ToolMessage {
  return {
    role: 'tool',
    content: message.content.flatMap((part) => {
      if (part.type !== 'tool-call' || part.owner === 'provider') return []
      const { toolCallId, toolName } = part
      return [{ type: 'tool-result' as const, toolCallId, toolName, output: { type: 'text' as const, value } }]
    }),
  }
}

/** What goes out for a decoded turn and its results. */
export function sentBack(turn: Turn, options: Partial<GeminiGenerateOptions> = {}): readonly JsonObject[] {
  const results = resultsOf(turn.message)
  const messages = [question, turn.message, ...(results.content.length > 0 ? [results] : [])]
  return encoded({ messages, turn: 1 }, options).contents.slice(1)
}
