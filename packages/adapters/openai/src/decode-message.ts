import {
  arrayOf,
  numberOf,
  objectOf,
  textOf,
  type Citation,
  type JsonObject,
  type Stamp,
  type TurnEvent,
  type WirePayload,
} from '@steploop/core'
import { without } from './item-wire.ts'

/** What the items of one turn share while they are decoded. */
export interface SlotState {
  readonly stamp: Stamp
  nextPart: number
}

/** A content part of a message under construction. */
export interface OpenContent {
  readonly part: number
  readonly type: 'output_text' | 'refusal'
  sent: string
  citations: number
}

/** A message under construction, as far as its content goes. */
interface OpenMessage {
  readonly index: number
  readonly item: JsonObject
  readonly contents: Map<number, OpenContent>
}

/** Only the model's own messages are text; a compaction's copies of user messages are not. */
export function isMessage(item: JsonObject): boolean {
  return item['type'] === 'message' && (item['role'] === 'assistant' || item['role'] === undefined)
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

export function pushText(content: OpenContent, text: string, out: TurnEvent[]): void {
  if (text === '') return
  content.sent += text
  out.push({ type: content.type === 'refusal' ? 'refusal-delta' : 'text-delta', part: content.part, text })
}

export function closeMessage(state: SlotState, open: OpenMessage, out: TurnEvent[]): void {
  const message = without(open.item, 'content')
  const given = new Map(arrayOf(open.item['content']).entries())
  // Whatever was begun and is not in the finished message is closed with what it has.
  for (const [index, begun] of open.contents) if (!given.has(index)) given.set(index, { type: begun.type })
  for (const [index, raw] of given) {
    const content = objectOf(raw)
    const type = content['type']
    if (type === 'output_text' || type === 'refusal') {
      const opened = openContent(state, open, index, type, out)
      closeContent(state, opened, { message, index: open.index, content }, out)
    } else {
      const wire = wireOf(state.stamp, { message, index: open.index, content })
      out.push({ type: 'opaque', part: state.nextPart++, wire })
    }
  }
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
  const wire = wireOf(state.stamp, { ...data, content: kept })
  if (opened.type === 'refusal') out.push({ type: 'refusal-delta', part: opened.part, text: '', wire })
  else out.push({ type: 'text-end', part: opened.part, wire })
}

export function pushCitation(content: OpenContent, annotation: JsonObject, out: TurnEvent[]): void {
  content.citations++
  const url = textOf(annotation['url'])
  const title = textOf(annotation['title']) ?? textOf(annotation['filename'])
  const startIndex = numberOf(annotation['start_index'])
  const endIndex = numberOf(annotation['end_index'])
  const citation: Citation = {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(startIndex !== undefined && { startIndex }),
    ...(endIndex !== undefined && { endIndex }),
  }
  out.push({ type: 'citation', part: content.part, citation })
}

/** What the final text adds to the deltas; nothing where the two disagree: what was delivered cannot be taken back. */
export function remainderOf(whole: string, sent: string): string {
  return whole.length > sent.length && whole.startsWith(sent) ? whole.slice(sent.length) : ''
}

export function wireOf(stamp: Stamp, data: JsonObject): WirePayload {
  return { provider: stamp.provider, model: stamp.model, data }
}
