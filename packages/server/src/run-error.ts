import { AdapterError, LoopError, type AdapterErrorCode } from '@steploop/core'
import { StoreError } from '@steploop/store'
import { ApiError } from './api-error.ts'

/** Statuses that tell a client whether asking again can help: a 429 or 5xx only where it can. */
const statuses: Partial<Record<AdapterErrorCode, readonly [status: number, code: string, words: string]>> = {
  'rate-limit': [429, 'rate_limit_exceeded', 'The model is asked too often. Try again later.'],
  overloaded: [503, 'server_is_overloaded', 'The model is overloaded. Try again later.'],
  'context-overflow': [400, 'context_length_exceeded', 'The input is too long for the model. Shorten it.'],
  'content-filter': [400, 'content_filter', 'A content filter stopped the request. Change the input.'],
  'bad-request': [400, 'invalid_prompt', 'The model does not take this request.'],
  unsupported: [400, 'unsupported_parameter', 'The model cannot do what the request asks for.'],
  timeout: [504, 'model_timeout', 'The model did not answer in time.'],
  'server-error': [502, 'server_error', 'The model failed (server-error).'],
  'malformed-response': [502, 'server_error', 'The model failed (malformed-response).'],
  'incomplete-stream': [502, 'server_error', 'The model failed (incomplete-stream).'],
}

/**
 * What a client may know of a run that failed. Words of providers, of tools and of databases stay inside: they may name hosts, keys and
 * prompts of others.
 */
export function runApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause
  const inner = LoopError.isInstance(cause) && cause.cause !== undefined ? cause.cause : cause
  if (inner instanceof ApiError) return inner
  if (AdapterError.isInstance(inner)) return adapterApiError(inner, cause)
  if (StoreError.isInstance(inner)) {
    return new ApiError({ status: 500, code: 'storage_failed', message: 'The response could not be stored.', cause })
  }
  if (LoopError.isInstance(cause) && (cause.code === 'invalid-input' || cause.code === 'invalid-options')) {
    return new ApiError({ status: 400, message: cause.message, cause })
  }
  if (LoopError.isInstance(cause) && cause.code === 'aborted') {
    return new ApiError({ status: 499, code: 'cancelled', message: 'The response was cancelled.', cause })
  }
  return new ApiError({ status: 500, code: 'server_error', message: 'The run failed.', cause })
}

function adapterApiError(error: AdapterError, cause: unknown): ApiError {
  const known = statuses[error.code]
  if (known === undefined) {
    return new ApiError({ status: 502, code: 'model_failed', message: `The model failed (${error.code}).`, cause })
  }
  const [status, code, message] = known
  const wait = error.retryAfterMs === undefined ? 1 : Math.ceil(error.retryAfterMs / 1000)
  return new ApiError({ status, code, message, cause, ...((status === 429 || status === 503) && { retryAfter: wait }) })
}
