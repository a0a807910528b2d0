import { expect, test } from 'vitest'
import { decodeEvents, decodeWhole } from '@steploop/core/testing'
import { readStream, readWhole, requestOf, origin, wireOf } from './testing.ts'

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

test('the body of a failed response may tell several faults', () => {
  expect(factsOf(422, { detail: [{ msg: 'no model' }, { msg: 'no text' }] }).providerMessage).toBe('no model; no text')
})

test('the body of a failed response may tell faults without words of their own', () => {
  const detail = [{ msg: 'no model' }, { loc: 1 }, 'odd']
  expect(factsOf(422, { detail }).providerMessage).toBe('no model; {"loc":1}; "odd"')
})

test.each([
  [{ error: { code: 'insufficient_quota' } }, 'insufficient-credit'],
  [{ error: { type: 'insufficient_quota' } }, 'insufficient-credit'],
  [{ error: { status: 'insufficient_quota' } }, 'insufficient-credit'],
  [{ error: 'No.', code: 'insufficient_quota' }, 'insufficient-credit'],
  [{ error: 'No.', type: 'insufficient_quota' }, 'insufficient-credit'],
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
})

test.each([
  ['token_limit_exceeded', 'context-overflow'],
  ['refusal', 'content-filter'],
  ['invalid_image', 'bad-request'],
  ['unmapped', 'bad-request'],
])('an error of OpenRouter of the type %s is %s, whatever code it comes with', (error_type, code) => {
  const error = { code: 400, message: 'No.', metadata: { error_type, provider_code: 'x' } }
  expect(factsOf(400, { error })).toMatchObject({ code })
  expect(readStream([{ choices: [choice], error }]).error).toMatchObject({ code })
})

test('the body of a failed response brings what the upstream said, and the text that was no call', () => {
  const metadata = { provider_name: 'Acme', raw: 'slow down' }
  expect(factsOf(429, { error: { code: 429, message: 'Provider returned error', metadata } }).providerMessage).toBe(
    'Provider returned error (Acme: slow down)',
  )
  const failed = { error: { code: 'tool_use_failed', message: 'No call.', failed_generation: '{"name":' } }
  expect(factsOf(400, failed)).toMatchObject({
    code: 'tool-use-failed',
    providerMessage: 'No call. Failed generation: {"name":',
  })
})

test('the body of a failed response says when to ask again, where no header does', () => {
  const message = 'Rate limit reached. Please try again in 7.66s. Visit us.'
  expect(factsOf(429, { error: { message } }).retryAfterMs).toBe(7660)
  expect(factsOf(429, { error: { message, details: [{ retryDelay: '2s' }] } }).retryAfterMs).toBe(2000)
  expect(factsOf(429, { error: { message: 'no' } }, { 'retry-after': '3' }).retryAfterMs).toBe(3000)
})

test('the body of a failed response: the request id of a failed response is reported with the error', () => {
  expect(factsOf(500, { request_id: 'r1' }).requestId).toBe('r1')
  expect(factsOf(500, {}, { 'mistral-correlation-id': 'r2' }).requestId).toBe('r2')
  expect(factsOf(500, {}, { 'x-request-id': 'r3' }).requestId).toBe('r3')
})

test('the body of a failed response is understood by the words of the dialect first', () => {
  const wire = wireOf({ errorWords: { 'balance too low': 'insufficient-credit' } })
  const facts = wire.decodeError(400, new Headers(), '{"error":{"message":"Balance too low."}}')
  expect(facts.code).toBe('insufficient-credit')
})

const content = { content: 'Half an ans' }

test.each([
  [
    'beside choices, with a number for a code',
    { choices: [choice], error: { code: 503, message: 'gone' } },
    'overloaded',
  ],
  ['as a text', { error: 'gone' }, 'unknown'],
  ['with a status code', { error: { message: 'gone', status_code: 400 } }, 'bad-request'],
  // `ErrorChunkResponse` of Cerebras' libraries
  ['with a status code beside it', { error: { message: 'gone', code: 'queue' }, status_code: 429 }, 'rate-limit'],
  ['flat', { object: 'error', message: 'gone', code: '429' }, 'rate-limit'],
  [
    'in the choice',
    { choices: [{ ...choice, finish_reason: 'error', error: { code: 502, message: 'gone' } }] },
    'server-error',
  ],
  ['under x_groq', { choices: [choice], x_groq: { error: 'gone' } }, 'unknown'],
])('an error inside a stream: %s ends the turn after what came before it', (_, chunk, code) => {
  const { error, turn, events } = readStream([content, chunk, '[DONE]'])
  expect(error).toMatchObject({ code, providerMessage: 'gone', status: undefined })
  expect(turn.message.content).toMatchObject([{ type: 'text', text: 'Half an ans' }])
  expect(events.some((event) => event.type === 'turn-end')).toBe(false)
})

test('an error inside a stream may be announced by the name of its event', () => {
  const { error } = decodeEvents((out) => {
    const decoder = wireOf().createDecoder(requestOf())
    decoder.push({ event: 'error', data: '{"message":"gone","type":"server_error"}' }, out)
  }, origin)
  expect(error).toMatchObject({ code: 'server-error', providerMessage: 'gone' })
})

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

test('an error inside a stream that is null or says nothing is none', () => {
  for (const error of [null, {}, '', { code: 0, message: '' }]) {
    expect(readStream([{ choices: [choice], error }, content, '[DONE]']).error).toBeUndefined()
  }
})

test('an error inside a JSON answer is thrown, although the status was fine', () => {
  const { error, events } = readWhole(
    {},
    { body: { choices: [], error: { code: 'rate_limit_exceeded', message: 'slow' } } },
  )
  expect(error).toMatchObject({ code: 'rate-limit', providerMessage: 'slow' })
  expect(events).toEqual([])
  const inArray = decodeWhole(wireOf(), [{ error: { code: 429, message: 'slow' } }], { request: requestOf(), origin })
  expect(inArray.error).toMatchObject({ code: 'rate-limit', providerMessage: 'slow' })
})
