import { expect, it } from 'vitest'
import { decodeError, inBandError, isErrorBody } from './errors.ts'
import { origin } from './testing.ts'

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
