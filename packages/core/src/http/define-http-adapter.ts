import type { Adapter, Capabilities, TurnRequest } from '../contract/adapter.ts'
import type { EncodedRequest, WireFormat } from '../contract/wire-format.ts'
import { AdapterError } from '../contract/errors.ts'
import { bareCause } from './bare-cause.ts'
import { HttpTurn } from './http-turn.ts'
import { objectOf, textOf } from '../wire/json.ts'
import { createRedactor } from './redactor.ts'
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

export interface HttpAdapterOptions extends ProviderOptions, TokenOptions {
  readonly provider: string
  readonly model: string
  readonly capabilities: Capabilities
  readonly baseURL: string
  /** Environment variable that holds the key when `apiKey` is not given. */
  readonly apiKeyVariable?: string | undefined
  /** True: requests without a key are legal (local servers). Default false. */
  readonly apiKeyOptional?: boolean | undefined
  /**
   * Authorises a request, asynchronously if need be: by the key, by a token that it fetches, or by a signature over the request as it is sent.
   * `apiKey` is `''` where none was given and none is needed. Not called where the caller's own headers authorise and there is no key.
   * Default: `authorization: Bearer <key>`. What it throws is an `authentication` error, unless it is an `AdapterError`.
   */
  readonly auth?: ((apiKey: string, request: UnsignedRequest) => Authorization | Promise<Authorization>) | undefined
}

/** For factories whose provider takes tokens of an identity service: Google Cloud, Microsoft Entra. */
export interface TokenOptions {
  /** Gives a bearer token in place of an API key; asked at each request, so a token that lives for a while is yours to keep. */
  readonly accessToken?: (() => string | Promise<string>) | undefined
}

export type RequestHeaders = Readonly<Record<string, string>>

/** A request before it is authorised. */
export interface UnsignedRequest {
  readonly method: 'POST'
  readonly url: string
  /** All headers that go out, those of the caller among them; names in lower case. */
  readonly headers: RequestHeaders
  /** The bytes that go out. */
  readonly body: Uint8Array<ArrayBuffer>
  /** Aborted when the turn is. */
  readonly signal: AbortSignal
}

/** What authorises a request. No error shows a value of these headers, of the query of the URL, or one of `secrets`. */
export interface Authorization {
  /** The headers of the caller win over these. */
  readonly headers?: RequestHeaders | undefined
  /** Address in place of the request's own, where the signature is a part of it. */
  readonly url?: string | undefined
  readonly body?: Uint8Array<ArrayBuffer> | undefined
  /** What does not go out but is secret, such as the key that signs. */
  readonly secrets?: readonly string[] | undefined
}

/**
 * Makes an adapter from the four pure functions of a wire format. It owns url, auth, fetch, size limits, framing, abort and error mapping.
 * A streamed turn ends where its decoder says so (`TurnDecoder.progress`), else with its bytes.
 *
 * Its turns throw `AdapterError`: `missing-api-key` before any request, `connection`, `aborted`, `timeout`, what `decodeError` says of a
 * response that is not 2xx, `malformed-response` and `empty-response` for bodies that are no answer, `response-too-large`,
 * `incomplete-stream`.
 */
export function defineHttpAdapter(wire: WireFormat, given: HttpAdapterOptions): Adapter {
  const options = withToken(given)
  const { provider, model } = options
  const origin = { provider, model }
  const baseURL = options.baseURL.replace(/\/+$/, '')
  const maxBytes = options.maxResponseBytes ?? 64 * 1024 * 1024
  const prepare = createPrepare(options, baseURL)
  return {
    provider,
    model,
    capabilities: options.capabilities,
    turn(request, context) {
      let sent: PreparedRequest | undefined
      let redact: ((text: string) => string) | undefined
      return new HttpTurn({
        wire,
        origin,
        maxBytes,
        request,
        baseURL,
        context,
        // Most turns have nothing to hide, so what is secret is found out when the first text is asked about.
        hide(text) {
          redact ??= createRedactor(secretsOf(options, request, sent))
          return redact(text)
        },
        send(encoded, signal) {
          const made = prepare(encoded, request.headers, signal)
          return made instanceof Promise
            ? made.then((signed) => post(options, (sent = signed), signal))
            : post(options, (sent = made), signal)
        },
      })
    },
  }
}

function post(options: HttpAdapterOptions, request: PreparedRequest, signal: AbortSignal): Promise<Response> {
  // A token may have taken its time, and not every `fetch` looks at the signal.
  signal.throwIfAborted()
  const { url, headers, body } = request
  const init: RequestInit = { method: 'POST', headers: { ...headers }, body, redirect: 'manual', signal }
  return (options.fetch ?? fetch)(url, init)
}

function withToken(options: HttpAdapterOptions): HttpAdapterOptions {
  const { accessToken } = options
  if (accessToken === undefined) return options
  const auth = async (): Promise<Authorization> => {
    const token: unknown = await accessToken()
    if (textOf(token) === undefined) throw authenticationError(options, '`accessToken` gave no token')
    return { headers: bearer(String(token)) }
  }
  return { ...options, apiKeyOptional: true, auth }
}

interface PreparedRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array<ArrayBuffer>
  /** What authorises it; all of it is secret. */
  readonly authorization: Authorization
}

type Prepare = (
  encoded: EncodedRequest,
  given: RequestHeaders | undefined,
  signal: AbortSignal,
) => PreparedRequest | Promise<PreparedRequest>

type Authorized = Pick<PreparedRequest, 'headers' | 'authorization'>

/** With nothing but a plain key the headers are the same in every turn, so they are made, and the key checked, once. */
function createPrepare(options: HttpAdapterOptions, baseURL: string): Prepare {
  let last: (Authorized & { readonly given: string | undefined; readonly own: unknown }) | undefined
  return ({ path, headers: own, body }, more, signal) => {
    const url = baseURL + path
    const given = givenKey(options)
    if (last !== undefined && more === undefined && last.given === given && last.own === own) {
      return { url, headers: last.headers, body, authorization: last.authorization }
    }
    const prepared = (authorization: Authorization): PreparedRequest => ({
      url: authorization.url ?? url,
      headers: joinHeaders(authorization.headers, own, options.headers, more),
      body: authorization.body ?? body,
      authorization,
    })
    const key = apiKeyOf(options, given)
    if (key !== undefined && options.auth !== undefined) {
      const unsigned = unsignedRequest({ url, body, signal, headers: joinHeaders(own, options.headers, more) })
      return authorize(options, options.auth, key, unsigned).then(prepared)
    }
    const made = prepared(key === undefined ? {} : { headers: bearer(headerKey(options, key)) })
    // The caller's own may be other ones next time, in the very same object.
    const { headers, authorization } = made
    last = options.headers === undefined && more === undefined ? { given, own, headers, authorization } : undefined
    return made
  }
}

/** Most functions look at no more than the key, so the bytes are made when they are asked for. */
function unsignedRequest(parts: Omit<UnsignedRequest, 'method' | 'body'> & { readonly body: string }): UnsignedRequest {
  let bytes: Uint8Array<ArrayBuffer> | undefined
  return {
    ...parts,
    method: 'POST',
    get body() {
      bytes ??= new TextEncoder().encode(parts.body)
      return bytes
    },
  }
}

/** The bytes that a header value may hold (RFC 9110, section 5.5). */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

const unsendable = 'cannot be sent: a header takes no line end, nor some other characters'

/** A key that no header takes is told from a connection that fails. */
function headerKey(options: HttpAdapterOptions, key: string): string {
  if (headerValue.test(key)) return key
  throw authenticationError(options, `the API key ${unsendable}`)
}

/** Asks the source of credentials; one that fails is `authentication`, told from a connection that fails. */
async function authorize(
  options: HttpAdapterOptions,
  auth: NonNullable<HttpAdapterOptions['auth']>,
  key: string,
  request: UnsignedRequest,
): Promise<Authorization> {
  headerKey(options, key)
  let authorization: Authorization
  try {
    authorization = await auth(key, request)
  } catch (cause) {
    if (AdapterError.isInstance(cause)) throw cause
    throw authenticationError(options, 'the function that makes the credentials failed', bareCause(cause))
  }
  const isSendable = Object.values(authorization.headers ?? {}).every((value) => headerValue.test(trimmed(value)))
  if (isSendable) return authorization
  throw authenticationError(options, `the credentials ${unsendable}`)
}

function authenticationError({ provider, model }: HttpAdapterOptions, message: string, cause?: unknown): AdapterError {
  return new AdapterError({ provider, model, code: 'authentication', message, cause })
}

function apiKeyOf(options: HttpAdapterOptions, given: string | undefined): string | undefined {
  const key = given === undefined ? undefined : trimmed(given)
  if (key) return key
  if (hasOwnAuth(options.headers)) return undefined
  if (options.apiKeyOptional) return options.auth && ''
  const { provider, model, apiKeyVariable: variable } = options
  const message = variable && `no API key was given, and ${variable} is not set`
  throw new AdapterError({ provider, model, code: 'missing-api-key', message })
}

/** The key before it is trimmed: the caller's, or the environment's. */
function givenKey({ apiKey, apiKeyVariable: variable }: HttpAdapterOptions): string | undefined {
  return apiKey ?? (variable === undefined ? undefined : environmentVariable(variable))
}

/** Files and variables end in line ends and blanks. `fetch` takes them off every value (Fetch standard, "normalize"), so what comes back lacks them. */
function trimmed(value: string): string {
  return value.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
}

/** A variable of `process.env`; `undefined` where there is none, as in browsers and some edge runtimes. */
export function environmentVariable(name: string): string | undefined {
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

/** Joins headers: later ones win whatever their case; names go out in lower case. */
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
  sent: PreparedRequest | undefined,
): readonly string[] {
  return [
    trimmed(givenKey(options) ?? ''),
    ...Object.values(sent?.authorization.headers ?? {}).flatMap(valuesOf),
    ...(sent?.authorization.secrets ?? []),
    ...secretsIn({ baseURL: sent?.authorization.url }),
    ...secretsIn({
      baseURL: options.baseURL,
      headers: sent?.headers ?? joinHeaders(options.headers, headers),
      data: [providerOptions, ...tools.filter(({ type }) => type === 'provider')],
    }),
  ]
}
