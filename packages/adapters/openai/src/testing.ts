import { type Message, type Mode, type ToolCallPart, type TurnRequest, type Warning } from '@steploop/core/adapter'
import { decodeEvents, wholeWarnings, type DecodedEvents } from '@steploop/core/testing'
import type { ResponsesOptions } from './options.ts'
import { openaiResponses } from './wire.ts'

export const origin = { provider: 'openai', model: 'gpt-5' }

export const question: Message = { role: 'user', content: 'Weather in Oslo?' }

export function requestOf(fields: Partial<TurnRequest> = {}): TurnRequest {
  return { messages: [question], turn: 0, ...fields }
}

/** Decodes events as a stream; the frames carry no `event:` line unless `event` is given. */
export function readStream(events: readonly (object | string)[], request: TurnRequest = requestOf()): DecodedEvents {
  return decodeEvents((out) => {
    const decoder = openaiResponses(origin).createDecoder(request)
    for (const event of events) decoder.push({ data: typeof event === 'string' ? event : JSON.stringify(event) }, out)
    decoder.end(out)
  }, origin)
}

export function readWhole(body: unknown, request: TurnRequest = requestOf()): DecodedEvents {
  return decodeEvents((out) => openaiResponses(origin).decode(body, request, out), origin)
}

/** A finished response with this output. */
export function responseOf(output: readonly object[], fields: object = {}): Record<string, unknown> {
  return { id: 'resp_1', object: 'response', model: 'gpt-5-2025', status: 'completed', output, ...fields }
}

/** The events of an answer whose items come whole, in `output_item.done`. */
export function eventsOf(output: readonly object[], fields: object = {}): readonly object[] {
  return [
    { type: 'response.created', response: { id: 'resp_1', model: 'gpt-5-2025', status: 'in_progress', output: [] } },
    ...output.flatMap((item, output_index) => [{ type: 'response.output_item.done', output_index, item }]),
    { type: 'response.completed', response: responseOf(output, fields) },
  ]
}

export interface Encoded {
  readonly text: string
  readonly body: Record<string, unknown>
  readonly input: readonly Record<string, unknown>[]
  readonly warnings: readonly Warning[]
}

export function encoded(
  fields: Partial<TurnRequest> = {},
  options: Partial<ResponsesOptions> = {},
  mode: Mode = 'generate',
): Encoded {
  const { body: text, warnings } = openaiResponses({ ...origin, ...options }).encode(requestOf(fields), mode)
  const body = JSON.parse(text) as Record<string, unknown>
  return { text, body, input: body['input'] as Record<string, unknown>[], warnings: wholeWarnings(warnings) }
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
export function replayed(output: readonly object[]): readonly Record<string, unknown>[] {
  const { turn } = readWhole(responseOf(output))
  return encoded({ messages: [question, turn.message] }).input.slice(1)
}
