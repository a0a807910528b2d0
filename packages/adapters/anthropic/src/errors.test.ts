import { expect, it } from 'vitest'
import { decodeError, inBandError, isErrorBody } from './errors.ts'
import { origin } from './testing.ts'

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

it.each([
  [{ type: 'error' }, true],
  [{ error: { message: 'No.' } }, true],
  [{ type: 'message', error: null }, false],
  ['error', false],
])('the body %j is an error: %s', (body, expected) => {
  expect(isErrorBody(body)).toBe(expected)
})

it('failed responses: a word in the details is heard, and an overlong answer is a timeout that says so', () => {
  const error = { type: 'invalid_request_error', message: 'No.', details: { error_code: 'context_length_exceeded' } }
  expect(decodeError(400, new Headers(), JSON.stringify({ error }))).toMatchObject({ code: 'context-overflow' })
  const body = { type: 'error', error: { type: 'timeout_error', message: 'Too long.' } }
  expect(inBandError(body, origin)).toMatchObject({ code: 'timeout', providerMessage: 'Too long.', ...origin })
  expect(decodeError(500, new Headers(), JSON.stringify(body))).toMatchObject({ code: 'server-error' })
  const denied = { type: 'error', error: { type: 'permission_error', message: 'No.' } }
  expect(inBandError(denied, origin)).toMatchObject({ code: 'permission' })
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
