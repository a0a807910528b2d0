import {
  AdapterError,
  arrayOf,
  createChunkParser,
  isObject,
  malformed,
  numberOf,
  objectOf,
  textOf,
  type ChunkParser,
  type ChunkPath,
  type Frame,
  type JsonObject,
  type Origin,
  type TurnDecoder,
  type TurnEvent,
  type TurnRequest,
} from '@steploop/core/adapter'
import { createBlockReader, type BlockReader, type DecoderOptions } from './decode-blocks.ts'
import { inBandError, isErrorBody } from './errors.ts'
import { finishReasonOf } from './finish-reason.ts'
import { createUsageReader, type UsageReader } from './usage.ts'

/** One JSON body: the same steps as for a stream, all at once. */
export function decodeMessage(json: unknown, request: TurnRequest, options: DecoderOptions, out: TurnEvent[]): void {
  if (isErrorBody(json)) throw inBandError(json, options)
  if (!isObject(json) || !Array.isArray(json['content'])) {
    throw malformed(options, 'the response is no message of the Messages API', JSON.stringify(json))
  }
  const turn = createTurn(request, options)
  startMessage(turn, json, out)
  finishTurn(turn, out)
}

/**
 * Terminal evidence: `message_stop`. A second `message_start` (docs/wire.md#anthropic-a-second-start) is taken for a repetition while no
 * content has come. Later it means that a proxy tried again inside the stream: what came before cannot be unsaid, so the turn fails as
 * `malformed-response`, which is retryable.
 */
export function createDecoder(request: TurnRequest, options: DecoderOptions): TurnDecoder {
  const turn = createTurn(request, options)
  return {
    push(frame, out) {
      if (!turn.stopped) pushFrame(turn, frame, out)
    },
    progress: () => (turn.stopped ? 'done' : 'open'),
    end(out) {
      if (!turn.stopped) throw new AdapterError({ ...turn.origin, code: 'incomplete-stream' })
      finishTurn(turn, out)
    },
  }
}

/** What is another in every delta. */
const changing: readonly ChunkPath[] = [
  ['delta', 'text'],
  ['delta', 'thinking'],
  ['delta', 'partial_json'],
]

interface TurnState {
  readonly origin: Origin
  readonly parse: ChunkParser
  readonly blocks: BlockReader
  readonly usage: UsageReader
  started?: true
  stopped?: true
  stopReason?: string | undefined
  responseId?: string | undefined
  model?: string | undefined
  /** Facts about the message that have no neutral form; kept with it. */
  readonly facts: Record<string, unknown>
}

function createTurn(request: TurnRequest, options: DecoderOptions): TurnState {
  const origin = { provider: options.provider, model: options.model }
  return {
    origin,
    parse: createChunkParser(changing, origin),
    blocks: createBlockReader(request, options),
    usage: createUsageReader(),
    facts: {},
  }
}

function pushFrame(turn: TurnState, frame: Frame, out: TurnEvent[]): void {
  if (frame.data === '') return
  const event = turn.parse(frame.data)
  if (!isObject(event)) return
  // Proxies leave out the `event:` line (docs/wire.md#no-event-lines): the payload names its type.
  switch (event['type'] ?? frame.event) {
    case 'content_block_delta':
      if (!turn.started) begin(turn, {}, out)
      return turn.blocks.delta(indexOf(event), objectOf(event['delta']), out)
    case 'content_block_start':
      begin(turn, {}, out)
      return turn.blocks.open(indexOf(event), objectOf(event['content_block']), out)
    case 'content_block_stop':
      return turn.blocks.close(indexOf(event), out)
    case 'message_start':
      return startMessage(turn, objectOf(event['message']), out)
    case 'message_delta':
      begin(turn, {}, out)
      readEnd(turn, objectOf(event['delta']))
      readEnd(turn, event)
      return turn.usage.read(event['usage'])
    case 'message_stop':
      begin(turn, {}, out)
      turn.stopped = true
      return
    case 'error':
      throw inBandError(event, turn.origin)
    case undefined:
    default:
      // `ping` and whatever comes to be added.
      if (isErrorBody(event)) throw inBandError(event, turn.origin)
  }
}

/** Where a server leaves it out, the first block is meant. */
function indexOf(event: JsonObject): number {
  return numberOf(event['index']) ?? 0
}

/**
 * `message_start`, or the whole message. Its content is empty as a rule; calls made by code come whole in here
 * (docs/wire.md#anthropic-calls-inside-message-start).
 */
function startMessage(turn: TurnState, message: JsonObject, out: TurnEvent[]): void {
  if (turn.blocks.begun()) {
    throw malformed(turn.origin, 'a second message_start came amid the answer', JSON.stringify(message))
  }
  begin(turn, message, out)
  readEnd(turn, message)
  turn.usage.read(message['usage'])
  arrayOf(message['content']).forEach((block, index) => {
    turn.blocks.open(index, objectOf(block), out)
    turn.blocks.close(index, out)
  })
}

function begin(turn: TurnState, message: JsonObject, out: TurnEvent[]): void {
  if (turn.started) return
  turn.started = true
  turn.responseId = textOf(message['id'])
  turn.model = textOf(message['model'])
  out.push({ type: 'turn-start', responseId: turn.responseId, model: turn.model })
}

const factNames = ['stop_sequence', 'stop_details', 'container', 'context_management', 'diagnostics']

function readEnd(turn: TurnState, fields: JsonObject): void {
  turn.stopReason = textOf(fields['stop_reason']) ?? turn.stopReason
  for (const name of factNames) {
    if (fields[name] != null) turn.facts[name] = fields[name]
  }
}

function finishTurn(turn: TurnState, out: TurnEvent[]): void {
  const finishReason = finishReasonOf(turn.stopReason, turn.blocks.clientCalls())
  // The last call of an answer that was broken off may be a half one.
  turn.blocks.end(out, finishReason === 'length' || finishReason === 'content-filter')
  const data = Object.keys(turn.facts).length === 0 ? undefined : turn.facts
  out.push({
    type: 'turn-end',
    finishReason,
    rawFinishReason: turn.stopReason,
    usage: turn.usage.usage(),
    responseId: turn.responseId,
    model: turn.model,
    ...(data && { providerMetadata: { ...turn.origin, data } }),
  })
}
