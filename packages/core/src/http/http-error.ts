import type { TurnContext } from '../contract/adapter.ts'
import type { ErrorFacts, WireFormat } from '../contract/wire-format.ts'
import { errorText } from '../wire/error-text.ts'
import { AdapterError } from '../contract/errors.ts'
import { jsonOf, objectOf, textOf, type Origin } from '../wire/json.ts'
import { read, redactError } from './redact-error.ts'

/** What is needed to tell what went wrong in a turn. */
export interface HttpErrorOptions {
  readonly wire: WireFormat
  readonly origin: Origin
  readonly context: TurnContext
  /** Replaces secrets that the provider echoed. */
  readonly hide: (text: string) => string
}

/**
 * A `fetch` that answers from a file, a policy or a mock may say that asking again is no use: then there was no connection that failed, and
 * what it says is all that there is to fix.
 */
export function connectionError(cause: unknown, { origin }: HttpErrorOptions): AdapterError {
  const isRefused = read(cause, 'retryable') === false
  const refusal = isRefused ? `\`fetch\` refused the request. ${errorText(cause)}` : undefined
  const message = connectionMessage(cause)
  return new AdapterError({ ...origin, code: 'connection', cause, message, refusal, retryable: !isRefused })
}

/** `fetch failed` alone is of no use: the reason is in the cause. */
function connectionMessage(cause: unknown): string {
  return `the connection failed: ${textOf(read(read(cause, 'cause'), 'message')) ?? errorText(cause)}`
}

/** The error of a response whose body begins with `text`. */
export function responseError(
  options: HttpErrorOptions,
  { response, text, url }: { readonly response: Response; readonly text: string; readonly url: string },
): AdapterError {
  const refusal = replayRefusal(response, text)
  if (refusal !== undefined) {
    return new AdapterError({ ...options.origin, code: 'bad-request', status: response.status, refusal })
  }
  const facts = errorFacts(options, response, text)
  const said = facts.providerMessage
  return new AdapterError({
    ...options.origin,
    ...facts,
    status: response.status,
    excerpt: said === undefined && text !== '' ? text : undefined,
    message: messageOf(facts, response, url),
  })
}

/** A replay that can only answer over HTTP (`@steploop/cassette`) says so in a header: no provider was asked. */
function replayRefusal({ headers }: Response, text: string): string | undefined {
  if (!headers.has('x-steploop-cassette')) return undefined
  const said = textOf(objectOf(objectOf(jsonOf(text))['error'])['message'])
  return said && `the replay refused the request. ${said}`
}

/** A wrong base URL is the commonest reason of a 404, so it is shown, without what may be secret in it. */
function messageOf({ code }: ErrorFacts, response: Response, url: string): string | undefined {
  if (isRedirect(response)) return redirectMessage
  if (code !== 'not-found') return undefined
  return `the model or resource does not exist at ${url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//')}`
}

/** Browsers hide the status of a redirect that is not followed (Fetch standard, "opaque-redirect filtered response"). */
function isRedirect({ status, type }: Response): boolean {
  return (status >= 300 && status < 400) || type === 'opaqueredirect'
}

const redirectMessage =
  'the server answered with a redirect, which would carry the key along; set `baseURL` to the final address'

/** `decodeError` sees whatever a proxy may answer; should it fail, the status alone decides. */
function errorFacts(options: HttpErrorOptions, response: Response, text: string): ErrorFacts {
  try {
    return options.wire.decodeError(response.status, response.headers, text)
  } catch {
    return { code: response.status >= 500 ? 'server-error' : 'unknown' }
  }
}

/** Whatever was thrown becomes an `AdapterError` without secrets. An abort by the caller wins over what it caused. */
export function translate(error: unknown, options: HttpErrorOptions): AdapterError {
  const { origin, context } = options
  if (context.signal?.aborted) {
    const reason: unknown = context.signal.reason
    const timedOut = reason instanceof Error && reason.name === 'TimeoutError'
    return new AdapterError({ ...origin, code: timedOut ? 'timeout' : 'aborted', cause: reason })
  }
  if (AdapterError.isInstance(error)) return redactError(error, options.hide)
  const message = `the adapter failed while it handled the turn: ${errorText(error)}`
  return redactError(new AdapterError({ ...origin, code: 'unknown', cause: error, message }), options.hide)
}
