import { errorText } from './error-text.ts'

/**
 * A copy of any value as plain JSON data, so that whatever a tool returns can be sent, stored and resumed: `undefined`, functions and
 * symbols become `null` (or leave their object), BigInt a decimal text, Error `{ name, message }`, Map an object, Set an array, a cycle
 * `"[circular]"`, what is nested over 1000 deep `"[too deep]"`, `NaN` and infinities `null`; `toJSON` is honoured. A getter or `toJSON`
 * that throws gives `"[unreadable: ...]"`.
 */
export function toJsonValue(value: unknown): unknown {
  return copy(value, new Set())
}

/** Deeper than this, JSON itself fails in some engines. */
const deepest = 1000

function copy(value: unknown, ancestors: Set<object>): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? null : copyObject(value, ancestors)
    default:
      return null
  }
}

function copyObject(value: object, ancestors: Set<object>): unknown {
  if (ancestors.has(value)) return '[circular]'
  if (ancestors.size >= deepest) return '[too deep]'
  ancestors.add(value)
  try {
    return copyInside(value, ancestors)
  } catch (error) {
    return `[unreadable: ${errorText(error)}]`
  } finally {
    ancestors.delete(value)
  }
}

function copyInside(value: object, ancestors: Set<object>): unknown {
  if (value instanceof Error) return { name: copy(value.name, ancestors), message: errorText(value) }
  if (Array.isArray(value)) return value.map((item) => copy(item, ancestors))
  if (value instanceof Set) return [...value].map((item) => copy(item, ancestors))
  const toJson: unknown = Reflect.get(value, 'toJSON')
  if (typeof toJson === 'function') return copy(Reflect.apply(toJson, value, []), ancestors)
  return copyEntries(value instanceof Map ? [...value] : Object.entries(value), ancestors)
}

function copyEntries(entries: readonly (readonly [unknown, unknown])[], ancestors: Set<object>): unknown {
  const result: Record<string, unknown> = {}
  for (const [key, item] of entries) {
    if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue
    const name = String(key)
    const copied = copy(item, ancestors)
    // A plain assignment to `__proto__` would set the prototype instead of a field.
    if (name === '__proto__') Object.defineProperty(result, name, { value: copied, enumerable: true })
    else result[name] = copied
  }
  return result
}
