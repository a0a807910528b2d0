import {
  AdapterError,
  arrayOf,
  createToolCallAssembler,
  isObject,
  malformed,
  numberOf,
  objectOf,
  parseJson,
  textOf,
  type FinishReason,
  type JsonObject,
  type Origin,
  type TokenLogprob,
  type ToolCallAssembler,
  type TurnDecoder,
  type TurnEvent,
  type Usage,
} from '@steploop/core/adapter'
import { citationsOf, type TextBlock } from './citation.ts'
import { throwIfError, throwIfFailed } from './errors.ts'

export interface DecodeOptions {
  readonly origin: Origin
  /** `TurnRequest.turn`. */
  readonly turn: number
  /** Names that differ on the wire, mapped back. */
  readonly toolNames: ReadonlyMap<string, string>
}

/** Decodes one JSON answer. */
export function decodeAnswer(json: unknown, options: DecodeOptions, out: TurnEvent[]): void {
  const { origin } = options
  const body = objectOf(json)
  throwIfError(body, origin)
  if (!isObject(body['message'])) throw malformed(origin, 'the answer holds no message', JSON.stringify(json))
  const state = createState(options)
  start(state, body, out)
  const { content, tool_plan, tool_calls, citations } = body['message']
  write(state, 'plan', textOf(tool_plan) ?? '', out)
  arrayOf(content).forEach((block, index) => readBlock(state, index, objectOf(block), out))
  for (const [index, call] of arrayOf(tool_calls).entries()) {
    close(state, out)
    state.calls.complete(fragmentOf(index, call), out)
  }
  state.citations.push(...arrayOf(citations).filter(isObject))
  for (const item of arrayOf(body['logprobs'])) readLogprob(state, item)
  endTurn(state, body, out)
}

/** Terminal evidence is `message-end`; what follows it (`[DONE]`) is not looked at. */
export function createStreamDecoder(options: DecodeOptions): TurnDecoder {
  const state = createState(options)
  let last: JsonObject | undefined
  return {
    push({ data }, out) {
      if (last !== undefined || data === '[DONE]') return
      const event = parseJson(data, options.origin)
      if (!isObject(event)) return
      throwIfError(event, options.origin)
      if (event['type'] === 'message-end') last = objectOf(event['delta'])
      else readEvent(state, event, out)
    },
    progress: () => (last === undefined ? 'open' : 'done'),
    end(out) {
      const message = 'the stream ended without `message-end`'
      if (last === undefined) throw new AdapterError({ ...options.origin, code: 'incomplete-stream', message })
      endTurn(state, last, out)
    },
  }
}

/** What a part of the answer is made of. A plan is reasoning that goes back as `tool_plan`. */
type BlockType = 'text' | 'thinking' | 'plan'

interface OpenPart {
  readonly type: BlockType | 'other'
  readonly part: number
  readonly text?: TextBlock
  /** A block of a kind that we do not know, as it came. */
  readonly fields?: Record<string, unknown>
}

/** A turn that is being read. */
interface State {
  readonly origin: Origin
  readonly calls: ToolCallAssembler
  readonly texts: TextBlock[]
  readonly citations: JsonObject[]
  readonly logprobs: TokenLogprob[]
  /** Next free slot of the message. */
  next: number
  /** Index of the block of content that is being read. */
  index: number
  open?: OpenPart | undefined
  started: boolean
}

function createState({ origin, turn, toolNames }: DecodeOptions): State {
  const state: State = {
    origin,
    calls: createToolCallAssembler({
      turn,
      nextPart: () => state.next++,
      toolName: (name) => toolNames.get(name),
    }),
    texts: [],
    citations: [],
    logprobs: [],
    next: 0,
    index: 0,
    started: false,
  }
  return state
}

function start(state: State, { id }: JsonObject, out: TurnEvent[]): void {
  if (state.started) return
  state.started = true
  out.push({ type: 'turn-start', responseId: textOf(id) })
}

function readEvent(state: State, event: JsonObject, out: TurnEvent[]): void {
  start(state, event, out)
  const { content, tool_plan, tool_calls, citations } = objectOf(objectOf(event['delta'])['message'])
  const index = numberOf(event['index'])
  switch (event['type']) {
    case 'content-start':
      close(state, out)
      readBlock(state, index ?? state.index, objectOf(content), out)
      break
    case 'content-delta':
      readBlock(state, index ?? state.index, objectOf(content), out)
      readLogprob(state, event['logprobs'])
      break
    case 'content-end':
      close(state, out)
      break
    case 'tool-plan-delta':
      write(state, 'plan', textOf(tool_plan) ?? '', out)
      break
    case 'tool-call-start':
    case 'tool-call-delta':
      close(state, out)
      state.calls.push(fragmentOf(index, tool_calls), out)
      break
    case 'tool-call-end':
      state.calls.complete({ index }, out)
      break
    case 'citation-start':
      if (isObject(citations)) state.citations.push(citations)
      break
    default: // `citation-end`, `debug`, and what is new.
  }
}

function readBlock(state: State, index: number, block: JsonObject, out: TurnEvent[]): void {
  if (index !== state.index) close(state, out)
  state.index = index
  if (state.open?.fields !== undefined) return addTo(state.open.fields, block)
  write(state, 'thinking', textOf(block['thinking']) ?? '', out)
  write(state, 'text', textOf(block['text']) ?? '', out)
  if (isOther(block)) begin(state, 'other', out, block)
}

function isOther({ type, text, thinking }: JsonObject): boolean {
  const isKnown = type === 'text' || type === 'thinking' || typeof text === 'string' || typeof thinking === 'string'
  return typeof type === 'string' && !isKnown
}

/** Pieces of a block that we do not know: texts grow, as those of known blocks do, and everything else is replaced. */
function addTo(fields: Record<string, unknown>, piece: JsonObject): void {
  for (const name in piece) {
    const [before, more] = [fields[name], piece[name]]
    fields[name] = typeof before === 'string' && typeof more === 'string' ? before + more : more
  }
}

function fragmentOf(index: number | undefined, call: unknown) {
  const { id, function: invoked } = objectOf(call)
  const { name, arguments: argumentsText } = objectOf(invoked)
  return { index, id: textOf(id), name: textOf(name), argumentsText: textOf(argumentsText) }
}

function write(state: State, type: BlockType, text: string, out: TurnEvent[]): void {
  if (text === '') return
  const event = type === 'text' ? 'text' : 'reasoning'
  let { open } = state
  if (open?.type !== type) {
    open = begin(state, type, out)
    out.push({ type: `${event}-start`, part: open.part })
  }
  if (open.text !== undefined) open.text.text += text
  out.push({ type: `${event}-delta`, part: open.part, text })
}

/** A part of that type, in place of the one that is open. */
function begin(state: State, type: OpenPart['type'], out: TurnEvent[], fields?: JsonObject): OpenPart {
  close(state, out)
  const part = state.next++
  const text: TextBlock | undefined = type === 'text' ? { index: state.index, part, text: '' } : undefined
  if (text !== undefined) state.texts.push(text)
  state.open = { type, part, ...(text && { text }), ...(fields && { fields: { ...fields } }) }
  return state.open
}

function close(state: State, out: TurnEvent[]): void {
  const { open, origin } = state
  if (open === undefined) return
  state.open = undefined
  if (open.type === 'text') out.push({ type: 'text-end', part: open.part })
  else if (open.type === 'other') {
    out.push({ type: 'opaque', part: open.part, providerMetadata: { ...origin, data: open.fields } })
  } else {
    const providerMetadata = open.type === 'plan' ? { ...origin, data: { plan: true } } : undefined
    out.push({ type: 'reasoning-end', part: open.part, ...(providerMetadata && { providerMetadata }) })
  }
}

/** Most pieces of text are one token; of the others only their sum is sure. */
function readLogprob(state: State, item: unknown): void {
  const { text, logprobs } = objectOf(item)
  const values = arrayOf(logprobs).map(numberOf)
  if (typeof text !== 'string' || values.length === 0 || values.includes(undefined)) return
  state.logprobs.push({ token: text, logprob: values.reduce<number>((sum, value) => sum + (value ?? 0), 0) })
}

/** @param end `finish_reason` and `usage`, as both forms of an answer have them */
function endTurn(state: State, end: JsonObject, out: TurnEvent[]): void {
  close(state, out)
  const raw = textOf(end['finish_reason'])
  throwIfFailed(raw, end, state.origin)
  state.calls.end(out, raw === 'MAX_TOKENS')
  for (const { part, citation } of citationsOf(state.citations, state.texts)) {
    out.push({ type: 'citation', part, citation })
  }
  out.push({
    type: 'turn-end',
    finishReason: finishOf(raw, state.calls.count > 0),
    rawFinishReason: raw,
    usage: usageOf(objectOf(end['usage'])),
    ...(state.logprobs.length > 0 && { logprobs: state.logprobs }),
  })
}

function finishOf(raw: string | undefined, hasCalls: boolean): FinishReason {
  if (raw === 'MAX_TOKENS') return 'length'
  if (hasCalls) return 'tool-calls'
  return raw === undefined || raw === 'COMPLETE' || raw === 'STOP_SEQUENCE' ? 'stop' : 'unknown'
}

/** `tokens` are what the model read and wrote, `billed_units` leave out what Cohere adds to the prompt. Images are counted apart. */
function usageOf({ tokens, billed_units: billed, cached_tokens: cached }: JsonObject): Usage | undefined {
  const counts = objectOf(isObject(tokens) ? tokens : billed)
  const text = numberOf(counts['input_tokens'])
  const outputTokens = numberOf(counts['output_tokens'])
  if (text === undefined && outputTokens === undefined) return undefined
  return {
    inputTokens: text === undefined ? undefined : text + (numberOf(counts['image_tokens']) ?? 0),
    outputTokens,
    cachedInputTokens: numberOf(cached),
    reasoningTokens: numberOf(counts['reasoning_tokens']),
  }
}
