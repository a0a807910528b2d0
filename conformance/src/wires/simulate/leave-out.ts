/** The entries of a table without some of them. */
export function leaveOut<Value>(
  table: Readonly<Record<string, Value>>,
  names: readonly string[] = [],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !names.includes(name)))
}
