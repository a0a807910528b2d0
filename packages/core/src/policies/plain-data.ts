import { isObject } from '../wire/json.ts'

/** How much of a value is looked at; more is taken for something that cannot be copied or compared. */
const mostValues = 100_000
const deepest = 500

/**
 * The value as JSON with sorted keys, `undefined` when JSON cannot say all of it: Set, Map, Date, instances of classes, `undefined`, NaN,
 * infinities, -0, BigInt, symbols, functions, holes in arrays, accessors, cycles. Equal texts mean equal values. Never throws.
 */
export function faithfulJson(value: unknown): string | undefined {
  return isPlain(value, isJsonLeaf) ? sortedJson(value) : undefined
}

/** A copy that shares nothing with the value, `undefined` when it holds what cannot be copied: functions, instances of classes. */
export function plainCopy(value: unknown): { readonly value: unknown } | undefined {
  return isPlain(value, isCopiedLeaf) ? { value: structuredClone(value) } : undefined
}

/** Whether a value is made of plain objects and arrays, without accessors, symbols or holes, and of leaves that `isLeaf` takes. */
function isPlain(value: unknown, isLeaf: (leaf: unknown) => boolean): boolean {
  let left = mostValues
  const visit = (item: unknown, depth: number): boolean => {
    if (isLeaf(item)) return true
    const members = depth > deepest ? undefined : membersOf(item)
    return members !== undefined && members.every((member) => --left >= 0 && visit(member, depth + 1))
  }
  try {
    return visit(value, 0)
  } catch {
    // Reading it failed: of `undefined`, or of a proxy, say.
    return false
  }
}

/** Members of a plain object or array; nothing else has their prototypes. */
function membersOf(value: unknown): readonly unknown[] | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  const array = Array.isArray(value)
  if (array ? prototype !== Array.prototype : prototype !== Object.prototype && prototype !== null) return undefined
  const members: unknown[] = []
  for (const key of Reflect.ownKeys(value as object)) {
    if (array && key === 'length') continue
    // A hole, or a member with a name: there is not one member per index.
    if (array && key !== String(members.length)) return undefined
    const property = Reflect.getOwnPropertyDescriptor(value as object, key)
    if (typeof key === 'symbol' || property?.enumerable !== true || !('value' in property)) return undefined
    members.push(property.value)
  }
  return array && members.length !== value.length ? undefined : members
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  return typeof value === 'string' || typeof value === 'boolean' || value === null
}

function isCopiedLeaf(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.getPrototypeOf(value) === Date.prototype
  return typeof value !== 'function' && typeof value !== 'symbol'
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (!isObject(item)) return item
    return Object.fromEntries(Object.entries(item).toSorted(([left], [right]) => (left < right ? -1 : 1)))
  })
}
