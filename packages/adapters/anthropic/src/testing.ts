import { createTurnCollector, type Message, type Turn, type TurnEvent, type TurnRequest } from '@steploop/core/adapter'
import { decodeStream, decodeWhole, encodeTurn, type DecodedEvents, type EncodedTurn } from '@steploop/core/testing'
import { anthropicMessages } from './wire.ts'

export const origin = { provider: 'anthropic', model: 'claude-sonnet-4-5' }

export function requestOf(fields: Partial<TurnRequest> = {}): TurnRequest {
  return { messages: [{ role: 'user', content: 'Hello' }], turn: 0, ...fields }
}

export interface Encoded extends Omit<EncodedTurn, 'body'> {
  /** Tests look into it freely. */
  readonly body: ReturnType<typeof JSON.parse>
}

/** Encodes with a fresh adapter. */
export function encoded(fields: Partial<TurnRequest>, model: string = origin.model): Encoded {
  return encodeTurn(anthropicMessages({ provider: origin.provider, model }), requestOf(fields))
}

/** The blocks that the API would see of these messages, each with its role. */
export function sent(...messages: Message[]): { role: string; content: unknown[] }[] {
  return encoded({ messages }).body['messages']
}

/** Pushes each event as a frame of its own and ends the stream. */
export function streamed(
  events: readonly (object | string)[],
  fields: Partial<TurnRequest> = {},
): readonly TurnEvent[] {
  return eventsOf(decodeStream(anthropicMessages(origin), events, { request: requestOf(fields), origin }))
}

export function decoded(json: unknown, fields: Partial<TurnRequest> = {}): readonly TurnEvent[] {
  return eventsOf(decodeWhole(anthropicMessages(origin), json, { request: requestOf(fields), origin }))
}

function eventsOf({ events, error }: DecodedEvents): readonly TurnEvent[] {
  // What is thrown is what the decoder threw.
  if (error !== undefined) throw error as Error
  return events
}

export function turnOf(events: readonly TurnEvent[]): Turn {
  const collector = createTurnCollector(origin)
  collector.push(events)
  return collector.turn()
}

export function messageOf(content: readonly object[], fields: object = {}): object {
  const usage = { input_tokens: 10, output_tokens: 5 }
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content,
    stop_reason: 'end_turn',
    usage,
    ...fields,
  }
}

export const start = {
  type: 'message_start',
  message: { ...messageOf([]), stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } },
}
export const stop = { type: 'message_stop' }

export function open(index: number, content_block: object): object {
  return { type: 'content_block_start', index, content_block }
}

export function delta(index: number, fields: object): object {
  return { type: 'content_block_delta', index, delta: fields }
}

export function close(index: number): object {
  return { type: 'content_block_stop', index }
}

export function ending(stop_reason: string, usage: object = { output_tokens: 5 }): object {
  return { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }
}

/** A whole call as a stream sends it, with its arguments in pieces. */
export function call(index: number, id: string, name: string, ...pieces: string[]): object[] {
  const deltas = pieces.map((partial_json) => delta(index, { type: 'input_json_delta', partial_json }))
  return [open(index, { type: 'tool_use', id, name, input: {} }), ...deltas, close(index)]
}
