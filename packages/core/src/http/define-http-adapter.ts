import type { Adapter, Capabilities, TurnRequest, WireFormat } from '../contract/adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import { httpTurn } from './http-turn.ts'
import { markPrompt } from './prompt-adapters.ts'
import { objectOf, textOf } from '../wire/json.ts'
import { createRedactors } from './redactor.ts'
import { secretsIn, valuesOf } from './secrets.ts'

/** What every factory takes, so that replay, fault sweeps, gateways and edge runtimes work with each adapter. */
export interface ProviderOptions {
  /** Default: the provider's environment variable, read at the first turn. */
  readonly apiKey?: string | undefined
  /** Default: the provider's public URL. */
  readonly baseURL?: string | undefined
  /** Sent with every request; they win over the adapter's own headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Default: the global `fetch`, looked up at each request. */
  readonly fetch?: typeof fetch | undefined
  /** Upper limit of one response in bytes, streamed or not. Default 64 MiB. */
  readonly maxResponseBytes?: number | undefined
}

export interface HttpAdapterOptions extends ProviderOptions {
  readonly provider: string
  readonly model: string
  readonly capabilities: Capabilities
  readonly baseURL: string
  /** Environment variable that holds the key when `apiKey` is not given. */
  readonly apiKeyVariable?: string | undefined
  /** True: requests without a key are legal (local servers). Default false. */
  readonly apiKeyOptional?: boolean | undefined
  /** Turns the key into headers, asynchronously if need be. Default: `authorization: Bearer <key>`. */
  readonly auth?: ((apiKey: string) => RequestHeaders | Promise<RequestHeaders>) | undefined
}

export type RequestHeaders = Readonly<Record<string, string>>

/**
 * Makes an adapter from the four pure functions of a wire format. It owns url, auth, fetch, size limits, framing, abort and error mapping.
 * A streamed turn ends where its decoder says so (`TurnDecoder.progress`), else with its bytes.
 *
 * Its turns throw `AdapterError`: `missing-api-key` before any request, `connection`, `aborted`, `timeout`, what `decodeError` says of a
 * response that is not 2xx, `malformed-response` and `empty-response` for bodies that are no answer, `response-too-large`,
 * `incomplete-stream`.
 */
export function defineHttpAdapter(wire: WireFormat, options: HttpAdapterOptions): Adapter {
  const { provider, model } = options
  const origin = { provider, model }
  const baseURL = options.baseURL.replace(/\/+$/, '')
  const maxBytes = options.maxResponseBytes ?? 64 * 1024 * 1024
  const headersOf = createHeaders(options)
  const redactorOf = createRedactors()
  return markPrompt({
    provider,
    model,
    capabilities: options.capabilities,
    turn(request, context) {
      let sent: MadeHeaders | undefined
      let redact: ((text: string) => string) | undefined
      return httpTurn({
        wire,
        origin,
        maxBytes,
        request,
        baseURL,
        context,
        // Most turns have nothing to hide, so what is secret is found out when the first text is asked about.
        hide(text) {
          redact ??= redactorOf(secretsOf(options, request, sent))
          return redact(text)
        },
        async send(encoded, signal) {
          const made = headersOf(encoded.headers, request.headers)
          sent = made instanceof Promise ? await made : made
          const { headers } = sent
          // What was asked about before knew of fewer secrets.
          redact = undefined
          const init: RequestInit = {
            method: 'POST',
            headers: { ...headers },
            body: encoded.body,
            redirect: 'manual',
            signal,
          }
          return (options.fetch ?? fetch)(baseURL + encoded.path, init)
        },
      })
    },
  })
}

interface MadeHeaders {
  readonly headers: Record<string, string>
  /** Those that were made from the key; all of them are secrets. */
  readonly auth: RequestHeaders
}

/** Joins the headers of a request. With nothing but a plain key they are the same in every turn, so they are made once. */
function createHeaders(
  options: HttpAdapterOptions,
): (own: RequestHeaders | undefined, given: RequestHeaders | undefined) => MadeHeaders | Promise<MadeHeaders> {
  let last: { key: string | undefined; own: unknown; made: MadeHeaders } | undefined
  const make = (auth: RequestHeaders, own?: RequestHeaders, given?: RequestHeaders): MadeHeaders => {
    return { headers: joinHeaders(auth, own, options.headers, given), auth }
  }
  return (own, given) => {
    const key = apiKeyOf(options)
    if (key !== undefined && options.auth !== undefined) {
      return credentials(options, options.auth, key).then((auth) => make(auth, own, given))
    }
    if (last !== undefined && given === undefined && last.key === key && last.own === own) return last.made
    const made = make(key === undefined ? {} : bearer(headerKey(options, key)), own, given)
    // The caller's own may be other ones next time, in the very same object.
    last = options.headers === undefined && given === undefined ? { key, own, made } : undefined
    return made
  }
}

/** The bytes that a header value may hold (RFC 9110, section 5.5). */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** A key that no header takes is told from a connection that fails. */
function headerKey(options: HttpAdapterOptions, key: string): string {
  if (headerValue.test(key)) return key
  throw authenticationError(
    options,
    'the API key holds a line end or another character that no header takes; it was not sent',
  )
}

/** So is a source of credentials that fails. */
async function credentials(
  options: HttpAdapterOptions,
  auth: NonNullable<HttpAdapterOptions['auth']>,
  key: string,
): Promise<RequestHeaders> {
  headerKey(options, key)
  try {
    return await auth(key)
  } catch (cause) {
    if (AdapterError.isInstance(cause)) throw cause
    throw authenticationError(options, 'the function that makes the credentials failed', cause)
  }
}

function authenticationError({ provider, model }: HttpAdapterOptions, message: string, cause?: unknown): AdapterError {
  return new AdapterError({ provider, model, code: 'authentication', message, cause })
}

function apiKeyOf(options: HttpAdapterOptions): string | undefined {
  const key = givenKey(options)
  if (key) return key
  if (options.apiKeyOptional || hasOwnAuth(options.headers)) return undefined
  const { provider, model, apiKeyVariable: variable } = options
  const mend =
    variable === undefined ? 'pass `apiKey` to the factory' : `pass \`apiKey\` to the factory or set ${variable}`
  throw new AdapterError({ provider, model, code: 'missing-api-key', message: `no API key was given; ${mend}` })
}

function givenKey({ apiKey, apiKeyVariable: variable }: HttpAdapterOptions): string | undefined {
  const key = apiKey ?? (variable === undefined ? undefined : environmentVariable(variable))
  return key === undefined ? undefined : trimmed(key)
}

/** Files and variables end in line ends and blanks. `fetch` takes them off every value (Fetch standard, "normalize"), so what comes back lacks them. */
function trimmed(value: string): string {
  return value.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
}

/** Reads `process.env` where there is one; browsers and some edge runtimes have none. */
function environmentVariable(name: string): string | undefined {
  const host: unknown = Reflect.get(globalThis, 'process')
  return textOf(objectOf(objectOf(host)['env'])[name])
}

const credentialHeader = /^(authorization|proxy-authorization|cookie)$|(api[-_]?key|token|secret)$/i

function hasOwnAuth(headers: RequestHeaders | undefined): boolean {
  return Object.keys(headers ?? {}).some((name) => credentialHeader.test(name))
}

function bearer(apiKey: string): RequestHeaders {
  return { authorization: `Bearer ${apiKey}` }
}

/** Later ones win whatever their case; names go out in lower case. */
function joinHeaders(...sources: readonly (RequestHeaders | undefined)[]): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  for (const source of sources) {
    if (source === undefined) continue
    for (const name in source) {
      const value = source[name]
      if (value !== undefined) headers[name.toLowerCase()] = trimmed(value)
    }
  }
  return headers
}

/** Whatever a provider, a proxy or `fetch` may echo. Before the headers are made, and if that fails, the options are all there is. */
function secretsOf(
  options: HttpAdapterOptions,
  { headers, providerOptions, tools = [] }: TurnRequest,
  sent: MadeHeaders | undefined,
): readonly string[] {
  return [
    givenKey(options) ?? '',
    ...Object.values(sent?.auth ?? {}).flatMap(valuesOf),
    ...secretsIn({
      baseURL: options.baseURL,
      headers: sent?.headers ?? joinHeaders(options.headers, headers),
      data: [providerOptions, ...tools.filter(({ type }) => type === 'provider')],
    }),
  ]
}
