import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'

export { jsonOf as parsed } from '@steploop/core/adapter'

/** The member as a text, `''` when it is anything else. */
export function memberText(object: JsonObject, name: string): string {
  return textOf(object[name]) ?? ''
}

/** The object without some members. */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

/** A content that is a text or a list of parts with `text`, as one text. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return arrayOf(content)
    .map((part) => memberText(objectOf(part), 'text'))
    .join('')
}

/** JSON with sorted keys: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonicalJson(item)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
  return `{${members.join(',')}}`
}
