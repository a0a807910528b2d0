import { read, textsOf } from './redact-error.ts'
import { isSecretHeader } from './secret-header.ts'
import { looksLikeKey } from './secrets.ts'

/**
 * What a source of credentials threw: its name, its code and its text, without what looks like a credential. What else hangs on it stays out,
 * since that is often the request for a token, with all that it was signed with.
 */
export function bareCause(cause: unknown): Error {
  const names = ['name', 'code'].filter((name) => {
    const value = read(cause, name)
    return typeof value === 'string' && value.length < 100 && withoutCredentials(value) === value
  })
  return textsOf(cause, names, withoutCredentials)
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
