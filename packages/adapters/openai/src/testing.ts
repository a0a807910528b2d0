import type { JsonObject, Message, Mode, ToolCallPart, TurnRequest } from '@steploop/core/adapter'
import { decodeStream, decodeWhole, encodeTurn, type DecodedEvents, type EncodedTurn } from '@steploop/core/testing'
import type { ResponsesOptions } from './dialect.ts'
import { openaiResponses } from './wire.ts'

export const origin = { provider: 'openai', model: 'gpt-5' }

export const question: Message = { role: 'user', content: 'Weather in Oslo?' }

export function requestOf(fields: Partial<TurnRequest> = {}): TurnRequest {
  return { messages: [question], turn: 0, ...fields }
}

/** Decodes events as a stream; the frames carry no `event:` line unless `event` is given. */
export function readStream(events: readonly (object | string)[], request: TurnRequest = requestOf()): DecodedEvents {
  return decodeStream(openaiResponses(origin), events, { request, origin })
}

export function readWhole(body: unknown, request: TurnRequest = requestOf()): DecodedEvents {
  return decodeWhole(openaiResponses(origin), body, { request, origin })
}

/** A finished response with this output. */
export function responseOf(output: readonly object[], fields: object = {}): Record<string, unknown> {
  return { id: 'resp_1', object: 'response', model: 'gpt-5-2025', status: 'completed', output, ...fields }
}

/** The events of an answer whose items come whole, in `output_item.done`. */
export function eventsOf(
  output: readonly object[],
  fields: object = {},
): readonly (JsonObject & { readonly type: string })[] {
  return [
    { type: 'response.created', response: { id: 'resp_1', model: 'gpt-5-2025', status: 'in_progress', output: [] } },
    ...output.flatMap((item, output_index) => [{ type: 'response.output_item.done', output_index, item }]),
    { type: 'response.completed', response: responseOf(output, fields) },
  ]
}

export interface Encoded extends EncodedTurn {
  readonly input: readonly JsonObject[]
}

export function encoded(
  fields: Partial<TurnRequest> = {},
  options: Partial<ResponsesOptions> = {},
  mode?: Mode,
): Encoded {
  const turn = encodeTurn(openaiResponses({ ...origin, ...options }), requestOf(fields), mode, 'input')
  return { ...turn, input: turn.messages }
}

export function toolCall(fields: Partial<ToolCallPart> = {}): ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: 'call_a',
    toolName: 'weather',
    input: { city: 'Oslo' },
    inputText: '{"city":"Oslo"}',
    owner: 'client',
    ...fields,
  }
}

/** The input items that go out when the decoded output is sent back to the same provider. */
export function replayed(output: readonly object[]): readonly JsonObject[] {
  const { turn } = readWhole(responseOf(output))
  return encoded({ messages: [question, turn.message] }).input.slice(1)
}
