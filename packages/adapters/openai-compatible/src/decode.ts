import {
  AdapterError,
  arrayOf,
  createChunkParser,
  isObject,
  malformed,
  numberOf,
  objectOf,
  readLogprobs,
  textOf,
  type ChunkPath,
  type FinishReason,
  type JsonObject,
  type Origin,
  type TokenLogprob,
  type ToolNames,
  type TurnDecoder,
  type TurnEvent,
  type TurnProgress,
  type TurnRequest,
  type Usage,
  type Warning,
} from '@steploop/core/adapter'
import type { ResolvedDialect } from './dialect.ts'
import { inBandError } from './errors.ts'
import { endMessage, readMessage, type MessageReader } from './decode-message.ts'
import { createOpenParts, writeCitation, writeText, type OpenParts } from './part-writer.ts'
import { laterUsage, readUsage, upstreamUsage, withUpstream } from './usage.ts'

interface State {
  readonly origin: Origin
  readonly dialect: ResolvedDialect
  readonly parts: OpenParts
  readonly reader: MessageReader
  /** Titles by URL of a top-level list of sources. */
  sources: Map<string, string | undefined> | undefined
  started: boolean
  chosen: boolean
  done: boolean
  responseId: string | undefined
  model: string | undefined
  rawFinish: string | undefined
  usage: Usage | undefined
  readonly logprobs: TokenLogprob[]
  /** What the provider behind a gateway counted. */
  upstream: JsonObject
}

export interface DecodeOptions {
  readonly origin: Origin
  readonly dialect: ResolvedDialect
  readonly toolNames: (tools: TurnRequest['tools']) => ToolNames
}

function createState({ turn, tools }: TurnRequest, { origin, dialect, toolNames }: DecodeOptions): State {
  const { provider, model } = origin
  const parts = createOpenParts((data) => ({ provider, model, data }))
  return {
    origin,
    dialect,
    parts,
    reader: { parts, dialect, turn, toolNames: toolNames(tools), tools },
    sources: undefined,
    started: false,
    chosen: false,
    done: false,
    responseId: undefined,
    model: undefined,
    rawFinish: undefined,
    usage: undefined,
    logprobs: [],
    upstream: noCounts,
  }
}

const noCounts: JsonObject = Object.freeze({})

/** Decodes one JSON answer: the same reading as in a stream, of one chunk that holds it all. */
export function decodeAnswer(json: unknown, request: TurnRequest, options: DecodeOptions, out: TurnEvent[]): void {
  const { origin, dialect } = options
  const body = objectOf(Array.isArray(json) ? json[0] : json)
  throwIfError(body, false, origin, dialect)
  const state = createState(request, options)
  readHead(state, body, out)
  readChoice(state, body, true, out)
  if (!state.chosen) {
    const received = Array.isArray(body['choices']) ? '' : JSON.stringify(json)
    throw malformed(origin, 'the answer holds no choice', received)
  }
  endTurn(state, out)
}

/** What is another in every chunk: the texts, and what OpenAI and Mistral pad them with (docs/wire.md#padding). None of it is in the head. */
const changing: readonly ChunkPath[] = [
  ['choices', 0, 'delta', 'content'],
  ['choices', 0, 'delta', 'reasoning_content'],
  ['choices', 0, 'delta', 'reasoning'],
  ['choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments'],
  ['obfuscation'],
  ['p'],
]

export function createStreamDecoder(request: TurnRequest, options: DecodeOptions): TurnDecoder {
  const { origin, dialect } = options
  const state = createState(request, options)
  const parse = createChunkParser(changing, origin)
  /** The parser gives one object again where only the texts are others: nothing else in it is news. */
  let known: unknown
  let reread: Reread | undefined
  return {
    push({ event, data }, out) {
      if (state.done) return
      // Only short data can be blank or the end mark.
      const short = data.length < 16 ? data.trim() : undefined
      if (short === '[DONE]') state.done = true
      if (short === '[DONE]' || short === '') return
      const chunk = objectOf(parse(data))
      if (chunk !== known || event === 'error') {
        throwIfError(chunk, event === 'error', origin, dialect)
        readHead(state, chunk, out)
        readChoice(state, chunk, false, out)
        known = chunk
        reread = undefined
      } else (reread ??= rereadOf(state, chunk))(out)
    },
    progress: () => progressOf(state),
    end(out) {
      endStream(state, out)
    },
  }
}

/** Usage comes in a chunk of its own between the finish reason and `[DONE]`, which some servers leave out. */
function progressOf({ done, rawFinish }: State): TurnProgress {
  if (done) return 'done'
  return rawFinish === undefined ? 'open' : 'answered'
}

function throwIfError(body: JsonObject, announced: boolean, origin: Origin, dialect: ResolvedDialect): void {
  const facts = inBandError(body, announced, dialect.errorWords)
  if (facts !== undefined) throw new AdapterError({ ...origin, ...facts })
}

/**
 * Ids and model may come late, empty at first, or change with every chunk: the first that is not empty counts
 * (docs/wire.md#chat-chunks-without-choices, docs/wire.md#chat-ids-of-chunks).
 */
function readHead(state: State, body: JsonObject, out: TurnEvent[]): void {
  state.responseId ??= textOf(body['id'])
  state.model ??= textOf(body['model'])
  if (!state.started) {
    state.started = true
    out.push({ type: 'turn-start', responseId: state.responseId, model: state.model })
  }
  const usage = body['usage'] ?? objectOf(body['x_groq'])['usage'] ?? firstChoice(body)['usage']
  if (isObject(usage)) {
    const read = readUsage(usage)
    if (read !== undefined) state.usage = laterUsage(state.usage, state.dialect.usage(read, usage))
  }
  if (Array.isArray(body['citations'])) readSources(state, body['citations'], body)
}

/** A list beside the choices (Perplexity, xAI), repeated and growing in every chunk. */
function readSources(state: State, citations: readonly unknown[], body: JsonObject): void {
  let titles: ReadonlyMap<unknown, string | undefined> | undefined
  const sources = (state.sources ??= new Map())
  for (const citation of citations) {
    const url = textOf(citation) ?? textOf(objectOf(citation)['url'])
    if (url === undefined || sources.has(url)) continue
    titles ??= titlesOf(arrayOf(body['search_results']))
    sources.set(url, titles.get(url) ?? textOf(objectOf(citation)['title']))
  }
}

/** By URL; the first result of each counts. */
function titlesOf(results: readonly unknown[]): ReadonlyMap<unknown, string | undefined> {
  return new Map(results.toReversed().map((result) => [objectOf(result)['url'], textOf(objectOf(result)['title'])]))
}

type Reread = (out: TurnEvent[]) => void

/**
 * How a chunk is read that was read just before, and has other texts now. Where its delta is one piece of a text or of a call, as nearly all
 * are, and there are no probabilities, nothing else is looked for in it.
 */
function rereadOf(state: State, body: JsonObject): Reread {
  const { parts, reader, logprobs } = state
  const delta = objectOf(firstChoice(body)['delta'])
  const { index, function: called } = objectOf(arrayOf(delta['tool_calls'])[0])
  const call = objectOf(called)
  const { content } = delta
  const { arguments: piece } = call
  const says = (all: object): boolean => logprobs.length === 0 && JSON.stringify(all) === JSON.stringify(delta)
  if (textOf(content) && says({ content })) return (out) => writeText(parts, delta['content'] as string, out)
  if (textOf(piece) && says({ tool_calls: [{ index, function: { arguments: piece } }] }))
    return (out) =>
      reader.calls?.assembler.push({ index: numberOf(index), argumentsText: call['arguments'] as string }, out)
  return (out) => readChoice(state, body, false, out)
}

function readChoice(state: State, body: JsonObject, whole: boolean, out: TurnEvent[]): void {
  const choice = firstChoice(body)
  const message = choice[whole ? 'message' : 'delta']
  const finish = textOf(choice['finish_reason'])
  if (isObject(choice['logprobs'])) state.logprobs.push(...readLogprobs(choice['logprobs']['content']))
  if (!isObject(message) && finish === undefined) return
  state.chosen = true
  // Sent twice by some, and `null` again afterwards (docs/wire.md#chat-finish-reasons).
  state.rawFinish = finish ?? state.rawFinish
  if (!isObject(message)) return
  if (isObject(message['provider_metadata'])) state.upstream = upstreamUsage(message['provider_metadata'])
  readMessage(state.reader, message, whole, out)
}

/** A turn is one answer; others, which only `n` asks for, are left alone. Moonshot writes the usage in here. */
function firstChoice(body: JsonObject): JsonObject {
  for (const choice of arrayOf(body['choices'])) if (!(Number(objectOf(choice)['index']) > 0)) return objectOf(choice)
  return noCounts
}

function endStream(state: State, out: TurnEvent[]): void {
  const proven = state.done || state.rawFinish !== undefined
  if (!proven && (state.dialect.terminal !== 'eof' || !state.chosen)) {
    const message = 'the stream ended without a finish reason and without [DONE]'
    throw new AdapterError({ ...state.origin, code: 'incomplete-stream', message })
  }
  if (!state.chosen) throw malformed(state.origin, 'the stream holds no choice', '')
  endTurn(state, out, proven)
}

function endTurn(state: State, out: TurnEvent[], proven = true): void {
  const { reader, parts } = state
  const finish = finishOf(state)
  state.sources?.forEach((title, url) => {
    writeCitation(parts, { url, ...(title !== undefined && { title }) }, out)
  })
  endMessage(reader, !proven || finish === 'length' || finish === 'content-filter', out)
  const { fields, legacyCall: legacy } = reader
  const warnings: Warning[] = []
  if (!proven) warnings.push(unprovenEnd)
  if (legacy !== undefined) warnings.push(legacyCall(legacy))
  const end: Writable<Extract<TurnEvent, { type: 'turn-end' }>> = {
    type: 'turn-end',
    finishReason: finish,
    rawFinishReason: state.rawFinish,
    usage: state.usage && withUpstream(state.usage, state.upstream),
    responseId: state.responseId,
    model: state.model,
  }
  // Member by member: each spread costs as much as all the rest.
  if (state.logprobs.length > 0) end.logprobs = state.logprobs
  if (fields !== undefined) end.providerMetadata = parts.providerMetadata({ fields })
  if (warnings.length > 0) end.warnings = warnings
  out.push(end)
}

type Writable<Made> = { -readonly [Name in keyof Made]: Made[Name] }

function legacyCall(name: string): Warning {
  const message = `the answer calls '${name}' in the legacy form \`function_call\`, which is not run; give \`tools\` in place of \`functions\``
  return { type: 'dropped', path: 'message.function_call', message }
}

const unprovenEnd: Warning = {
  type: 'unproven-end',
  path: 'stream',
  message: 'the provider marks no end of its streams, so the end of the bytes was taken for it',
}

/**
 * Content decides before the provider's word, except where that says that the turn was cut
 * (docs/invariants.md#1-content-decides-not-the-finish-reason). Gateways pass on the words of what is
 * behind them: Anthropic's (docs/wire.md#anthropic-messages), or Gemini's in capitals.
 */
function finishOf({ rawFinish, reader }: State): FinishReason {
  const word = rawFinish?.toLowerCase()
  switch (word) {
    case 'length':
    case 'model_length':
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'content_filter':
    case 'refusal':
    case 'safety':
      return 'content-filter'
    case undefined:
    default:
      if (reader.calls !== undefined && reader.calls.assembler.count > 0) return 'tool-calls'
  }
  return word === undefined || stopWords.has(word) ? 'stop' : 'unknown'
}

/** An answer that ends in order without any word is a `stop` too (Snowflake, docs/wire.md#chat-finish-reasons). */
const stopWords = new Set(['stop', 'end_turn', 'stop_sequence', 'completed', 'complete', 'eos'])
