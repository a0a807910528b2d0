import {
  jsonOf,
  AdapterError,
  arrayOf,
  isObject,
  numberOf,
  objectOf,
  parseDelay,
  providerErrorFacts,
  textOf,
  type ErrorFacts,
  type Origin,
} from '@steploop/core/adapter'

/**
 * What a failed response says: `{ error: { code, message, status, details } }` (docs/wire.md#error-bodies), alone or in a list, or whatever
 * else came.
 */
export function decodeError(status: number, headers: Headers, text: string): ErrorFacts {
  const body = jsonOf(text)
  return errorFacts(Array.isArray(body) ? body[0] : body, status, headers)
}

/** True for an error that came in place of an answer. */
export function isErrorBody(body: unknown): boolean {
  return isObject(body) && isObject(body['error'])
}

/** The error inside a 200, in a stream or as its body. */
export function inBandError(body: unknown, origin: Origin): AdapterError {
  const status = numberOf(objectOf(objectOf(body)['error'])['code'])
  return new AdapterError({ ...origin, ...errorFacts(body, status) })
}

function errorFacts(body: unknown, status: number | undefined, headers?: Headers): ErrorFacts {
  const { error, message: flat } = objectOf(body)
  const { status: word, message: nested, details } = objectOf(error)
  const message = textOf(nested) ?? textOf(error) ?? textOf(flat)
  const infos = arrayOf(details).map(objectOf)
  const reasons = infos.map((info) => reasonWords[String(info['reason'])])
  const isSpent = message?.toLowerCase().includes('credits are depleted')
  const delay = infos.map((info) => textOf(info['retryDelay'])).find((text) => text !== undefined)
  return providerErrorFacts({
    status,
    headers,
    words: [...reasons, isSpent ? 'billing_error' : undefined, word],
    message,
    // A duration such as `34.074824224s` (google.rpc.RetryInfo).
    retryAfterMs: delay === undefined ? undefined : parseDelay(delay),
  })
}

/** Reasons of `google.rpc.ErrorInfo` that say more than the status: a wrong key is a plain 400 otherwise. */
const reasonWords: Readonly<Record<string, string | undefined>> = {
  API_KEY_INVALID: 'invalid_api_key',
  API_KEY_EXPIRED: 'invalid_api_key',
  BILLING_DISABLED: 'billing_error',
}
