/** Throws unless the two are the same JSON, whatever the order of members. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [print(actual), print(expected)]
  if (left !== right) throw new Error(`${what}: got ${left}, not ${right}`)
}

/** Throws unless it rejects with this code. */
export async function refused(promise: Promise<unknown>, code: string, what: string): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  same(Reflect.get(Object(error), 'code'), code, what)
}

function print(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => (isPlain(member) ? sorted(member) : member)) ?? 'undefined'
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
