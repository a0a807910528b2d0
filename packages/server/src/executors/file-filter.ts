import { isObject, type JsonObject } from '../json.ts'

/** Whether attributes of a file pass the filter of a tool: comparisons, and `and` and `or` of them. What is no filter lets nothing pass. */
export function matches(filter: unknown, attributes: JsonObject): boolean {
  if (filter == null) return true
  if (!isObject(filter)) return false
  const { type, filters, key, value } = filter
  if (type === 'and' || type === 'or') {
    const all = Array.isArray(filters) ? filters : []
    return type === 'and'
      ? all.every((each) => matches(each, attributes))
      : all.some((each) => matches(each, attributes))
  }
  return typeof key === 'string' && compare(type, Object.hasOwn(attributes, key) ? attributes[key] : undefined, value)
}

function compare(type: unknown, actual: unknown, value: unknown): boolean {
  switch (type) {
    case 'eq':
      return actual === value
    case 'ne':
      return actual !== value
    case 'in':
      return Array.isArray(value) && value.includes(actual)
    case 'nin':
      return Array.isArray(value) && !value.includes(actual)
    default:
      return isOrdered(type, actual, value)
  }
}

function isOrdered(type: unknown, actual: unknown, value: unknown): boolean {
  const comparable = typeof actual === typeof value && (typeof actual === 'number' || typeof actual === 'string')
  if (!comparable) return false
  const [left, right] = [actual as string, value as string]
  switch (type) {
    case 'gt':
      return left > right
    case 'gte':
      return left >= right
    case 'lt':
      return left < right
    case 'lte':
      return left <= right
    default:
      return false
  }
}
