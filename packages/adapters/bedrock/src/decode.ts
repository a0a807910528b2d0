import {
  AdapterError,
  arrayOf,
  isObject,
  malformed,
  numberOf,
  objectOf,
  parseJson,
  textOf,
  type FinishReason,
  type JsonObject,
  type Origin,
  type TurnDecoder,
  type TurnEvent,
  type Usage,
} from '@steploop/core/adapter'
import {
  createBlocks,
  endBlocks,
  readBlock,
  readDelta,
  startBlock,
  stopBlock,
  type BlockOptions,
} from './decode-blocks.ts'
import { throwIfErrorBody, throwIfException } from './errors.ts'
import { usageOf } from './usage.ts'

/** Decodes one answer of Converse. */
export function decodeAnswer(json: unknown, options: BlockOptions, out: TurnEvent[]): void {
  const body = objectOf(json)
  const message = objectOf(body['output'])['message']
  if (!isObject(message)) throwIfErrorBody(body, options.origin)
  if (!isObject(message)) throw malformed(options.origin, 'the answer holds no message', JSON.stringify(json))
  out.push({ type: 'turn-start' })
  const blocks = createBlocks(options)
  arrayOf(message['content']).forEach((block, index) => readBlock(blocks, index, objectOf(block), out))
  const stopReason = textOf(body['stopReason'])
  out.push(
    turnEnd(
      { stopReason, calls: blocks.calls.count, usage: usageOf(body['usage']), facts: factsIn(body) },
      options.origin,
    ),
  )
}

/** Terminal evidence is `messageStop`; usage follows it in `metadata`. Some recorded streams have them the other way round. */
export function createStreamDecoder(options: BlockOptions): TurnDecoder {
  const { origin } = options
  const blocks = createBlocks(options)
  let started = false
  let stop: JsonObject | undefined
  let metadata: JsonObject | undefined
  const read = (event: string | undefined, payload: JsonObject, out: TurnEvent[]): void => {
    const index = numberOf(payload['contentBlockIndex']) ?? 0
    switch (event) {
      case 'contentBlockStart':
        return startBlock(blocks, index, objectOf(payload['start']), out)
      case 'contentBlockDelta':
        return readDelta(blocks, index, objectOf(payload['delta']), out)
      case 'contentBlockStop':
        return stopBlock(blocks, index, out)
      case 'messageStop':
        stop = payload
        return
      case 'metadata':
        metadata = payload
        return
      case undefined:
      default: // `messageStart`, and what is new.
    }
  }
  return {
    push(frame, out) {
      throwIfException(frame, origin)
      if (!started) out.push({ type: 'turn-start' })
      started = true
      read(frame.event, objectOf(parseJson(frame.data === '' ? '{}' : frame.data, origin)), out)
    },
    progress() {
      if (stop === undefined) return 'open'
      return metadata === undefined ? 'answered' : 'done'
    },
    end(out) {
      const message = 'the stream ended without `messageStop`'
      if (stop === undefined) throw new AdapterError({ ...origin, code: 'incomplete-stream', message })
      const stopReason = textOf(stop['stopReason'])
      endBlocks(blocks, isCut(stopReason), out)
      const facts = factsIn({ ...stop, ...metadata })
      out.push(turnEnd({ stopReason, calls: blocks.calls.count, usage: usageOf(metadata?.['usage']), facts }, origin))
    },
  }
}

interface End {
  readonly stopReason: string | undefined
  /** Number of calls that the caller answers. */
  readonly calls: number
  readonly usage: Usage | undefined
  readonly facts: JsonObject | undefined
}

function turnEnd({ stopReason, calls, usage, facts }: End, origin: Origin): TurnEvent {
  return {
    type: 'turn-end',
    finishReason: finishOf(stopReason, calls > 0),
    rawFinishReason: stopReason,
    usage,
    ...(facts && { providerMetadata: { ...origin, data: facts } }),
  }
}

/** What the answer says beside its content: of guardrails, of the model's own fields, of how it was served. None of it goes back. */
const factNames = ['trace', 'additionalModelResponseFields', 'performanceConfig', 'serviceTier'] as const

function factsIn(body: JsonObject): JsonObject | undefined {
  const facts = factNames.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]] as const]))
  return facts.length === 0 ? undefined : Object.fromEntries(facts)
}

function isCut(stopReason: string | undefined): boolean {
  return stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded'
}

function finishOf(stopReason: string | undefined, hasCalls: boolean): FinishReason {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'guardrail_intervened':
    case 'content_filtered':
      return 'content-filter'
    case 'malformed_model_output':
    case 'malformed_tool_use':
      return 'error'
    case undefined:
    default:
      if (hasCalls) return 'tool-calls'
      return stopReason === undefined || stopReason === 'end_turn' || stopReason === 'stop_sequence'
        ? 'stop'
        : 'unknown'
  }
}
