/** JSON with sorted keys: the same text for inputs that differ in key order only. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (isPlainObject(item) ? sorted(item) : item)) ?? 'null'
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const keys = Object.keys(value)
  const inOrder = keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') <= key)
  return inOrder ? value : Object.fromEntries(keys.toSorted().map((key) => [key, value[key]]))
}
