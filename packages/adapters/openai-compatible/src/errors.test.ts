import { expect, test } from 'vitest'
import { decodeWhole } from '@steploop/core/testing'
import { readStream, requestOf, origin, wireOf } from './testing.ts'

const choice = { index: 0, delta: { content: '' }, finish_reason: null }

function factsOf(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return wireOf().decodeError(status, new Headers(headers), text)
}

test.each([
  ['an object', 404, { error: { message: 'no such model', code: 'model_not_found', param: null } }, 'not-found'],
  ['a text', 401, { error: 'no such model' }, 'authentication'],
  ['flat, as Mistral and vLLM send it', 400, { object: 'error', message: 'no such model', code: 3000 }, 'bad-request'],
  ['flat, without anything else', 403, { message: 'no such model' }, 'permission'],
  ['under `detail`', 422, { detail: [{ msg: 'no such model', loc: ['body'] }] }, 'bad-request'],
  ['under `detail`, in an object', 422, { detail: { message: 'no such model' } }, 'bad-request'],
  ['under `message` with a detail', 422, { message: { detail: [{ msg: 'no such model' }] } }, 'bad-request'],
  ['under `message`, in an array', 422, { error: { message: [{ msg: 'no such model' }] } }, 'bad-request'],
  [
    'in an array, as Gemini’s endpoint sends it',
    400,
    [{ error: { code: 400, message: 'no such model' } }],
    'bad-request',
  ],
  ['with a number for a code', 429, { error: { code: 429, message: 'no such model' } }, 'rate-limit'],
  ['out of credit', 429, { error: { message: 'no such model', code: 'insufficient_quota' } }, 'insufficient-credit'],
])('the body of a failed response is %s', (_, status, body, code) => {
  expect(factsOf(status, body)).toMatchObject({ code, providerMessage: 'no such model' })
})

test.each([
  [{ error: { code: 'insufficient_quota' } }, 'insufficient-credit'],
  [{ error: { type: 'insufficient_quota' } }, 'insufficient-credit'],
  [{ error: { status: 'insufficient_quota' } }, 'insufficient-credit'],
  [{ error: 'No.', code: 'insufficient_quota' }, 'insufficient-credit'],
  [{ error: 'No.', type: 'insufficient_quota' }, 'insufficient-credit'],
  [{ error: { message: 'No.' }, code: 'insufficient_quota' }, 'insufficient-credit'],
  [{ error: { message: 'No.' }, type: 'insufficient_quota' }, 'insufficient-credit'],
  [{ error: { code: '400', innererror: { code: 'ResponsibleAIPolicyViolation' } } }, 'content-filter'],
  // OpenRouter's own word wins over its code.
  [{ error: { code: 402, message: 'No.', metadata: { error_type: 'timeout' } } }, 'timeout'],
])('the fault is told by a word wherever it stands: %j', (body, code) => {
  expect(factsOf(429, body)).toMatchObject({ code })
})

test('the body of a failed response says what was said first, and who said it', () => {
  const both = { error: { message: 'inner' }, message: 'outer', detail: 'last' }
  expect(factsOf(400, both).providerMessage).toBe('inner')
  expect(factsOf(400, { error: {}, message: 'outer', detail: 'last' }).providerMessage).toBe('outer')
  expect(factsOf(400, { error: {}, detail: 'last' }).providerMessage).toBe('last')
  const gateway = (metadata: object) => factsOf(502, { error: { message: 'No.', metadata } }).providerMessage
  expect(gateway({ raw: 'gone', provider_name: 'Acme' })).toBe('No. (Acme: gone)')
  expect(gateway({ raw: 'gone' })).toBe('No. (upstream: gone)')
  const headers = { 'mistral-correlation-id': 'req_1' }
  expect(factsOf(400, { request_id: 'req_2' }, headers).requestId).toBe('req_2')
  expect(factsOf(400, {}, headers).requestId).toBe('req_1')
})

test('words of a dialect say what a fault is, in its code and in its message, and keep the rest', () => {
  const wire = wireOf({ errorWords: { overlong: 'context-overflow' } })
  for (const error of [{ code: 'OVERLONG', message: 'No.' }, { message: 'No. overlong' }])
    expect(wire.decodeError(400, new Headers(), JSON.stringify({ error }))).toMatchObject({
      code: 'context-overflow',
      providerMessage: error.message,
    })
  expect(wire.decodeError(400, new Headers(), '{"error":{"message":"No."}}')).toMatchObject({ code: 'bad-request' })
  const inBand = readStream([{ error: { code: 'overlong', message: 'No.' } }], {
    dialect: { errorWords: { overlong: 'context-overflow' } },
  })
  expect(inBand.error).toMatchObject({ code: 'context-overflow' })
})

test.each([
  [599, 'server-error'],
  [400, 'bad-request'],
  [600, 'unknown'],
  [399, 'unknown'],
])('an error inside a stream with the number %d is %s', (status, code) => {
  expect(readStream([{ error: { code: status, message: 'No.' } }]).error).toMatchObject({ code })
  expect(readStream([{ error: { message: 'No.' }, code: status }]).error).toMatchObject({ code })
})

test.each([
  ['context_length_exceeded', 'context-overflow'],
  ['token_limit_exceeded', 'context-overflow'],
  ['authentication', 'authentication'],
  ['permission_denied', 'permission'],
  ['payment_required', 'insufficient-credit'],
  ['rate_limit_exceeded', 'rate-limit'],
  ['provider_overloaded', 'overloaded'],
  ['provider_unavailable', 'overloaded'],
  ['not_found', 'not-found'],
  ['content_policy_violation', 'content-filter'],
  ['refusal', 'content-filter'],
  ['server', 'server-error'],
  ['timeout', 'timeout'],
  ['invalid_image', 'bad-request'],
  ['unmapped', 'bad-request'],
])('an error of OpenRouter of the type %s is %s, whatever code it comes with', (error_type, code) => {
  const error = { code: 400, message: 'No.', metadata: { error_type, provider_code: 'x' } }
  expect(factsOf(400, { error })).toMatchObject({ code })
  expect(readStream([{ choices: [choice], error }]).error).toMatchObject({ code })
})

const content = { content: 'Half an ans' }

test('an error inside a stream may be a finish reason alone', () => {
  const { error } = readStream([content, { finish_reason: 'error' }])
  const providerMessage = 'the provider ended the turn with finish_reason "error"'
  expect(error).toMatchObject({ code: 'server-error', providerMessage })
  const gaveUp = readStream([content, { finish_reason: 'insufficient_system_resource' }])
  expect(gaveUp.error).toMatchObject({ code: 'overloaded', retryable: true })
})

test.each([{ type: 'server_error' }, { code: 'server_error' }])(
  'an error inside a stream may say nothing but %j',
  (error) => {
    expect(readStream([{ choices: [choice], error }]).error).toMatchObject({ code: 'server-error' })
  },
)

test('an error inside a JSON answer is thrown, although the status was fine', () => {
  const { error } = decodeWhole(wireOf(), [{ error: { code: 429, message: 'slow' } }], { request: requestOf(), origin })
  expect(error).toMatchObject({ code: 'rate-limit', providerMessage: 'slow' })
})
