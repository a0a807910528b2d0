/** JSON with sorted keys: the same text for inputs that differ in key order only. */
export function canonicalJson(value: unknown): string {
  // A replacer makes the engine call back for each member, so it is used only where keys have to be moved.
  if (isSorted(value)) return JSON.stringify(value) ?? 'null'
  return JSON.stringify(value, (_key, item: unknown) => (isPlainObject(item) ? sorted(item) : item)) ?? 'null'
}

function isSorted(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isSorted)
  let last = ''
  for (const [key, item] of Object.entries(value)) {
    if (key < last || !isSorted(item)) return false
    last = key
  }
  return true
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, value[key]]),
  )
}
