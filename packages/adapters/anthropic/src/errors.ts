import {
  jsonOf,
  AdapterError,
  isObject,
  objectOf,
  providerErrorFacts,
  textOf,
  type ErrorFacts,
  type Origin,
} from '@steploop/core/adapter'

/**
 * What a failed response says: `{ type: 'error', error: { type, message, details? }, request_id }` (docs/wire.md#error-bodies), or whatever
 * else came.
 */
export function decodeError(status: number, headers: Headers, text: string): ErrorFacts {
  const body = jsonOf(text)
  return errorFacts(body, { status, headers })
}

/** True for an error that came in place of a message or of an event. */
export function isErrorBody(body: unknown): boolean {
  return isObject(body) && (body['type'] === 'error' || isObject(body['error']))
}

/** The error inside a 200, in a stream or as its body. */
export function inBandError(body: unknown, origin: Origin): AdapterError {
  return new AdapterError({ ...origin, ...errorFacts(body) })
}

function errorFacts(body: unknown, response?: { readonly status?: number; readonly headers?: Headers }): ErrorFacts {
  const { error, message: flat, request_id: requestId } = objectOf(body)
  const { type, code, message: nested, details } = objectOf(error)
  const message = textOf(nested) ?? textOf(error) ?? textOf(flat)
  const words = [type, code, objectOf(details)['error_code'], ...wordsIn(message)]
  const facts = providerErrorFacts({ ...response, words, message, requestId: textOf(requestId) })
  // An overlong answer; with a status the status says it.
  return facts.code === 'unknown' && type === 'timeout_error' ? { ...facts, code: 'timeout' } : facts
}

/** Faults that come as a plain `invalid_request_error` and are told by their text only. */
function wordsIn(message: string | undefined): readonly string[] {
  const text = String(message)
  if (/credit balance is too low/i.test(text)) return ['billing_error']
  return /exceed context limit/i.test(text) ? ['context_length_exceeded'] : []
}
