import {
  arrayOf,
  isObject,
  numberOf,
  objectOf,
  ownMetadata,
  textOf,
  type JsonObject,
  type ProviderMetadata,
} from '@steploop/core/adapter'

/**
 * What `wire.data` of a part holds, so that the item goes back as it came (ids, phase, namespace, caller, encrypted content):
 *
 * * `item`: the whole item. What the part says in neutral words (`arguments` of a function call, `input` of a custom one) is left out
 *   and taken from the part, so that an edited part is what gets sent.
 * * `message`: the message without its content, `content` the content part without its text, `index` the message that it belongs to.
 * * `within`: the part repeats something of the item before it: nothing to send, or (an image) its `result` to fill in again.
 */
export type ItemWire =
  | { readonly type: 'item'; readonly item: JsonObject }
  | {
      readonly type: 'content'
      readonly message: JsonObject
      readonly index: number | undefined
      readonly content: JsonObject
    }
  | { readonly type: 'within' }

/** Reads a part's own payload; `undefined` for foreign, missing or damaged ones. */
export function itemWireOf(
  part: { readonly providerMetadata?: ProviderMetadata | undefined },
  provider: string,
): ItemWire | undefined {
  const data = objectOf(ownMetadata(part, provider))
  if (isObject(data['item'])) return { type: 'item', item: data['item'] }
  if (isObject(data['message']) && isObject(data['content'])) {
    return { type: 'content', message: data['message'], index: numberOf(data['index']), content: data['content'] }
  }
  return data['within'] === undefined ? undefined : { type: 'within' }
}

/** Items in which a part's neutral text takes the place of a field. */
export function fieldOfInput(item: JsonObject): 'arguments' | 'input' | undefined {
  if (item['type'] === 'function_call') return 'arguments'
  return item['type'] === 'custom_tool_call' ? 'input' : undefined
}

export function without(item: JsonObject, name: string): JsonObject {
  const { [name]: _left, ...rest } = item
  return rest
}

/** The visible text of a reasoning item: its summaries, then its raw content, equal texts once (docs/wire.md#responses-empty-reasoning). */
export function reasoningText(item: JsonObject): string {
  const seen: string[] = []
  for (const list of [item['summary'], item['content']]) {
    for (const entry of arrayOf(list)) {
      const text = textOf(objectOf(entry)['text'])
      if (text !== undefined && !seen.includes(text)) seen.push(text)
    }
  }
  return seen.join('')
}
