import { expect, test } from 'vitest'
import { decodeError, inBandError } from './errors.ts'
import { origin } from './testing.ts'

function errorOf(status: number, error: object): unknown {
  return decodeError(status, new Headers(), JSON.stringify({ error: { code: status, ...error } }))
}

test.for([
  [400, 'INVALID_ARGUMENT', 'bad-request'],
  [401, 'UNAUTHENTICATED', 'authentication'],
  [403, 'PERMISSION_DENIED', 'permission'],
  [404, 'NOT_FOUND', 'not-found'],
  [429, 'RESOURCE_EXHAUSTED', 'rate-limit'],
  [500, 'INTERNAL', 'server-error'],
  [503, 'UNAVAILABLE', 'overloaded'],
  [504, 'DEADLINE_EXCEEDED', 'server-error'],
] as const)('a response with HTTP status %i and status word `%s` is the error `%s`', ([status, word, code]) => {
  expect(errorOf(status, { status: word, message: 'No.' })).toMatchObject({ code, providerMessage: 'No.' })
})

test('the delay that the provider asks for stands in the details', () => {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.Help' },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' },
  ]
  expect(errorOf(429, { status: 'RESOURCE_EXHAUSTED', message: 'Slow.', details })).toMatchObject({
    code: 'rate-limit',
    retryAfterMs: 34500,
  })
})

test('a wrong key is distinguished from a bad request by the reason in the details', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
  expect(errorOf(400, { status: 'INVALID_ARGUMENT', message: 'API key not valid.', details })).toMatchObject({
    code: 'authentication',
  })
})

test('no credit is distinguished from a rate limit', () => {
  const message = 'Your prepayment credits are depleted.'
  expect(errorOf(429, { status: 'RESOURCE_EXHAUSTED', message })).toMatchObject({ code: 'insufficient-credit' })
})

test('too long a prompt is distinguished from a bad request', () => {
  const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
  expect(errorOf(400, { status: 'INVALID_ARGUMENT', message })).toMatchObject({ code: 'context-overflow' })
})

test.for([
  ['API_KEY_INVALID', 'authentication'],
  ['API_KEY_EXPIRED', 'authentication'],
  ['BILLING_DISABLED', 'insufficient-credit'],
])('the reason %s in the details is the error `%s`, whatever else they hold', ([reason, code]) => {
  expect(errorOf(400, { message: 'No.', details: ['odd', { reason }] })).toMatchObject({ code })
})

test('a header says when to ask again where the details do not', () => {
  const facts = decodeError(429, new Headers({ 'retry-after': '3' }), '{"error":{"message":"No."}}')
  expect(facts).toMatchObject({ retryAfterMs: 3000 })
})

test('an error inside a 200 is told by its number where it has no word, and a message may stand alone', () => {
  const inBand = (error: object) => inBandError({ error }, origin)
  expect(inBand({ code: 429, message: 'Slow down.' })).toMatchObject({
    code: 'rate-limit',
    providerMessage: 'Slow down.',
    ...origin,
  })
  expect(inBand({ status: 'NOT_FOUND' })).toMatchObject({ code: 'not-found' })
  const said = (body: object) => decodeError(500, new Headers(), JSON.stringify(body)).providerMessage
  expect([said({ error: 'Gone.' }), said({ message: 'Gone.' })]).toEqual(['Gone.', 'Gone.'])
})

test('an error may come as the first item of a list', () => {
  const text = JSON.stringify([{ error: { code: 404, message: 'Gone.', status: 'NOT_FOUND' } }])
  expect(decodeError(404, new Headers(), text)).toMatchObject({ code: 'not-found', providerMessage: 'Gone.' })
})

test.for(['', '<html>Bad gateway</html>', '[]', '"x"', 'null'])(
  'a body that says nothing leaves the status: %j',
  (text) => {
    expect(decodeError(502, new Headers(), text)).toMatchObject({ code: 'server-error', providerMessage: undefined })
  },
)
