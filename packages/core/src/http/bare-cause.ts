import { errorText } from '../wire/error-text.ts'
import { isSecretHeader } from './secret-header.ts'
import { looksLikeKey } from './secrets.ts'

/** Longer texts are of no use; a text is shortened only after its secrets are out, so that no piece of one is left at its end. */
const longest = 10_000
const shown = 1000

/**
 * What a source of credentials threw: its name, its code and its text, without what looks like a credential. What else hangs on it stays out,
 * since that is often the request for a token, with all that it was signed with.
 */
export function bareCause(cause: unknown): Error {
  const bare = new Error(withoutCredentials(errorText(cause).slice(0, longest)).slice(0, shown))
  for (const name of ['name', 'code'] as const) {
    const value = read(cause, name)
    if (typeof value === 'string' && value.length < 100 && withoutCredentials(value) === value) {
      Object.defineProperty(bare, name, { value, configurable: true, writable: true })
    }
  }
  return bare
}

function withoutCredentials(text: string): string {
  const hideNamed = (whole: string, name: string, between: string): string =>
    isSecretHeader(name) ? `${name}${between}[redacted]` : whole
  return text
    .replaceAll(/\b(bearer|basic) +\S+/gi, '$1 [redacted]')
    .replaceAll(/([\w-]+)(=["']?)[^\s"'&,;}]+/g, hideNamed)
    .replaceAll(/([\w-]+)(["']?\s*:\s*["']?)[^\s"'&,;}]+/g, hideNamed)
    .replaceAll(/[^\s"'&,;(){}]+/g, (word) => (looksLikeKey(word) ? '[redacted]' : word))
}

function read(value: unknown, name: string): unknown {
  try {
    return value instanceof Error ? Reflect.get(value, name) : undefined
  } catch {
    return undefined
  }
}
