import type { ErrorFacts, TurnContext, WireFormat } from './adapter.ts'
import { AdapterError } from './errors.ts'
import type { Stamp } from './json.ts'
import { boundBody, readExcerpt, type BoundedBody } from './response-body.ts'

/** What is needed to tell what went wrong in a turn. */
export interface HttpErrorOptions {
  readonly wire: WireFormat
  readonly stamp: Stamp
  readonly context: TurnContext
  /** Replaces secrets that the provider echoed. */
  readonly hide: (text: string) => string
}

/** `fetch failed` alone helps nobody: the reason is in the cause. */
export function connectionMessage(cause: unknown): string {
  const error = cause instanceof Error ? cause : undefined
  const inner = error?.cause instanceof Error ? error.cause.message : undefined
  return `the connection failed: ${inner || error?.message || String(cause)}`
}

const errorBodyBytes = 256 * 1024

/** `onBody` gets the body before it is read, so that whoever ends the turn can close it. */
export async function responseError(
  options: HttpErrorOptions,
  response: Response,
  onBody: (body: BoundedBody) => void,
): Promise<AdapterError> {
  const body = boundBody(response, { stamp: options.stamp, maxBytes: errorBodyBytes })
  onBody(body)
  const text = await readExcerpt(body)
  const facts = errorFacts(options, response, text)
  const said = facts.providerMessage
  return new AdapterError({
    ...options.stamp,
    ...facts,
    status: response.status,
    providerMessage: said === undefined ? undefined : options.hide(said).slice(0, 1000),
    excerpt: said === undefined && text !== '' ? options.hide(text) : undefined,
    message: response.status >= 300 && response.status < 400 ? redirectMessage : undefined,
  })
}

const redirectMessage =
  'the server answered with a redirect, which is not followed because it would carry the key along; set `baseURL` to the final address'

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
  const { stamp, context } = options
  if (context.signal?.aborted) {
    const reason: unknown = context.signal.reason
    const timedOut = reason instanceof Error && reason.name === 'TimeoutError'
    return new AdapterError({ ...stamp, code: timedOut ? 'timeout' : 'aborted', cause: reason })
  }
  if (AdapterError.isInstance(error)) return withoutSecrets(error, options.hide)
  const said = error instanceof Error ? error.message : String(error)
  const message = `the adapter failed while it handled the turn: ${said}`
  return withoutSecrets(new AdapterError({ ...stamp, code: 'unknown', cause: error, message }), options.hide)
}

/**
 * Providers, proxies and `fetch` itself may echo the key. The texts of the error are cleaned in place, its stack too; a cause that holds a
 * secret is left out.
 */
function withoutSecrets(error: AdapterError, hide: (text: string) => string): AdapterError {
  const clean = (text: string | undefined): string | undefined => (text === undefined ? undefined : hide(text))
  const { message, stack, providerMessage, requestId, excerpt, cause } = error
  if (holdsSecret(cause, hide)) error.cause = undefined
  return Object.assign(error, {
    message: clean(message),
    stack: clean(stack),
    providerMessage: clean(providerMessage),
    requestId: clean(requestId),
    excerpt: clean(excerpt),
  })
}

function holdsSecret(cause: unknown, hide: (text: string) => string): boolean {
  if (!(cause instanceof Error)) return typeof cause === 'string' && hide(cause) !== cause
  const text = `${cause.message} ${cause.stack ?? ''}`
  return hide(text) !== text || holdsSecret(cause.cause, hide)
}
