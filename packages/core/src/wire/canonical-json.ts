import { isObject, type JsonObject } from './json.ts'

/** JSON with sorted keys: the same text for inputs that differ in key order only, however deeply they are nested. */
export function canonicalJson(value: unknown): string {
  switch (shapeOf(value, 0)) {
    case 'sorted':
      return JSON.stringify(value) ?? 'null'
    // A replacer makes the engine call back for each member, so it is used only where keys have to be moved.
    case 'unsorted':
      return JSON.stringify(value, (_key, item: unknown) => (isObject(item) ? sorted(item) : item))
    case 'deep':
    default:
      return deepJson(value)
  }
}

type Shape = 'sorted' | 'unsorted' | 'deep'

/** Some thousand levels down `JSON.stringify` overflows the stack. */
const deepest = 1000

function shapeOf(value: unknown, depth: number): Shape {
  if (typeof value !== 'object' || value === null) return 'sorted'
  if (depth > deepest) return 'deep'
  let shape: Shape = isSorted(value) ? 'sorted' : 'unsorted'
  for (const item of Object.values(value)) {
    const inner = shapeOf(item, depth + 1)
    if (inner === 'deep') return inner
    if (inner === 'unsorted') shape = inner
  }
  return shape
}

function isSorted(value: object): boolean {
  if (Array.isArray(value)) return true
  let last = ''
  for (const key of Object.keys(value)) {
    if (key < last) return false
    last = key
  }
  return true
}

function sorted(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, value[key]]),
  )
}

/** Either a text that stands in the result as it is, or a value that is still to be written. */
type Pending = string | { readonly value: unknown }

/** Without recursion, for what is nested so deeply; it is data of `JSON.parse`, since nothing else gets there. */
function deepJson(root: unknown): string {
  const pieces: string[] = []
  const pending: Pending[] = [{ value: root }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') pieces.push(next)
    else if (Array.isArray(next.value)) pending.push(...arrayPieces(next.value).toReversed())
    else if (isObject(next.value)) pending.push(...objectPieces(next.value).toReversed())
    else pieces.push(JSON.stringify(next.value) ?? 'null')
  }
  return pieces.join('')
}

function arrayPieces(items: readonly unknown[]): readonly Pending[] {
  return ['[', ...items.flatMap((value, index) => (index === 0 ? [{ value }] : [',', { value }])), ']']
}

function objectPieces(fields: JsonObject): readonly Pending[] {
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined)
  const members = keys.toSorted().flatMap((key, index): readonly Pending[] => {
    return [`${index === 0 ? '' : ','}${JSON.stringify(key)}:`, { value: fields[key] }]
  })
  return ['{', ...members, '}']
}
