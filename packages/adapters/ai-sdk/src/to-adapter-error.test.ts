import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { fromLanguageModel } from './from-language-model.ts'
import { fakeModel, finish, runTurn } from './testing.ts'

const call = { url: 'https://api.example.com', requestBodyValues: {} }

async function errorOf(error: unknown, mode: 'generate' | 'stream' = 'generate') {
  return (await runTurn(fromLanguageModel(fakeModel({ error })), { mode })).error
}

async function streamError(error: unknown) {
  return (await runTurn(fromLanguageModel(fakeModel({ parts: [{ type: 'error', error }, finish()] })))).error
}

test.each([
  [429, '{"error":{"message":"slow down","type":"requests"}}', 'rate-limit'],
  [429, '{"error":{"message":"no credit","code":"insufficient_quota"}}', 'insufficient-credit'],
  [400, '{"error":{"message":"too long","code":"context_length_exceeded"}}', 'context-overflow'],
  [401, '{"detail":"Unauthorized"}', 'authentication'],
  [400, '{"object":"error","message":"bad","type":"invalid_request_error"}', 'bad-request'],
  [
    400,
    '[{"error":{"message":"key","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]',
    'authentication',
  ],
  [400, '{"object":"error","message":"Invalid model: m","type":"invalid_model","code":"1500"}', 'not-found'],
  [529, '<html>busy</html>', 'overloaded'],
  [503, '', 'overloaded'],
])('a response with status %i and body %s is the error `%s`', async (statusCode, responseBody, code) => {
  const error = await errorOf(new APICallError({ ...call, message: 'said', statusCode, responseBody }))
  expect(error).toMatchObject({ code, status: statusCode, provider: 'ai-sdk-fake', model: 'fake-1' })
})

test('the provider’s words, the wait and the request id are kept', async () => {
  const responseHeaders = { 'retry-after': '2', 'x-request-id': 'req_1' }
  const responseBody = '{"error":{"message":"slow down"}}'
  const error = await errorOf(
    new APICallError({ ...call, message: '', statusCode: 429, responseHeaders, responseBody }),
  )
  expect(error).toMatchObject({ providerMessage: 'slow down', retryAfterMs: 2000, requestId: 'req_1', retryable: true })
})

test('an error inside a response of status 200 is that error', async () => {
  const responseBody = '{"error":{"message":"full","type":"overloaded_error"}}'
  const error = await errorOf(
    new APICallError({ ...call, message: 'Invalid JSON response', statusCode: 200, responseBody }),
  )
  expect(error).toMatchObject({ code: 'overloaded', providerMessage: 'full' })
})

test('an answer that a package cannot read is malformed, with its beginning', async () => {
  const failed = new APICallError({
    ...call,
    message: 'Invalid JSON response',
    statusCode: 200,
    responseBody: '{"a":1}',
  })
  expect(await errorOf(failed)).toMatchObject({ code: 'malformed-response', excerpt: '{"a":1}' })
})

test('an answer of status 200 without a body is an empty response', async () => {
  const cause = new JSONParseError({ text: '', cause: new SyntaxError('Unexpected end of JSON input') })
  const said = { message: 'Invalid JSON response', statusCode: 200, responseBody: '', cause }
  expect(await errorOf(new APICallError({ ...call, ...said }))).toMatchObject({ code: 'empty-response' })
})

test('a chunk that is no JSON is shown, not repeated in the message', async () => {
  const text = `{"half": "${'x'.repeat(900)}`
  const error = await streamError(new JSONParseError({ text, cause: new SyntaxError('Unterminated string') }))
  const message = expect.not.stringContaining('x'.repeat(300))
  expect(error).toMatchObject({ code: 'malformed-response', excerpt: text.slice(0, 200), message })
})

test.each([
  ['generate', 'connection'],
  ['stream', 'incomplete-stream'],
] as const)('a body that broke off in mode %s is %s', async (mode, code) => {
  const cause = new TypeError('terminated')
  const failed = new APICallError({ ...call, message: 'Failed to process successful response', statusCode: 200, cause })
  expect(await errorOf(failed, mode)).toMatchObject({ code, retryable: true })
})

test.each([
  [new APICallError({ ...call, message: 'Cannot connect to API', cause: new Error('refused') }), 'connection'],
  [new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }), 'connection'],
  [new LoadAPIKeyError({ message: 'no key' }), 'missing-api-key'],
  [new UnsupportedFunctionalityError({ functionality: 'audio' }), 'unsupported'],
  [new JSONParseError({ text: '{', cause: new Error('x') }), 'malformed-response'],
  [new TypeError("Cannot read properties of undefined (reading 'x')"), 'unknown'],
  ['a bare text', 'unknown'],
] as const)('what the model throws, %s, becomes the error `%s`', async (error, code) => {
  expect(await errorOf(error)).toMatchObject({ code })
})

test.each([
  [{ message: 'busy', type: 'overloaded_error', statusCode: 529, data: {} }, 'overloaded', 'busy'],
  [{ message: 'odd', code: 'rate_limit_exceeded' }, 'rate-limit', 'odd'],
  ['plain words', 'unknown', 'plain words'],
  [new TypeValidationError({ value: { error: { message: 'in', code: 500 } }, cause: 0 }), 'server-error', 'in'],
  [
    new TypeValidationError({ value: { object: 'error', message: 'in', type: 'internal_server_error' }, cause: 0 }),
    'server-error',
    'in',
  ],
] as const)('the error part %j is %s, without a status', async (part, code, providerMessage) => {
  expect(await streamError(part)).toMatchObject({ code, providerMessage, status: undefined })
})

test('a package that reports a missing end as an error means an incomplete stream', async () => {
  const message = 'Response stream ended without a finish reason.'
  expect(await streamError(new InvalidResponseDataError({ data: {}, message }))).toMatchObject({
    code: 'incomplete-stream',
  })
})

test('a stream that breaks amid its parts is incomplete', async () => {
  const parts = [{ type: 'text-delta', id: 'a', delta: 'x' }] as const
  const { error } = await runTurn(fromLanguageModel(fakeModel({ parts, broken: new TypeError('terminated') })))
  expect(error).toMatchObject({ code: 'incomplete-stream' })
})

test('events before an error part stay', async () => {
  const parts = [
    { type: 'text-delta', id: 'a', delta: 'x' },
    { type: 'error', error: 'no' },
  ] as const
  const { events } = await runTurn(fromLanguageModel(fakeModel({ parts })))
  expect(events.map(({ type }) => type)).toEqual(['turn-start', 'text-start', 'text-delta'])
})
