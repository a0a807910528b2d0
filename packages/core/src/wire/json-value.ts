import { errorText } from './error-text.ts'
import { setMember } from './json.ts'

/**
 * A copy of any value as plain JSON data, so that whatever a tool returns can be sent, stored and resumed: `undefined`, functions and
 * symbols become `null` (or leave their object), BigInt a decimal text, Error `{ name, message }`, Map an object, Set an array, a cycle
 * `"[circular]"`, what is nested over 1000 deep `"[too deep]"`, what comes after a million objects `"[too large]"`, `NaN` and infinities
 * `null`, a RegExp and `URLSearchParams` their text; `toJSON` is honoured. Bytes (`Uint8Array`, `Buffer`, `ArrayBuffer`, `DataView`) become their base64 text, other typed arrays lists
 * of numbers. A getter or `toJSON` that throws gives `"[unreadable: ...]"`.
 */
export function toJsonValue(value: unknown): unknown {
  return copyOfScalars(value) ?? copy(value, begin(false))
}

/**
 * The value as plain JSON data that says all of it, for a person who decides on it: like `toJsonValue`, with NaN and infinities as their
 * names, and a Map with other keys than texts as a list of pairs. `lost` names what cannot be said: a function, an accessor, a cycle, an
 * instance of a class without `toJSON`.
 */
export function describe(value: unknown): { readonly json: unknown } | { readonly lost: string } {
  const progress = begin(true)
  const json = copy(value, progress)
  return progress.lost === undefined ? { json } : { lost: progress.lost }
}

/** What most tools return, an object of texts, numbers and the like, is copied without looking out for cycles. */
function copyOfScalars(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return undefined
  try {
    // All at once: a third of the time of setting one member after the other.
    const made: Record<string, unknown> = { ...value }
    for (const name in made) if (!isScalar(made[name])) return undefined
    return Object.getOwnPropertySymbols(made).length === 0 ? made : undefined
  } catch {
    // A getter that throws is told by name.
    return undefined
  }
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value) || value === null
}

/** Objects that lead to the value, and how many may still be copied: getters can make new objects for ever. */
interface Progress {
  readonly objects: Set<object>
  left: number
  /** Nothing may be left out or blurred without a word. */
  readonly exact: boolean
  /** What was, first. */
  lost?: string | undefined
}

function begin(exact: boolean): Progress {
  return { objects: new Set(), left: mostObjects, exact }
}

function lose<T>(progress: Progress, what: string, instead: T): T {
  progress.lost ??= what
  return instead
}

const mostObjects = 1_000_000

/** Deeper than this, JSON itself fails in some engines. */
const deepest = 1000

function copy(value: unknown, progress: Progress): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      return progress.exact ? String(value) : null
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? null : copyObject(value, progress)
    case 'undefined':
      return null
    case 'function':
    case 'symbol':
    default:
      return lose(progress, `a ${typeof value}`, null)
  }
}

function copyObject(value: object, progress: Progress): unknown {
  if (progress.objects.has(value)) return lose(progress, 'a cycle', '[circular]')
  if (progress.objects.size >= deepest) return lose(progress, `what is nested over ${deepest} deep`, '[too deep]')
  if (--progress.left < 0) return lose(progress, `more than ${mostObjects} objects`, '[too large]')
  progress.objects.add(value)
  try {
    return copyInside(value, progress)
  } catch (error) {
    return lose(progress, 'what cannot be read', `[unreadable: ${errorText(error)}]`)
  } finally {
    progress.objects.delete(value)
  }
}

function copyInside(value: object, progress: Progress): unknown {
  if (progress.exact) progress.lost ??= unsayable(value)
  if (value instanceof Error) return { name: copy(value.name, progress), message: errorText(value) }
  if (Array.isArray(value)) return value.map((item) => copy(item, progress))
  if (value instanceof ArrayBuffer) return base64(new Uint8Array(value))
  if (ArrayBuffer.isView(value)) return copyView(value, progress)
  if (value instanceof Set) return [...value].map((item) => copy(item, progress))
  const toJson: unknown = Reflect.get(value, 'toJSON')
  if (typeof toJson === 'function') return copy(Reflect.apply(toJson, value, []), progress)
  if (value instanceof RegExp || value instanceof URLSearchParams) return String(value)
  if (!(value instanceof Map)) return copyEntries(Object.entries(value), progress)
  const pairs = [...value]
  const named = !progress.exact || pairs.every(([key]) => typeof key === 'string')
  return named ? copyEntries(pairs, progress) : pairs.map((pair) => pair.map((item: unknown) => copy(item, progress)))
}

/** Classes of the platform whose instances have nothing that their text, or their items, do not say. */
const sayable: ReadonlySet<unknown> = new Set([Set, Map, RegExp, URLSearchParams].map(({ prototype }) => prototype))

/** What keeps JSON from saying all of an object, apart from what is inside of it. */
function unsayable(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid date' : undefined
  if (typeof Reflect.get(value, 'toJSON') === 'function' || sayable.has(prototype)) return undefined
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return undefined
  const list = Array.isArray(value)
  if (list ? prototype !== Array.prototype : prototype !== Object.prototype && prototype !== null) {
    const name = errorText(Reflect.get(Object(Reflect.get(value, 'constructor')), 'name'))
    return `an instance of ${name || 'a class without a name'}`
  }
  const names = Object.keys(value).length
  const hidden = Reflect.ownKeys(value).length - names > (list ? 1 : 0) || (list && names !== value.length)
  if (hidden) return 'hidden members'
  const members = Object.values(Object.getOwnPropertyDescriptors(value))
  return members.some((member) => !Object.hasOwn(member, 'value')) ? 'an accessor' : undefined
}

/** A list of a number per byte would be four times as long, and means nothing to a model. */
function copyView(view: ArrayBufferView, progress: Progress): unknown {
  if (view instanceof DataView || view instanceof Uint8Array || view instanceof Uint8ClampedArray) {
    return base64(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  }
  return Array.from(view as unknown as Iterable<unknown>, (item) => copy(item, progress))
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += piece) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + piece)))
  }
  return text
}

/** A multiple of three, so that the texts of the pieces make up that of the whole, and as many arguments as every engine takes. */
const piece = 6144

function copyEntries(entries: readonly (readonly [unknown, unknown])[], progress: Progress): unknown {
  const result: Record<string, unknown> = {}
  for (const [key, item] of entries) {
    if (item === undefined) continue
    if (typeof item === 'function' || typeof item === 'symbol') {
      lose(progress, `a ${typeof item}`, undefined)
      continue
    }
    setMember(result, String(key), copy(item, progress))
  }
  return result
}
