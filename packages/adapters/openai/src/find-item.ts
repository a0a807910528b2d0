import { numberOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { callIdOf } from './hosted-items.ts'
import type { OpenContent } from './decode-message.ts'

/** One output item under construction. */
export interface OpenItem {
  /** Position among the items. */
  readonly index: number
  /** What its events say of its position; the same, where a server counts well. */
  readonly outputIndex: number
  /** The newest form that came. */
  item: JsonObject
  closed?: true
  /** Slot of everything but messages and function calls. */
  part: number
  toolCallId: string
  /** Name of a function, where its beginning or the end of its arguments gave it. */
  name: string | undefined
  /** What went out as deltas: reasoning text, free text of a custom call. */
  sent: string
  /** From `function_call_arguments.done`, should the finished item lack them. */
  finalArguments?: string | undefined
  readonly contents: Map<number, OpenContent>
}

/** The items of an answer. */
export interface Items {
  readonly byIndex: ReadonlyMap<number | undefined, OpenItem>
  /** In the order of their beginning. */
  readonly inOrder: readonly OpenItem[]
}

/** Items that are under way at the same time begin within this many: an answer of thousands is not looked through for each event. */
const mostAtOnce = 100

function recent({ inOrder }: Items): readonly OpenItem[] {
  return inOrder.slice(-mostAtOnce)
}

/**
 * The item that an event continues: the one that has both its index and its id. Where none has both, an open one with the id (vLLM
 * counts on before an item is done), else the newest of the index (ids change at some servers,
 * docs/wire.md#responses-item-ids-that-change). An event without an index belongs to the item with its id.
 *
 * @param type only items of this type; default any
 */
export function continuedItem(items: Items, event: JsonObject, type?: unknown): OpenItem | undefined {
  const index = numberOf(event['output_index'])
  const id = textOf(event['item_id']) ?? callIdOf(objectOf(event['item']))
  const here = items.byIndex.get(index)
  if (here?.outputIndex === index && hasId(here, id) && isOfType(here, type)) return here
  const opened = recent(items).filter((open) => isOfType(open, type))
  return (
    opened.findLast((open) => !open.closed && hasId(open, id)) ??
    opened.findLast((open) => (index === undefined ? hasId(open, id) : open.outputIndex === index))
  )
}

function hasId(open: OpenItem | undefined, id: string | undefined): open is OpenItem {
  return open !== undefined && id !== undefined && (open.item['id'] === id || open.item['call_id'] === id)
}

function isOfType({ item }: OpenItem, type: unknown): boolean {
  return type === undefined || item['type'] === type
}

/** The position of an item that begins: its index, or a free one where that belongs to an item that is done or another (vLLM, LiteLLM). */
export function announcedIndex(items: Items, event: JsonObject): number {
  const item = objectOf(event['item'])
  const index = numberOf(event['output_index']) ?? continuedItem(items, event, item['type'])?.index
  const known = items.byIndex.get(index)
  if (known === undefined) return freeIndex(items, index)
  const id = callIdOf(known.item)
  const isSame = !known.closed && known.item['type'] === item['type'] && (id === undefined || id === callIdOf(item))
  return isSame ? known.index : freeIndex(items)
}

/** The position of an item that is done: that of its beginning, else of the only open item of its type, else a new one. */
export function finishedIndex(items: Items, event: JsonObject): number {
  const item = objectOf(event['item'])
  const known = continuedItem(items, event, item['type'])
  if (known !== undefined) {
    const isSame = !known.closed || callIdOf(known.item) === callIdOf(item)
    return isSame ? known.index : freeIndex(items)
  }
  const [only, ...others] = recent(items).filter((open) => !open.closed && open.item['type'] === item['type'])
  if (only !== undefined && others.length === 0) return only.index
  return freeIndex(items)
}

/** `wanted`, if it is free. */
export function freeIndex({ byIndex }: Items, wanted: number = byIndex.size): number {
  let index = wanted
  while (byIndex.has(index)) index++
  return index
}
