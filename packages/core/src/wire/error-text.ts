/** What a thrown value says, for a message; `''` when it says nothing. Never throws, whatever was thrown. */
export function errorText(cause: unknown): string {
  try {
    return textOf(cause instanceof Error ? cause.message : cause)
  } catch {
    return 'an error whose message cannot be read'
  }
}

function textOf(said: unknown): string {
  switch (typeof said) {
    case 'string':
      return said
    case 'number':
    case 'bigint':
    case 'symbol':
      return said.toString()
    case 'boolean':
    case 'object':
    case 'function':
    case 'undefined':
    default:
      return (
        JSON.stringify(said, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)) ?? ''
      )
  }
}
