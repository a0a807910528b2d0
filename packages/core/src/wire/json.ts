import type { AdapterErrorCode } from '../contract/adapter.ts'
import { AdapterError } from '../contract/errors.ts'

/** A JSON object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Who speaks, for errors and `providerMetadata`. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

/** Parses the data of a frame or a body; throws `malformed-response` with an excerpt when it is no JSON. */
export function parseJson(text: string, origin: Origin): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Without the cause, which repeats pieces of the text.
    throw malformed(origin, 'the response holds data that is not JSON', text)
  }
}

/** Makes the error for a response that is not what the wire format says. `received` is cut to an excerpt. */
export function malformed(origin: Origin, message: string, received: string, cause?: unknown): AdapterError {
  const code: AdapterErrorCode = received.trim() === '' ? 'empty-response' : 'malformed-response'
  return new AdapterError({ ...origin, code, message, excerpt: received, cause })
}

/** The JSON value of a text, `undefined` when it is none: the page of a proxy in place of an error's body. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object, or an empty one when it is anything else. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : noFields
}

/** The array, or an empty one when it is anything else. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : noItems
}

/** The string, `undefined` when it is anything else or empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The finite number, `undefined` when it is anything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A copy of parsed JSON. */
export function copyJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson)
  // All at once, and then what is inside: a third of the time of setting one member after the other.
  const made: Record<string, unknown> = { ...value }
  for (const name in made) {
    if (typeof made[name] === 'object' && Object.hasOwn(made, name)) setMember(made, name, copyJson(made[name]))
  }
  return made
}

/** A plain assignment to `__proto__` would set the prototype instead of a member. */
export function setMember(made: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') made[name] = value
  else Object.defineProperty(made, name, { value, enumerable: true, writable: true, configurable: true })
}

const noFields: JsonObject = Object.freeze({})
export const noItems: readonly never[] = Object.freeze([])

/** For what is made member by member: each spread of an object, of nothing too, costs as much as all the rest. */
export type Writable<Made> = { -readonly [Name in keyof Made]: Made[Name] }

/** The list with one item more. Most lists of a step have one: an empty list that grows gets room for seventeen, one that begins with its item for no other. */
export function withItem<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item]
  list.push(item)
  return list
}
