import { errorText } from './error-text.ts'

/**
 * A copy of any value as plain JSON data, so that whatever a tool returns can be sent, stored and resumed: `undefined`, functions and
 * symbols become `null` (or leave their object), BigInt a decimal text, Error `{ name, message }`, Map an object, Set an array, a cycle
 * `"[circular]"`, what is nested over 1000 deep `"[too deep]"`, what comes after a million objects `"[too large]"`, `NaN` and infinities
 * `null`; `toJSON` is honoured. Bytes (`Uint8Array`, `Buffer`, `ArrayBuffer`, `DataView`) become their base64 text, other typed arrays lists
 * of numbers. A getter or `toJSON` that throws gives `"[unreadable: ...]"`.
 */
export function toJsonValue(value: unknown): unknown {
  return copyOfScalars(value) ?? copy(value, { objects: new Set(), left: mostObjects })
}

/** What most tools return, an object of texts, numbers and the like, is copied without looking out for cycles. */
function copyOfScalars(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return undefined
  const result: Record<string, unknown> = {}
  try {
    for (const name of Object.keys(value)) {
      const item: unknown = Reflect.get(value, name)
      if (!isScalar(item) || name === '__proto__') return undefined
      result[name] = item
    }
  } catch {
    // A getter that throws is told by name.
    return undefined
  }
  return result
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value) || value === null
}

/** Objects that lead to the value, and how many may still be copied: getters can make new objects for ever. */
interface Progress {
  readonly objects: Set<object>
  left: number
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
      return Number.isFinite(value) ? value : null
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? null : copyObject(value, progress)
    default:
      return null
  }
}

function copyObject(value: object, progress: Progress): unknown {
  if (progress.objects.has(value)) return '[circular]'
  if (progress.objects.size >= deepest) return '[too deep]'
  if (--progress.left < 0) return '[too large]'
  progress.objects.add(value)
  try {
    return copyInside(value, progress)
  } catch (error) {
    return `[unreadable: ${errorText(error)}]`
  } finally {
    progress.objects.delete(value)
  }
}

function copyInside(value: object, progress: Progress): unknown {
  if (value instanceof Error) return { name: copy(value.name, progress), message: errorText(value) }
  if (Array.isArray(value)) return value.map((item) => copy(item, progress))
  if (value instanceof ArrayBuffer) return base64(new Uint8Array(value))
  if (ArrayBuffer.isView(value)) return copyView(value, progress)
  if (value instanceof Set) return [...value].map((item) => copy(item, progress))
  const toJson: unknown = Reflect.get(value, 'toJSON')
  if (typeof toJson === 'function') return copy(Reflect.apply(toJson, value, []), progress)
  return copyEntries(value instanceof Map ? [...value] : Object.entries(value), progress)
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
    if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue
    const name = String(key)
    const copied = copy(item, progress)
    // A plain assignment to `__proto__` would set the prototype instead of a field.
    if (name === '__proto__') Object.defineProperty(result, name, { value: copied, enumerable: true })
    else result[name] = copied
  }
  return result
}
