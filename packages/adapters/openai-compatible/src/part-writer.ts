import {
  isObject,
  textOf,
  type Citation,
  type JsonObject,
  type TurnEvent,
  type ProviderMetadata,
} from '@steploop/core/adapter'
import type { ReasoningField } from './dialect.ts'
import { addDetail } from './reasoning-details.ts'

/** The parts that a turn has open while it is read. Text and reasoning close each other; a call closes both. */
export interface OpenParts {
  /** Makes the payload of a part. */
  readonly providerMetadata: (data: unknown) => ProviderMetadata
  /** Next free slot of the message. */
  next: number
  text: number | undefined
  /** The slot of the last text, open or not: where citations go. */
  lastText: number | undefined
  reasoning: OpenReasoning | undefined
  refusal: number | undefined
}

interface OpenReasoning {
  readonly part: number
  readonly field: ReasoningField
  /** OpenRouter's entries, merged. */
  readonly details: Record<string, unknown>[]
  /** The items of Mistral's `thinking` chunks, and what else the chunks hold. */
  readonly items: Record<string, unknown>[]
  chunk: Record<string, unknown> | undefined
}

export function createOpenParts(wire: OpenParts['providerMetadata']): OpenParts {
  return {
    providerMetadata: wire,
    next: 0,
    text: undefined,
    lastText: undefined,
    reasoning: undefined,
    refusal: undefined,
  }
}

export function writeText(parts: OpenParts, text: string, out: TurnEvent[]): void {
  if (text === '') return
  out.push({ type: 'text-delta', part: openText(parts, out), text })
}

function openText(parts: OpenParts, out: TurnEvent[]): number {
  if (parts.text !== undefined) return parts.text
  closeReasoning(parts, out)
  const part = parts.next++
  parts.text = part
  parts.lastText = part
  out.push({ type: 'text-start', part })
  return part
}

export function writeReasoning(parts: OpenParts, field: ReasoningField, text: string, out: TurnEvent[]): void {
  out.push({ type: 'reasoning-delta', part: openReasoning(parts, field, out).part, text })
}

/** An entry of `reasoning_details`; its text was delivered already. */
export function writeDetail(parts: OpenParts, detail: JsonObject, out: TurnEvent[]): void {
  addDetail(openReasoning(parts, 'reasoning_details', out).details, detail)
}

/** A `thinking` chunk of a content array (docs/wire.md#chat-content). */
export function writeThinking(parts: OpenParts, chunk: JsonObject, out: TurnEvent[]): void {
  const { type: _, thinking, ...rest } = chunk
  const reasoning = openReasoning(parts, 'content', out)
  for (const name in rest) (reasoning.chunk ??= {})[name] = rest[name]
  const items: readonly unknown[] = Array.isArray(thinking) ? thinking : [{ type: 'text', text: thinking }]
  for (const item of items) {
    if (!isObject(item)) continue
    const text = item['type'] === 'text' ? textOf(item['text']) : undefined
    addItem(reasoning.items, item, text)
    if (text !== undefined) out.push({ type: 'reasoning-delta', part: reasoning.part, text })
  }
}

function addItem(items: Record<string, unknown>[], item: JsonObject, text: string | undefined): void {
  const last = items.at(-1)
  const before = last?.['text']
  if (last?.['type'] === 'text' && typeof before === 'string' && text !== undefined) last['text'] = before + text
  else items.push({ ...item })
}

function openReasoning(parts: OpenParts, field: ReasoningField, out: TurnEvent[]): OpenReasoning {
  if (parts.reasoning !== undefined) return parts.reasoning
  closeText(parts, out)
  parts.reasoning = { part: parts.next++, field, details: [], items: [], chunk: undefined }
  out.push({ type: 'reasoning-start', part: parts.reasoning.part })
  return parts.reasoning
}

export function writeRefusal(parts: OpenParts, text: string, out: TurnEvent[]): void {
  if (text === '') return
  closeParts(parts, out)
  parts.refusal ??= parts.next++
  out.push({ type: 'refusal-delta', part: parts.refusal, text })
}

export function writeCitation(parts: OpenParts, citation: Citation, out: TurnEvent[]): void {
  out.push({ type: 'citation', part: parts.text ?? parts.lastText ?? openText(parts, out), citation })
}

/** A chunk of a content array that has no neutral form. */
export function writeOpaque(parts: OpenParts, chunk: JsonObject, out: TurnEvent[]): void {
  closeParts(parts, out)
  out.push({ type: 'opaque', part: parts.next++, providerMetadata: parts.providerMetadata({ chunk }) })
}

export function closeParts(parts: OpenParts, out: TurnEvent[]): void {
  closeText(parts, out)
  closeReasoning(parts, out)
}

function closeText(parts: OpenParts, out: TurnEvent[]): void {
  if (parts.text === undefined) return
  out.push({ type: 'text-end', part: parts.text })
  parts.text = undefined
}

function closeReasoning(parts: OpenParts, out: TurnEvent[]): void {
  const { reasoning } = parts
  if (reasoning === undefined) return
  out.push({
    type: 'reasoning-end',
    part: reasoning.part,
    providerMetadata: parts.providerMetadata(reasoningData(reasoning)),
  })
  parts.reasoning = undefined
}

/** Enough to send the reasoning back in the field it came in; its text is in the part. */
function reasoningData({ field, details, items, chunk }: OpenReasoning): unknown {
  if (details.length > 0) return { field: 'reasoning_details', details }
  if (field !== 'content') return { field }
  const plain = items.length === 1 && items[0]?.['type'] === 'text' && Object.keys(items[0]).length === 2
  return { field, ...(!plain && { thinking: items }), ...(chunk && { chunk }) }
}
