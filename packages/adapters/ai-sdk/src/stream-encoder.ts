import type {
  LanguageModelV4Citation,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider'
import {
  AdapterError,
  type FinishReason,
  type Origin,
  type TurnEvent,
  type Usage,
  type Warning,
} from '@steploop/core/adapter'
import { encodeCitation } from './encode-citation.ts'
import { messageKind, opaqueKind } from './decode-prompt.ts'
import { finalInput, resultPart } from './encode-call.ts'
import { metadataOf } from './steploop-metadata.ts'

export interface StreamEncoder {
  /** Appends what a batch means to the AI SDK. */
  push(events: readonly TurnEvent[], out: LanguageModelV4StreamPart[]): void
  /** The turn failed: an `error` part, and a `finish` that tells a stream that broke off from one that reported an error. */
  fail(error: unknown, out: LanguageModelV4StreamPart[]): void
}

interface State {
  readonly origin: Origin
  readonly early: readonly Warning[]
  /** Refusals have no end of their own. */
  readonly refusals: Map<number, Extract<TurnEvent, { type: 'refusal-delta' }>>
  readonly citations: Map<number, LanguageModelV4Citation[]>
  /** URLs that were given as a source. */
  readonly sources: Set<string>
}

/** Makes the AI SDK's stream parts from the events of one turn. */
export function createStreamEncoder({ provider, model }: Origin, early: readonly Warning[]): StreamEncoder {
  const state: State = {
    origin: { provider, model },
    early,
    refusals: new Map(),
    citations: new Map(),
    sources: new Set(),
  }
  return {
    push(events, out) {
      for (const event of events) pushEvent(state, event, out)
    },
    fail(error, out) {
      const { cause } = error instanceof Error ? error : {}
      const interrupted = AdapterError.isInstance(cause) && cause.code === 'incomplete-stream'
      out.push({ type: 'error', error })
      const finishReason = { unified: interrupted ? ('interrupted' as const) : ('error' as const), raw: undefined }
      out.push({ type: 'finish', finishReason, usage: encodeUsage(undefined) })
    },
  }
}

function pushEvent(state: State, event: TurnEvent, out: LanguageModelV4StreamPart[]): void {
  switch (event.type) {
    case 'text-start':
    case 'reasoning-start':
      out.push({ type: event.type, id: String(event.part) })
      return
    case 'text-delta':
    case 'reasoning-delta':
      out.push({ type: event.type, id: String(event.part), delta: event.text })
      return
    case 'reasoning-end':
      out.push({
        type: event.type,
        id: String(event.part),
        providerMetadata: metadataOf(state.origin, { providerMetadata: event.providerMetadata }),
      })
      return
    case 'tool-call-start':
      out.push({ type: 'tool-input-start', id: event.toolCallId, toolName: event.toolName, ...executed(event.owner) })
      return
    case 'tool-call-delta':
      out.push({ type: 'tool-input-delta', id: event.toolCallId, delta: event.inputText })
      return
    case 'citation':
    case 'file':
    case 'opaque':
    case 'refusal-delta':
    case 'text-end':
    case 'tool-call':
    case 'tool-result':
    case 'turn-end':
    case 'turn-start':
      pushClosing(state, event, out)
  }
}

type ClosingEvent = Exclude<
  TurnEvent,
  { type: 'text-start' | 'text-delta' | `reasoning-${'start' | 'delta' | 'end'}` | `tool-call-${'start' | 'delta'}` }
>

function pushClosing(state: State, event: ClosingEvent, out: LanguageModelV4StreamPart[]): void {
  const { origin } = state
  switch (event.type) {
    case 'turn-start': {
      const { responseId, model, warnings = [] } = event
      out.push({ type: 'stream-start', warnings: [...state.early, ...warnings].map(encodeWarning) })
      out.push({
        type: 'response-metadata',
        ...(responseId !== undefined && { id: responseId }),
        ...(model !== undefined && { modelId: model }),
      })
      return
    }
    case 'text-end': {
      const citations = state.citations.get(event.part)
      const providerMetadata = metadataOf(origin, { providerMetadata: event.providerMetadata })
      out.push({ type: 'text-end', id: String(event.part), ...(citations && { citations }), providerMetadata })
      return
    }
    case 'refusal-delta':
      if (!state.refusals.has(event.part)) out.push({ type: 'text-start', id: String(event.part) })
      state.refusals.set(event.part, event)
      out.push({ type: 'text-delta', id: String(event.part), delta: event.text })
      return
    case 'tool-call':
      pushCall(state, event, out)
      return
    case 'tool-result':
      out.push({
        ...resultPart(event),
        providerMetadata: metadataOf(origin, { providerMetadata: event.providerMetadata }),
      })
      return
    case 'citation':
      pushCitation(state, event, out)
      return
    case 'file': {
      const { mediaType, data: base64, url, providerMetadata: wire } = event
      const data =
        url === undefined ? { type: 'data' as const, data: base64 ?? '' } : { type: 'url' as const, url: new URL(url) }
      const providerMetadata = metadataOf(origin, { providerMetadata: wire })
      out.push({ type: 'file', mediaType, data, providerMetadata })
      return
    }
    case 'opaque':
      out.push({
        type: 'custom',
        kind: opaqueKind,
        providerMetadata: metadataOf(origin, { providerMetadata: event.providerMetadata }),
      })
      return
    case 'turn-end':
      pushEnd(state, event, out)
      return
    default:
      event satisfies never
  }
}

function executed(owner: string): { readonly providerExecuted?: true } {
  return owner === 'provider' ? { providerExecuted: true } : {}
}

/** An unfinished call is no call: the AI SDK runs whatever comes as one. */
function pushCall(
  { origin }: State,
  event: Extract<TurnEvent, { type: 'tool-call' }>,
  out: LanguageModelV4StreamPart[],
): void {
  const { toolCallId, toolName, owner, providerMetadata: wire } = event
  out.push({ type: 'tool-input-end', id: toolCallId })
  const input = finalInput(event)
  if (input === undefined) return
  const providerMetadata = metadataOf(origin, { providerMetadata: wire })
  out.push({ type: 'tool-call', toolCallId, toolName, input, ...executed(owner), providerMetadata })
}

/** A citation goes with the text that it supports; its page is told once as a source. */
function pushCitation(
  state: State,
  { part, citation }: Extract<TurnEvent, { type: 'citation' }>,
  out: LanguageModelV4StreamPart[],
): void {
  const encoded = encodeCitation(citation, `source-${state.sources.size}`)
  const own = state.citations.get(part) ?? []
  state.citations.set(part, own)
  own.push(encoded)
  const key = citation.url ?? citation.title ?? ''
  if (state.sources.has(key)) return
  state.sources.add(key)
  out.push(encoded.source)
}

function pushEnd(
  state: State,
  event: Extract<TurnEvent, { type: 'turn-end' }>,
  out: LanguageModelV4StreamPart[],
): void {
  const { origin } = state
  for (const [part, { providerMetadata: wire }] of state.refusals) {
    out.push({
      type: 'text-end',
      id: String(part),
      providerMetadata: metadataOf(origin, { providerMetadata: wire, refusal: true }),
    })
  }
  const { responseId, model, providerMetadata: wire, warnings = [] } = event
  if (responseId !== undefined || model !== undefined) {
    out.push({
      type: 'response-metadata',
      ...(responseId !== undefined && { id: responseId }),
      ...(model !== undefined && { modelId: model }),
    })
  }
  if (wire !== undefined) {
    out.push({
      type: 'custom',
      kind: messageKind,
      providerMetadata: metadataOf(origin, { providerMetadata: wire, responseId }),
    })
  }
  out.push({
    type: 'finish',
    finishReason: { unified: finishWords[event.finishReason], raw: event.rawFinishReason },
    usage: encodeUsage(event.usage),
    ...(warnings.length > 0 && {
      providerMetadata: { steploop: { warnings: warnings.map((warning) => ({ ...warning })) } },
    }),
  })
}

type FinishWord = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['finishReason']['unified']

/** `pause` has no word of its own; the raw one says it. */
const finishWords: Readonly<Record<FinishReason, FinishWord>> = {
  stop: 'stop',
  'tool-calls': 'tool-calls',
  length: 'length',
  'content-filter': 'content-filter',
  pause: 'other',
  error: 'error',
  unknown: 'other',
}

/** Encodes usage: both conventions have totals that include their parts. */
function encodeUsage(usage: Usage | undefined): LanguageModelV4Usage {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage ?? {}
  return {
    inputTokens: {
      total: inputTokens,
      noCache: inputTokens === undefined ? undefined : inputTokens - (cachedInputTokens ?? 0) - (cacheWriteTokens ?? 0),
      cacheRead: cachedInputTokens,
      cacheWrite: cacheWriteTokens,
    },
    outputTokens: {
      total: outputTokens,
      text: outputTokens === undefined ? undefined : outputTokens - (reasoningTokens ?? 0),
      reasoning: reasoningTokens,
    },
  }
}

function encodeWarning({ type, path, message }: Warning): SharedV4Warning {
  const unsupported = type === 'unsupported' || type === 'dropped'
  return { type: unsupported ? 'unsupported' : 'compatibility', feature: path, details: message }
}
