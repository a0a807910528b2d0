import { expect, it } from 'vitest'
import { decodeError } from './errors.ts'

function bodyOf(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' })
}

it.each([
  [400, 'invalid_request_error', 'messages: at least one message is required', 'bad-request'],
  [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context-overflow'],
  [400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 1 + 2 > 2', 'context-overflow'],
  [400, 'invalid_request_error', 'Your credit balance is too low to access the API', 'insufficient-credit'],
  [401, 'authentication_error', 'invalid x-api-key', 'authentication'],
  [403, 'permission_error', 'not allowed', 'permission'],
  [404, 'not_found_error', 'model: claude-none', 'not-found'],
  [413, 'request_too_large', 'Request exceeds the maximum size', 'bad-request'],
  [429, 'rate_limit_error', 'Too many tokens', 'rate-limit'],
  [500, 'api_error', 'Internal server error', 'server-error'],
  [529, 'overloaded_error', 'Overloaded', 'overloaded'],
])('a response with status %i, type `%s` and the message "%s" is the error `%s`', (status, type, message, code) => {
  expect(decodeError(status, new Headers(), bodyOf(type, message))).toMatchObject({
    code,
    providerMessage: message,
    requestId: 'req_1',
  })
})

it('failed responses: an error with `retry-after` says when to ask again', () => {
  const headers = new Headers({ 'retry-after': '3', 'request-id': 'req_2' })
  expect(decodeError(429, headers, '')).toMatchObject({ code: 'rate-limit', retryAfterMs: 3000, requestId: 'req_2' })
})

it.each([
  ['<html>Bad gateway</html>', undefined],
  ['', undefined],
  ['null', undefined],
  ['{"error":"upstream is gone"}', 'upstream is gone'],
  ['{"message":"forbidden by proxy"}', 'forbidden by proxy'],
])('failed responses of proxies are read as far as they can be: %s', (text, message) => {
  expect(decodeError(502, new Headers(), text)).toMatchObject({ code: 'server-error', providerMessage: message })
})
