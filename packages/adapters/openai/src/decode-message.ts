import {
  arrayOf,
  numberOf,
  objectOf,
  textOf,
  type Citation,
  type JsonObject,
  type Origin,
  type TurnEvent,
  type ProviderMetadata,
} from '@steploop/core/adapter'
import { without } from './item-wire.ts'

/** What the items of one turn share while they are decoded. */
export interface SlotState {
  readonly origin: Origin
  nextPart: number
}

/** A content part of a message under construction. */
export interface OpenContent {
  readonly part: number
  readonly type: 'output_text' | 'refusal'
  sent: string
  citations: number
  /** An event of its own began it. */
  announced?: true
}

/** A message under construction, as far as its content goes. */
interface OpenMessage {
  readonly index: number
  readonly item: JsonObject
  readonly contents: Map<number, OpenContent>
}

/** Only the model's own messages are text; a compaction's copies of user messages are not. */
export function isMessage(item: JsonObject): boolean {
  return item['type'] === 'message' && (item['role'] ?? 'assistant') === 'assistant'
}

export function openContent(
  state: SlotState,
  open: OpenMessage,
  contentIndex: number,
  type: OpenContent['type'],
  out: TurnEvent[],
): OpenContent {
  const known = open.contents.get(contentIndex)
  if (known !== undefined) return known
  const fresh: OpenContent = { part: state.nextPart++, type, sent: '', citations: 0 }
  open.contents.set(contentIndex, fresh)
  if (type === 'output_text') out.push({ type: 'text-start', part: fresh.part })
  return fresh
}

/** The part that an event continues. Where parts are announced, a number that was not continues the newest: vLLM counts the pieces. */
export function continuedContent(
  state: SlotState,
  open: OpenMessage,
  contentIndex: number,
  type: OpenContent['type'],
  out: TurnEvent[],
): OpenContent {
  const newest = open.contents.has(contentIndex) ? undefined : [...open.contents.values()].at(-1)
  if (newest?.announced && newest.type === type) return newest
  return openContent(state, open, contentIndex, type, out)
}

export function pushText(content: OpenContent, text: string, out: TurnEvent[]): void {
  if (text === '') return
  content.sent += text
  out.push({ type: content.type === 'refusal' ? 'refusal-delta' : 'text-delta', part: content.part, text })
}

export function closeMessage(state: SlotState, open: OpenMessage, out: TurnEvent[]): void {
  const message = without(open.item, 'content')
  const finished = arrayOf(open.item['content'])
  const begun = [...open.contents.keys()]
  // Parts that were counted on from the item before (vLLM) are told by their order.
  const isOutOfRange = begun.some((number) => number >= finished.length)
  const given = new Map(finished.map((content, index) => [(isOutOfRange ? begun[index] : undefined) ?? index, content]))
  // Whatever was begun and is not in the finished message is closed with what it has.
  for (const index of new Set([...given.keys(), ...begun])) {
    const begunType = open.contents.get(index)?.type
    const content = objectOf(given.get(index) ?? (begunType && unsaid[begunType]))
    const type = begunType ?? content['type']
    if (type === 'output_text' || type === 'refusal') {
      const opened = openContent(state, open, index, type, out)
      closeContent(state, opened, { message, index: open.index, content }, out)
    } else {
      const wire = metadataOf(state.origin, { message, index: open.index, content })
      out.push({ type: 'opaque', part: state.nextPart++, providerMetadata: wire })
    }
  }
}

/** What stands beside the text of a part that the finished message does not repeat: it goes back with the members that the API wants. */
const unsaid: Readonly<Record<OpenContent['type'], JsonObject>> = {
  output_text: { type: 'output_text', annotations: [], logprobs: [] },
  refusal: { type: 'refusal' },
}

function closeContent(
  state: SlotState,
  opened: OpenContent,
  data: { readonly message: JsonObject; readonly index: number; readonly content: JsonObject },
  out: TurnEvent[],
): void {
  const { content } = data
  const field = opened.type === 'refusal' ? 'refusal' : 'text'
  const text = textOf(content[field]) ?? ''
  pushText(opened, remainderOf(text, opened.sent), out)
  for (const annotation of arrayOf(content['annotations']).slice(opened.citations)) {
    pushCitation(opened, objectOf(annotation), out)
  }
  // The text itself is in the part; it is kept here only where the stream's deltas said something else.
  const kept = text === opened.sent || text === '' ? without(content, field) : content
  const wire = metadataOf(state.origin, { ...data, content: kept })
  if (opened.type === 'refusal')
    out.push({ type: 'refusal-delta', part: opened.part, text: '', providerMetadata: wire })
  else out.push({ type: 'text-end', part: opened.part, providerMetadata: wire })
}

export function pushCitation(content: OpenContent, annotation: JsonObject, out: TurnEvent[]): void {
  content.citations++
  const url = textOf(annotation['url'])
  const isFile = textOf(annotation['file_id']) !== undefined
  const title = textOf(annotation['title']) ?? textOf(annotation['filename'])
  const startIndex = numberOf(annotation['start_index'])
  const endIndex = numberOf(annotation['end_index'])
  const citation: Citation = {
    ...(isFile && { kind: 'file' }),
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(startIndex !== undefined && { startIndex }),
    ...(endIndex !== undefined && { endIndex }),
  }
  out.push({ type: 'citation', part: content.part, citation })
}

/** What the final text adds to the deltas; nothing where the two disagree: what was delivered cannot be taken back. */
export function remainderOf(whole: string, sent: string): string {
  return whole.startsWith(sent) ? whole.slice(sent.length) : ''
}

export function metadataOf(origin: Origin, data: JsonObject): ProviderMetadata {
  return { provider: origin.provider, model: origin.model, data }
}
