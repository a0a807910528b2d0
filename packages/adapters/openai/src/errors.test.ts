import type { JsonObject } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { decodeError, inBandError, isErrorEnvelope } from './errors.ts'

const none = new Headers()
const envelope = (error: object): string => JSON.stringify({ error })

test.each([
  [400, { code: 'unsupported_parameter', param: 'previous_response_id' }, 'continuation-not-found'],
  [404, { message: 'Previous response with id `r` not found.' }, 'continuation-not-found'],
  [400, { message: "llama.cpp does not support 'previous_response_id'." }, 'continuation-not-found'],
  [400, { message: '`previous_response_id` is not supported by this server.' }, 'continuation-not-found'],
  [400, { message: "Unknown parameter: 'previous_response_id'." }, 'continuation-not-found'],
  [400, { message: 'Unrecognized request argument supplied: previous_response_id' }, 'continuation-not-found'],
  [422, { message: 'body.previous_response_id: Extra inputs are not permitted' }, 'continuation-not-found'],
  [404, { message: 'The model was not found. The previous response had another.' }, 'not-found'],
])('a response with status %i and the error %j is the error `%s`', (status, error, code) => {
  expect(decodeError(status, none, envelope({ message: 'No.', ...error })).code).toBe(code)
})

test.each([
  { error: { message: 'No.', code: 'insufficient_quota' } },
  { error: { message: 'No.', type: 'insufficient_quota' } },
  { error: { message: 'No.', status: 'insufficient_quota' } },
  { error: 'No.', code: 'insufficient_quota' },
  { error: 'No.', type: 'insufficient_quota' },
])('the error code comes from a word wherever it stands: %j', (body) => {
  expect(decodeError(429, none, JSON.stringify(body)).code).toBe('insufficient-credit')
})

test.each([
  [{ message: 'No.' }, true],
  [{ code: 'overloaded' }, true],
  [{ type: 'server_error' }, true],
  [{ message: '', code: null, param: 'tools' }, false],
  ['No.', true],
  [null, false],
])('an error of the value %j inside a body says something: %s', (error, expected) => {
  expect(isErrorEnvelope({ error })).toBe(expected)
})

const codeOf = (error: JsonObject): string => inBandError(error, { provider: 'xai', model: 'grok-4' }).code

test.each([
  [{ type: 'error', code: '503', message: 'No.' }, 'overloaded'],
  [{ type: 'error', status: 429, message: 'No.' }, 'rate-limit'],
  [{ type: 'error', error: { code: '503', message: 'No.' } }, 'overloaded'],
  [{ type: 'error', error: { status: 500, message: 'No.' } }, 'server-error'],
  [{ type: 'error', code: 503, message: 'No.' }, 'overloaded'],
  [{ type: 'error', code: '7', message: 'No.' }, 'unknown'],
  [{ type: 'error', status: 400, message: 'No.' }, 'bad-request'],
  [{ type: 'error', status: 600, message: 'No.' }, 'unknown'],
  [{ type: 'error', status: 7, error: { status_code: 429, code: 7, message: 'No.' } }, 'rate-limit'],
])('the code of an error inside a 200 of %j is recognised by its status: %s', (error, code) => {
  expect(codeOf(error)).toBe(code)
})

test.each([
  ['data_residency_mismatch', 'bad-request'],
  ['bio_policy', 'content-filter'],
  ['misalignment_policy_violation', 'content-filter'],
])('the code of an error inside a 200: `%s` of a failed response is %s', (code, expected) => {
  expect(codeOf({ status: 'failed', error: { code, message: 'No.' } })).toBe(expected)
})

test.each([
  ['{"error":{"message":"No."}}', 'No.'],
  ['{"error":"No."}', 'No.'],
  ['{"message":"No."}', 'No.'],
  ['{"detail":"No."}', 'No.'],
  ['[{"error":{"message":"No."}}]', 'No.'],
  ['{"error":{"message":"Provider returned error","metadata":{"raw":"No."}}}', 'Provider returned error: No.'],
])('the provider’s message is found in the body %s: "%s"', (text, message) => {
  expect(decodeError(400, none, text).providerMessage).toBe(message)
})

test('the id of the request stands beside the error or in it', () => {
  expect(decodeError(400, none, '{"request_id":"r","error":{"message":"No."}}').requestId).toBe('r')
  expect(decodeError(400, none, envelope({ request_id: 'r' })).requestId).toBe('r')
})
