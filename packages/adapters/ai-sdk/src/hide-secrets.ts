import { isSecretHeader, type AdapterError } from '@steploop/core'

/** Shorter ones occur in texts by chance. */
const shortest = 4

/** What no error may tell: the texts that the caller named, and the values of headers that carry credentials, without their scheme. */
export function secretsOf(
  named: readonly string[],
  headers: Readonly<Record<string, string | undefined>> | undefined,
): readonly string[] {
  const given = Object.entries(headers ?? {}).filter(([name]) => isSecretHeader(name))
  const values = given.map(([, value = '']) => value.replace(/^\w+ /, ''))
  return [...new Set([...named, ...values])].filter((text) => text.length >= shortest)
}

/**
 * Providers, proxies and `fetch` itself may echo the key, and errors of the AI SDK carry whole bodies. The texts of the error are cleaned in
 * place, its stack too; a cause that holds a secret anywhere is left out.
 */
export function withoutSecrets(error: AdapterError, secrets: readonly string[]): AdapterError {
  if (secrets.length === 0) return error
  const clean = (text: string | undefined): string | undefined => {
    return text === undefined
      ? undefined
      : secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
  }
  const { message, stack, providerMessage, requestId, excerpt, cause } = error
  if (holdsSecret(cause, secrets, new Set())) error.cause = undefined
  return Object.assign(error, {
    message: clean(message),
    stack: clean(stack),
    providerMessage: clean(providerMessage),
    requestId: clean(requestId),
    excerpt: clean(excerpt),
  })
}

function holdsSecret(value: unknown, secrets: readonly string[], seen: Set<unknown>): boolean {
  if (typeof value === 'string') return secrets.some((secret) => value.includes(secret))
  if (typeof value !== 'object' || value === null || seen.has(value)) return false
  seen.add(value)
  return Object.getOwnPropertyNames(value).some((name) => {
    try {
      return holdsSecret(Reflect.get(value, name), secrets, seen)
    } catch {
      // A getter that throws tells nothing.
      return false
    }
  })
}
