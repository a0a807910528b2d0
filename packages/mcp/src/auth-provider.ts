import { isObject } from '@steploop/core/adapter'
import type { HttpServer } from './options.ts'

type Provider = HttpServer['authProvider']

interface Watchers {
  /** Told where a person is sent to log in. */
  readonly onLogin: (url: string) => void
  /** Told of each token and each secret, so that none gets into a message. */
  readonly onSecret: (secret: string) => void
}

/** Methods that give or get what nobody else may read. */
const holders: ReadonlySet<string | symbol> = new Set([
  'token',
  'tokens',
  'saveTokens',
  'clientInformation',
  'saveClientInformation',
  'codeVerifier',
  'saveCodeVerifier',
])

/** Wraps a provider so that it also tells what passes through it. */
export function watchProvider(provider: Provider, { onLogin, onSecret }: Watchers): Provider {
  if (provider === undefined) return provider
  const learn = <T>(value: T): T => {
    for (const secret of secretsOf(value)) onSecret(secret)
    return value
  }
  return new Proxy(provider, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member, target)
      if (typeof value !== 'function') return value
      const method = value.bind(target) as (...args: readonly unknown[]) => unknown
      if (member === 'redirectToAuthorization') {
        return (url: URL, ...rest: readonly unknown[]) => {
          onLogin(url.href)
          return method(url, ...rest)
        }
      }
      if (!holders.has(member)) return method
      return async (...args: readonly unknown[]) => {
        args.forEach(learn)
        return learn(await method(...args))
      }
    },
  })
}

function secretsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (!isObject(value)) return []
  const { access_token, refresh_token, id_token, client_secret } = value
  return [access_token, refresh_token, id_token, client_secret].filter((secret) => typeof secret === 'string')
}
