import { isSecretHeader } from './secret-header.ts'

/** Where an application puts keys, besides giving one as such. */
export interface SecretLocations {
  readonly baseURL?: string | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Whatever else is sent: values under names like `token`, and values that look like keys. */
  readonly data?: readonly unknown[] | undefined
}

/** Every text of a request that no error may show. */
export function secretsIn({ baseURL = '', headers = {}, data = [] }: SecretLocations): readonly string[] {
  return [
    ...Object.entries(headers).flatMap(([name, value = '']) => (isSecret(name, value) ? valuesOf(value) : [])),
    ...secretsOfUrl(baseURL),
    ...data.flatMap((value) => secretsOfData(value, '', 0)),
  ]
}

/** Names whose values are ids of something that is no secret, however much like a key they look. */
const idName = /(^|[-_])(ids?|org|organization|project|account|trace\w*|baggage|request|version|agent|model)([-_]|$)/i

function isSecret(name: string, value: string): boolean {
  return isSecretHeader(name) || (looksLikeKey(value) && !idName.test(name))
}

/** Sixteen letters and digits in a row, of both kinds: no word, date, number, UUID or model id has them. */
export function looksLikeKey(value: string): boolean {
  const runs = value.length < 10_000 ? value.match(/[a-z0-9]{16,}/gi) : null
  return runs?.some((run) => /\d/.test(run) && /[a-z]/i.test(run)) === true
}

/** A header's value as it is, without its scheme, and what it is made of: credentials in base64, pairs of a cookie or a signature. */
export function valuesOf(value: string): readonly string[] {
  const bare = value.replace(/^[\w-]+ +/, '')
  const parts = value.split(/[\s,;=]+/).filter(looksLikeKey)
  const cookies = value.includes('=') ? value.split(/; */).map((pair) => pair.slice(pair.indexOf('=') + 1)) : []
  return [value, bare, ...parts, ...cookies, ...(/^basic /i.test(value) ? passwordsOf(decodedBase64(bare)) : [])]
}

function decodedBase64(digits: string): string {
  try {
    return atob(digits)
  } catch {
    return ''
  }
}

/** A name is a key, too, where there is no password beside it or it looks like one. */
function passwordsOf(credentials: string): readonly string[] {
  const colon = credentials.indexOf(':')
  if (colon < 0) return [credentials]
  const [name, password] = [credentials.slice(0, colon), credentials.slice(colon + 1)]
  return [credentials, password, ...(password === '' || looksLikeKey(name) ? [name] : [])]
}

/** `https://name:password@host/key/v1?key=...`: what `fetch` and proxies repeat in their errors. */
function secretsOfUrl(url: string): readonly string[] {
  const [, user = '', path = '', query = ''] = /^\w+:\/\/(?:([^/?#]*)@)?[^/?#]*([^?#]*)(?:\?([^#]*))?/.exec(url) ?? []
  const pairs = query.split('&').map((pair) => [pair.replace(/=.*/s, ''), pair.slice(pair.indexOf('=') + 1)] as const)
  const values = pairs.flatMap(([name, value]) => (isSecret(name, value) ? [value] : []))
  const given = [user, ...user.split(':'), ...path.split('/').filter(looksLikeKey), ...values]
  return given.flatMap((text) => [text, decodedPercent(text)])
}

function decodedPercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Options that go into the body may hold the credentials of a tool's server. */
function secretsOfData(value: unknown, name: string, depth: number): readonly string[] {
  if (typeof value === 'string') return isSecret(name, value) ? valuesOf(value) : []
  if (typeof value !== 'object' || value === null || depth > 20) return []
  return Object.entries(value).flatMap(([key, item]) => {
    return secretsOfData(item, Array.isArray(value) ? name : key, depth + 1)
  })
}
