import { expect, test } from 'vitest'
import { decodeError, inBandError } from './errors.ts'
import { origin } from './testing.ts'

function errorOf(status: number, error: object): unknown {
  return decodeError(status, new Headers(), JSON.stringify({ error: { code: status, ...error } }))
}

test('no credit is distinguished from a rate limit', () => {
  const message = 'Your prepayment credits are depleted.'
  expect(errorOf(429, { status: 'RESOURCE_EXHAUSTED', message })).toMatchObject({ code: 'insufficient-credit' })
})

test('the reason in the details is found, whatever else they hold', () => {
  const details = ['odd', { reason: 'BILLING_DISABLED' }]
  expect(errorOf(400, { message: 'No.', details })).toMatchObject({ code: 'insufficient-credit' })
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

test.for(['', '<html>Bad gateway</html>', '[]', '"x"', 'null'])(
  'a body that says nothing leaves the status: %j',
  (text) => {
    expect(decodeError(502, new Headers(), text)).toMatchObject({ code: 'server-error', providerMessage: undefined })
  },
)
