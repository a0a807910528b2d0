/** What stands in a cassette instead of a credential. */
export const redacted = '[redacted]'

/** Headers that hold a credential. They are stored as `[redacted]`, so that their presence and scheme are matched. */
export const credentialHeaders: readonly string[] = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']

/** Whether a request header holds a credential, stored or not. */
export function isCredential(name: string): boolean {
  return /(?:^|-)(?:auth|authorization|cookie|(?<!idempotency-)key|apikey|secret|token|password|credentials?)$/i.test(
    name,
  )
}

// Only what changes a provider's answer. What a client library or runtime adds by itself (user-agent, host, x-stainless-*) would make
// every update of it a mismatch.
const requestHeaders: readonly string[] = [
  'accept',
  'content-type',
  'anthropic-version',
  'anthropic-beta',
  'openai-beta',
  'http-referer',
  'x-title',
  ...credentialHeaders,
]

// What a client may act on, and what a report of a problem needs. No cookies, no organisation, no addresses of servers.
const responseHeaders = [
  /^content-type$/,
  /^cache-control$/,
  /^retry-after(-ms)?$/,
  /^x-should-retry$/,
  /^x-ratelimit-/,
  /^anthropic-ratelimit-(?!.*organization)/,
  /^(x-|openai-|anthropic-|apim-|x-ms-|x-amzn-|cf-aig-|x-generation-|x-groq-)?request-?id$/,
  /^openai-(processing-ms|version|model)$/,
  /^deprecation$|^sunset$/,
]

// A scheme is kept only when it is one, for the first word of an unknown value may be part of the secret.
const schemes = /^(?:bearer|basic|digest|token|apikey|key|negotiate|aws4-hmac-sha256)(?= )/i

/** A credential's stored form: `Bearer [redacted]`, or `[redacted]` when no scheme is named. */
export function redactCredential(value: string): string {
  const scheme = schemes.exec(value)
  return scheme === null ? redacted : `${scheme[0]} ${redacted}`
}

type HeaderEntries = Iterable<readonly [name: string, value: string]>

/** The allow-listed headers of a request as a cassette holds them: lower case, sorted, without credentials. */
export function storedRequestHeaders(headers: HeaderEntries, also: readonly string[] = []): Record<string, string> {
  const allowed = new Set([...requestHeaders, ...also.map((name) => name.toLowerCase())])
  return stored(headers, (name, value) => {
    // Runtimes add this one when nothing was asked for, some of their front-ends do not.
    if (name === 'accept' && value === '*/*') return undefined
    if (!allowed.has(name)) return undefined
    return isCredential(name) ? redactCredential(value) : value
  })
}

/** The allow-listed headers of a response: lower case, sorted. */
export function storedResponseHeaders(headers: HeaderEntries, also: readonly string[] = []): Record<string, string> {
  const more = new Set(also.map((name) => name.toLowerCase()))
  return stored(headers, (name, value) => {
    return more.has(name) || responseHeaders.some((rule) => rule.test(name)) ? value : undefined
  })
}

function stored(
  headers: HeaderEntries,
  form: (name: string, value: string) => string | undefined,
): Record<string, string> {
  const entries: [string, string][] = []
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    const kept = form(lower, value)
    if (kept !== undefined) entries.push([lower, kept])
  }
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

const secretParameters = 'key|api[-_]?key|access_token|id_token|token|secret|client_secret|signature|sig|x-amz-[a-z-]+'
const secretParameter = new RegExp(`([?&](?:${secretParameters})=)[^&#]*`, 'gi')

/** A URL as a cassette holds it: normal form, no fragment, credentials in the query redacted. */
export function storedUrl(url: string): string {
  const parsed = new URL(url)
  parsed.hash = ''
  return redactQuery(parsed.href)
}

/** What went out in the query as a credential, by its value. */
export function credentialsIn(url: string): readonly (readonly [value: string, name: string])[] {
  const named = new RegExp(`^(?:${secretParameters})$`, 'i')
  return [...new URL(url).searchParams].flatMap(([name, value]) => (named.test(name) ? [[value, name]] : []))
}

/** A URL without the values of the query parameters that hold credentials. */
export const redactQuery = (url: string): string => url.replace(secretParameter, `$1${redacted}`)
