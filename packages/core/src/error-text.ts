/** What a thrown value says, for a message; `''` when it says nothing. Never throws, whatever was thrown. */
export function errorText(cause: unknown): string {
  try {
    const said: unknown = cause instanceof Error ? cause.message : cause
    if (said === undefined) return ''
    if (typeof said !== 'object') return String(said)
    return JSON.stringify(said, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
  } catch {
    return 'an error whose message cannot be read'
  }
}
