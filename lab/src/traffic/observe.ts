import type { AdapterError, AdapterErrorCode, AssistantPart, ToolCallPart, TurnEvent } from '@steploop/core/adapter'
import type { DecodedAnswer } from './replay.ts'

/** What an adapter made of a response, in the words of the answer key. */
export interface Observed {
  readonly error: ObservedError | null
  readonly text: string
  readonly reasoningText: string
  readonly refusal: string | null
  readonly toolCalls: readonly ToolCallPart[]
  readonly finish: string
  readonly rawFinish: string | null
  readonly usage: Readonly<Record<UsageCount, number | null>>
  readonly responseId: string | null
  readonly responseModel: string | null
  readonly sources: number
}

export interface ObservedError {
  readonly kind: string
  /** All that the error says: the provider's words and our own. */
  readonly message: string
  /** The error came inside a response whose status was fine. */
  readonly inBand: boolean
  readonly contentBefore: boolean
}

export type UsageCount = 'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'reasoningTokens'

/** Reads the members that the key compares off a replayed turn. */
export function observe(replay: DecodedAnswer): Observed {
  const { turn } = replay
  const parts = turn.message.content
  const failed = replay.error !== undefined || replay.crash !== undefined
  return {
    error: errorOf(replay),
    text: joined(parts, 'text'),
    reasoningText: joined(parts, 'reasoning'),
    refusal: joined(parts, 'refusal') || null,
    toolCalls: parts.filter((part) => part.type === 'tool-call'),
    finish: failed ? 'error' : keyWord(turn.finishReason),
    rawFinish: turn.rawFinishReason ?? null,
    usage: {
      inputTokens: turn.usage?.inputTokens ?? null,
      outputTokens: turn.usage?.outputTokens ?? null,
      cachedInputTokens: turn.usage?.cachedInputTokens ?? null,
      reasoningTokens: turn.usage?.reasoningTokens ?? null,
    },
    responseId: turn.responseId ?? null,
    responseModel: turn.model ?? null,
    sources: citedUrls(parts).size,
  }
}

function joined(parts: readonly AssistantPart[], type: 'text' | 'reasoning' | 'refusal'): string {
  return parts.map((part) => (part.type === type ? part.text : '')).join('')
}

function citedUrls(parts: readonly AssistantPart[]): ReadonlySet<string> {
  const citations = parts.flatMap((part) => (part.type === 'text' ? (part.citations ?? []) : []))
  // The key counts web pages only: no locations, files, images or repeated works.
  return new Set(citations.flatMap(({ kind, url }) => (kind === undefined ? (url ?? []) : [])))
}

/** The key has two words that differ from ours. */
function keyWord(finishReason: string): string {
  return finishReason === 'unknown' ? 'other' : finishReason
}

/** The key has fewer words than the adapters: what it does not name is told by the status, as its README says. */
function kindOf({ code, status = 0 }: Pick<AdapterError, 'code' | 'status'>): string {
  if (code === 'server-error') return 'server'
  if (!unnamed.has(code)) return code
  if (status === 404) return 'not-found'
  if (status >= 500) return 'server'
  return status >= 400 ? 'bad-request' : 'unknown'
}

const unnamed: ReadonlySet<AdapterErrorCode> = new Set(['content-filter', 'continuation-not-found', 'timeout'])

function errorOf({ error, crash, events }: DecodedAnswer): ObservedError | null {
  const contentBefore = events.some(isContent)
  if (error === undefined) {
    return crash === undefined ? null : { kind: 'crash', message: crash, inBand: false, contentBefore }
  }
  return {
    kind: kindOf(error),
    message: `${error.providerMessage ?? ''}\n${error.message}`,
    inBand: error.status === undefined || error.status < 400,
    contentBefore,
  }
}

function isContent(event: TurnEvent): boolean {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'refusal-delta':
      return event.text !== ''
    case 'tool-call-start':
    case 'tool-call-delta':
    case 'tool-call':
      return true
    case 'citation':
    case 'file':
    case 'opaque':
    case 'reasoning-end':
    case 'reasoning-start':
    case 'text-end':
    case 'text-start':
    case 'tool-result':
    case 'turn-end':
    case 'turn-start':
    default:
      return false
  }
}
