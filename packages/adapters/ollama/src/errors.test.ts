import { expect, test } from 'vitest'
import { decodeErrorBody } from './errors.ts'
import { readStream } from './testing.ts'

function facts(status: number, body: unknown) {
  return decodeErrorBody(status, new Headers(), typeof body === 'string' ? body : JSON.stringify(body))
}

const overflow =
  '{"code":400,"message":"request (2622 tokens) exceeds the available context size","type":"exceed_context_size_error"}'

test.each([
  [
    400,
    { error: 'the input length exceeds the context length' },
    'context-overflow',
    'the input length exceeds the context length',
  ],
  [400, { error: '{"type":"exceed_context_size_error","message":"Too much"}' }, 'context-overflow', 'Too much'],
  [400, { error: { code: 'exceed_context_size_error', message: 'Too much' } }, 'context-overflow', 'Too much'],
  [400, { error: overflow }, 'context-overflow', 'request (2622 tokens) exceeds the available context size'],
  [500, { error: { error: { message: 'boom' } } }, 'server-error', 'boom'],
  [403, { error: 'this model requires a subscription' }, 'permission', 'this model requires a subscription'],
  [404, '404 page not found', 'not-found', undefined],
  [500, '', 'server-error', undefined],
  [500, { error: '{broken' }, 'server-error', '{broken'],
] as const)('a response with status %i and body %j is the error `%s`', (status, body, code, providerMessage) => {
  expect(facts(status, body)).toMatchObject({ code, providerMessage })
})

test('a status that stands in the body is believed', () => {
  expect(readStream([{ error: 'no', status: 403 }]).error).toMatchObject({ code: 'permission' })
  expect(readStream([{ error: 'no', status: 400 }]).error).toMatchObject({ code: 'bad-request' })
  expect(readStream([{ error: { message: 'slow', code: '429' } }]).error).toMatchObject({ code: 'rate-limit' })
  expect(readStream([{ error: 'unauthorized', status: 200 }]).error).toMatchObject({ code: 'authentication' })
})

test.each([
  ['model "x" not found', 'not-found'],
  ['too many requests', 'rate-limit'],
  ['Rate limit reached', 'rate-limit'],
  ['server busy, please try again', 'overloaded'],
  ['maximum pending requests exceeded', 'overloaded'],
  ['out of memory', 'server-error'],
])('an error in a stream without a status has the code of its words: %s is `%s`', (error, code) => {
  expect(readStream([{ error }]).error).toMatchObject({ code })
})
