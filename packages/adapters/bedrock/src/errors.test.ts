import { expect, test } from 'vitest'
import { decodeErrorBody, throwIfErrorBody } from './errors.ts'
import { origin } from './testing.ts'

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html, and the errors of Converse. */
test.each([
  ['AccessDeniedException', 'permission'],
  ['ExpiredTokenException', 'authentication'],
  ['IncompleteSignature', 'authentication'],
  ['IncompleteSignatureException', 'authentication'],
  ['InvalidSignatureException', 'authentication'],
  ['MissingAuthenticationTokenException', 'authentication'],
  ['UnrecognizedClientException', 'authentication'],
  ['ResourceNotFoundException', 'not-found'],
  ['ThrottlingException', 'rate-limit'],
  ['ServiceQuotaExceededException', 'rate-limit'],
  ['ModelNotReadyException', 'overloaded'],
  ['ServiceUnavailableException', 'overloaded'],
  ['ModelErrorException', 'server-error'],
  ['ModelStreamErrorException', 'server-error'],
  ['ModelTimeoutException', 'timeout'],
  ['ValidationException', 'bad-request'],
])('the class %s says `%s`, whatever the status, and wherever and however it is named', (type, code) => {
  const answers: readonly (readonly [Record<string, string>, object])[] = [
    [{ 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/` }, { message: 'No.' }],
    [{}, { message: 'No.', __type: `com.amazon.coral.service#${type}` }],
    [{}, { Message: 'No.', code: type }],
  ]
  for (const [headers, body] of answers)
    for (const status of [400, 500])
      expect(decodeErrorBody(status, new Headers(headers), JSON.stringify(body))).toMatchObject({
        code,
        providerMessage: 'No.',
      })
  expect(() => throwIfErrorBody({ Message: 'No.', __type: type }, origin)).toThrow(
    expect.objectContaining({ ...origin, code }),
  )
})

test.each([
  ['Input is too long for requested model.', 'context-overflow'],
  ['prompt is too long: 201000 tokens > 200000 maximum', 'context-overflow'],
  ['The security token included in the request is invalid.', 'authentication'],
  ['The provided model identifier is invalid.', 'not-found'],
])('the message "%s" says what the class leaves open: `%s`', (message, code) => {
  const headers = new Headers({ 'x-amzn-errortype': 'ValidationException' })
  expect(decodeErrorBody(400, headers, JSON.stringify({ message }))).toMatchObject({ code })
})

test('the id of the request and the delay are read from the headers', () => {
  const headers = new Headers({ 'x-amzn-requestid': 'r-1', 'retry-after': '2' })
  expect(decodeErrorBody(503, headers, '{}')).toMatchObject({ requestId: 'r-1', retryAfterMs: 2000 })
})
