import {
  AdapterError,
  arrayOf,
  isObject,
  malformed,
  numberOf,
  objectOf,
  parseJson,
  textOf,
  type JsonObject,
  type Origin,
  type TurnDecoder,
  type TurnEvent,
  type TurnRequest,
} from '@steploop/core/adapter'
import { inBandError, isErrorBody } from './errors.ts'
import { discardWarning, finishReasonOf } from './finish-reason.ts'
import { citationsOf } from './grounding.ts'
import { createPartReader, type PartReader, type PartReaderOptions } from './decode-parts.ts'
import { createUsageReader, type UsageReader } from './usage.ts'

/** One JSON body: read like a stream of one chunk. Without `alt=sse`, which proxies lose, a stream comes as one list of its chunks. */
export function decodeResponse(
  json: unknown,
  request: TurnRequest,
  options: PartReaderOptions,
  out: TurnEvent[],
): void {
  const turn = createTurn(request, options)
  for (const chunk of Array.isArray(json) ? arrayOf(json) : [json]) readChunk(turn, chunk, out)
  if (!turn.answered) throw new AdapterError({ ...turn.origin, code: 'empty-response' })
  finishTurn(turn, out)
}

/** Terminal evidence: a `finishReason`, or a `blockReason` for the prompt. There is no `[DONE]` (docs/wire.md#the-end-of-a-stream). */
export function createDecoder(request: TurnRequest, options: PartReaderOptions): TurnDecoder {
  const turn = createTurn(request, options)
  return {
    push(frame, out) {
      readChunk(turn, parseJson(frame.data, turn.origin), out)
    },
    // A reason is no end mark: usage and grounding may come after it, and early models gave one with every chunk.
    progress: () => (isProven(turn) ? 'answered' : 'open'),
    end(out) {
      if (!isProven(turn)) throw new AdapterError({ ...turn.origin, code: 'incomplete-stream' })
      finishTurn(turn, out)
    },
  }
}

interface TurnState {
  readonly origin: Origin
  readonly parts: PartReader
  readonly usage: UsageReader
  started?: true
  /** A candidate or the verdict on the prompt came. */
  answered?: true
  finish?: string | undefined
  blocked?: string | undefined
  responseId?: string | undefined
  model?: string | undefined
  /** Facts about the answer that have no neutral form, kept with the message; the last value of each. */
  readonly facts: Record<string, unknown>
  /** Grounding whose sources a later chunk replaced. */
  readonly earlierGrounding: JsonObject[]
}

function isProven({ finish, blocked }: TurnState): boolean {
  return finish !== undefined || blocked !== undefined
}

function createTurn(request: TurnRequest, options: PartReaderOptions): TurnState {
  return {
    origin: { provider: options.provider, model: options.model },
    parts: createPartReader(request, options),
    usage: createUsageReader(),
    facts: {},
    earlierGrounding: [],
  }
}

function readChunk(turn: TurnState, json: unknown, out: TurnEvent[]): void {
  if (isErrorBody(json)) throw inBandError(json, turn.origin)
  if (!isObject(json)) {
    throw malformed(turn.origin, 'the response is no GenerateContentResponse', JSON.stringify(json))
  }
  turn.responseId ??= textOf(json['responseId'])
  turn.model ??= textOf(json['modelVersion'])
  if (!turn.started) {
    turn.started = true
    out.push({ type: 'turn-start', responseId: turn.responseId, model: turn.model })
  }
  turn.usage.read(json['usageMetadata'])
  const blocked = textOf(objectOf(json['promptFeedback'])['blockReason'])
  if (blocked !== undefined) {
    turn.answered = true
    turn.blocked = blocked
    turn.facts['promptFeedback'] = json['promptFeedback']
  }
  for (const candidate of arrayOf(json['candidates'])) readCandidate(turn, objectOf(candidate), out)
}

const factNames = [
  'finishMessage',
  'safetyRatings',
  'citationMetadata',
  'groundingMetadata',
  'urlContextMetadata',
  'avgLogprobs',
  'logprobsResult',
  'continuationToken',
]

/** Only the first of several candidates is the turn. Content may be absent or empty (docs/wire.md#gemini-missing-parts). */
function readCandidate(turn: TurnState, candidate: JsonObject, out: TurnEvent[]): void {
  if ((numberOf(candidate['index']) ?? 0) !== 0) return
  turn.answered = true
  for (const part of arrayOf(objectOf(candidate['content'])['parts'])) {
    if (isObject(part)) turn.parts.read(part, out)
  }
  for (const name of factNames) {
    const fact = candidate[name]
    if (fact == null || (isObject(fact) && Object.keys(fact).length === 0)) continue
    const before = name === 'groundingMetadata' && isObject(fact) ? groundingBefore(turn, fact) : turn.facts[name]
    turn.facts[name] = isObject(fact) ? { ...objectOf(before), ...fact } : fact
  }
  turn.finish = textOf(candidate['finishReason']) ?? turn.finish
}

/** Grounding may come in more than one chunk. Supports point into the list of sources that they came with, so a new list parts them. */
function groundingBefore(turn: TurnState, grounding: JsonObject): JsonObject {
  const before = objectOf(turn.facts['groundingMetadata'])
  if (before['groundingChunks'] === undefined || grounding['groundingChunks'] === undefined) return before
  turn.earlierGrounding.push(before)
  const { groundingSupports: _supports, ...rest } = before
  return rest
}

function finishTurn(turn: TurnState, out: TurnEvent[]): void {
  const { finish, blocked, facts } = turn
  const citations = citationsOf(facts, turn.parts.texts, turn.earlierGrounding)
  let textless: number | undefined
  for (const { part = (textless ??= turn.parts.nextPart()), citation } of citations)
    out.push({ type: 'citation', part, citation })
  turn.parts.end(out, finish !== 'STOP')
  const finishReason =
    finish === undefined && blocked !== undefined ? 'content-filter' : finishReasonOf(finish, turn.parts.clientCalls())
  const warnings = discardWarning(finish, textOf(facts['finishMessage']))
  out.push({
    type: 'turn-end',
    finishReason,
    rawFinishReason: finish ?? blocked,
    usage: turn.usage.usage(),
    responseId: turn.responseId,
    model: turn.model,
    ...(Object.keys(facts).length > 0 && { providerMetadata: { ...turn.origin, data: facts } }),
    ...(warnings.length > 0 && { warnings }),
  })
}
