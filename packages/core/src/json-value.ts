/**
 * A copy of any value as plain JSON data, so that whatever a tool returns can be sent, stored and resumed: `undefined`, functions and
 * symbols become `null` (or leave their object), BigInt a decimal text, Error `{ name, message }`, Map an object, Set an array, a cycle
 * `"[circular]"`, `NaN` and infinities `null`; `toJSON` is honoured. A getter or `toJSON` that throws gives `"[unreadable: ...]"`.
 */
export function toJsonValue(value: unknown): unknown {
  return copy(value, [])
}

function copy(value: unknown, ancestors: readonly object[]): unknown {
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

function copyObject(value: object, ancestors: readonly object[]): unknown {
  if (ancestors.includes(value)) return '[circular]'
  const inside = [...ancestors, value]
  try {
    if (value instanceof Error) return { name: value.name, message: value.message }
    if (Array.isArray(value)) return value.map((item) => copy(item, inside))
    if (value instanceof Set) return [...value].map((item) => copy(item, inside))
    const toJson: unknown = Reflect.get(value, 'toJSON')
    if (typeof toJson === 'function') return copy(Reflect.apply(toJson, value, []), inside)
    const entries = value instanceof Map ? [...value] : Object.entries(value)
    return copyEntries(entries, inside)
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? error.message : String(error)}]`
  }
}

function copyEntries(entries: readonly (readonly [unknown, unknown])[], inside: readonly object[]): unknown {
  const result: Record<string, unknown> = {}
  for (const [key, item] of entries) {
    if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue
    const name = String(key)
    const copied = copy(item, inside)
    // A plain assignment to `__proto__` would set the prototype instead of a field.
    if (name === '__proto__') Object.defineProperty(result, name, { value: copied, enumerable: true })
    else result[name] = copied
  }
  return result
}
