import { failureTable } from '../../simulate/failure-table.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'

/** A 400 in Anthropic's words: the message begins with the path of the field. */
export function invalidRequest(message: string): Rejection {
  return { status: 400, type: 'invalid_request_error', message }
}

/** The request id stands in the body, too (docs/wire.md#error-bodies). */
export function errorBody(rejection: Rejection, requestNumber: number): JsonObject {
  return {
    type: 'error',
    error: { type: rejection.type, message: rejection.message },
    request_id: requestId(requestNumber),
  }
}

export function authorise(headers: Readonly<Record<string, string>>, apiKey?: string): Rejection | undefined {
  const unauthorised = { status: 401, type: 'authentication_error' }
  const key = headers['x-api-key'] ?? ''
  if (key === '') return { ...unauthorised, message: 'x-api-key header is required' }
  if (apiKey !== undefined && key !== apiKey) return { ...unauthorised, message: 'invalid x-api-key' }
  const version = headers['anthropic-version']
  if (version === undefined) return invalidRequest('anthropic-version: header is required')
  if (!['2023-01-01', '2023-06-01'].includes(version)) {
    return invalidRequest(`anthropic-version: "${version}" is not a valid version`)
  }
  return undefined
}

/** Successful answers carry `retry-after` now and then (docs/wire.md#retry-after). https://docs.claude.com/en/api/rate-limits */
export function responseHeaders(requestNumber: number): Readonly<Record<string, string>> {
  return {
    'anthropic-organization-id': '00000000-0000-0000-0000-000000000000',
    'anthropic-ratelimit-requests-limit': '4000',
    'anthropic-ratelimit-requests-remaining': String(4000 - requestNumber),
    'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:01Z',
    'anthropic-ratelimit-tokens-limit': '800000',
    'anthropic-ratelimit-tokens-remaining': String(800_000 - 1000 * requestNumber),
    'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:01Z',
    'request-id': requestId(requestNumber),
    ...(requestNumber % 2 === 0 ? { 'retry-after': '41' } : {}),
  }
}

/** https://docs.claude.com/en/api/errors */
export const failure = failureTable({
  'bad-key': [401, 'authentication_error', 'invalid x-api-key'],
  forbidden: [403, 'permission_error', 'Your API key does not have permission to use the specified resource.'],
  'unknown-model': [404, 'not_found_error', 'model: {model}'],
  'bad-request': invalidRequest('messages: the request could not be processed as it stands'),
  'context-overflow': invalidRequest('prompt is too long: 201345 tokens > 200000 maximum'),
  'rate-limited': {
    status: 429,
    type: 'rate_limit_error',
    message: 'This request would exceed your organization’s rate limit of 800,000 input tokens per minute.',
    headers: { 'retry-after': '1', 'anthropic-ratelimit-tokens-remaining': '0' },
  },
  'insufficient-credit': [402, 'billing_error', 'Your credit balance is too low to access the Anthropic API.'],
  overloaded: [529, 'overloaded_error', 'Overloaded'],
  'server-error': [500, 'api_error', 'Internal server error'],
})

function requestId(requestNumber: number): string {
  return `req_sim${requestNumber}`
}
