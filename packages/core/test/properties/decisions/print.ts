/** What the application's code writes into everything that it is given. */
export const mark = 'WRITTEN'

/** One text for equal values, also for those that JSON cannot say; a copy of the moment, and comparable. Members that are `undefined` are left out. */
export function print(value: unknown, depth = 0): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth > 60) return '...'
  const inner = (item: unknown): string => print(item, depth + 1)
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`
  if (value instanceof Set) return `Set{${[...value].map(inner).join()}}`
  if (value instanceof Map) return `Map{${[...value].map(inner).join()}}`
  const members = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(value).filter((key) => members[key] !== undefined)
  return `{${keys
    .toSorted()
    .map((key) => `${key}:${inner(members[key])}`)
    .join()}}`
}

/** Whether JSON says all of it. */
export function isJson(value: unknown): boolean {
  return print(value) === print(jsonCopy(value))
}

export function jsonCopy<T>(value: T): T | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as T
  } catch {
    return undefined
  }
}

/** What is put into lists. */
const scrap = Object.freeze({ role: 'user', type: 'text', content: mark, text: mark })

/** Writes where it can: a frozen value stays as it is. */
export function scribble(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || value === scrap || depth > 4) return
  const children: readonly unknown[] = Array.isArray(value) ? value.slice() : Object.values(value)
  for (const child of children) scribble(child, depth + 1)
  try {
    if (!Array.isArray(value)) Reflect.set(value, 'written', mark)
    else if (!value.includes(scrap)) value.push(scrap)
  } catch {
    // It was frozen.
  }
}
