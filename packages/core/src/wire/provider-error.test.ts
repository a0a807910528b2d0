import { expect, test } from 'vitest'
import { providerErrorFacts, type ProviderErrorParts } from './provider-error.ts'
import { parseDelay, retryAfterOf } from './retry-after.ts'

const cases: readonly (readonly [string, ProviderErrorParts])[] = [
  ['tool-use-failed', { status: 400, words: ['invalid_request_error', 'tool_use_failed'] }],
  ['context-overflow', { status: 400, words: ['context_length_exceeded'] }],
  ['context-overflow', { status: 400, words: ['invalid_request_error'], message: 'prompt is too long: 9 > 8' }],
  ['context-overflow', { status: 400, words: [400, 'exceed_context_size_error'] }],
  ['context-overflow', { status: 400, words: ['too_many_prompt_tokens'] }],
  [
    'context-overflow',
    { status: 400, message: 'The request (2009 tokens) exceeds the available context size (512 tokens)' },
  ],
  ['context-overflow', { status: 400, message: 'The total length of all messages is too long.' }],
  ['insufficient-credit', { status: 429, words: ['insufficient_quota'] }],
  ['insufficient-credit', { status: 402 }],
  ['not-found', { status: 400, words: [null, 'model_not_found'] }],
  ['not-found', { status: 404 }],
  ['continuation-not-found', { status: 400, words: ['previous_response_not_found'] }],
  ['authentication', { status: 401 }],
  ['authentication', { status: 400, words: ['invalid_api_key'] }],
  ['permission', { status: 403, words: ['PERMISSION_DENIED'] }],
  ['rate-limit', { status: 429, words: ['RESOURCE_EXHAUSTED', 429] }],
  ['overloaded', { status: 529 }],
  ['overloaded', { status: 503, words: ['UNAVAILABLE'] }],
  ['server-error', { status: 500 }],
  ['server-error', { words: ['api_error'] }],
  ['server-error', { status: 200, words: ['api_error'] }],
  ['bad-request', { status: 400, words: ['api_error'] }],
  ['bad-request', { status: 422, words: ['server_error', 'overloaded_error'] }],
  ['not-found', { status: 404, words: ['internal_error'] }],
  ['rate-limit', { status: 429, words: ['api_error'] }],
  ['bad-request', { status: 500, words: ['server_error'], message: 'image input is not supported - hint: mmproj' }],
  ['timeout', { status: 408 }],
  ['bad-request', { status: 422, words: ['invalid_request_error'] }],
  ['bad-request', { words: ['INVALID_ARGUMENT'] }],
  ['unknown', {}],
]

test.each(cases)('%s is recognised from %j', { tags: ['E03'] }, (code, parts) => {
  expect(providerErrorFacts(parts).code).toBe(code)
})

test('a message that is null, as code without types gives it, is none', { tags: ['E03'] }, () => {
  const parts: ProviderErrorParts = JSON.parse('{"status":429,"message":null}')
  expect(providerErrorFacts(parts).code).toBe('rate-limit')
})

test('the delay and the request id come from the headers when the body has none', { tags: ['E02'] }, () => {
  const headers = new Headers({ 'retry-after': '2', 'x-request-id': 'req_1' })
  expect(providerErrorFacts({ status: 429, headers })).toMatchObject({ retryAfterMs: 2000, requestId: 'req_1' })
  expect(providerErrorFacts({ status: 429, headers, retryAfterMs: 5 })).toMatchObject({ retryAfterMs: 5 })
})

const now = Date.UTC(2026, 0, 1)

test.each([
  ['2', 2000],
  ['1.5', 1500],
  ['20ms', 20],
  ['7.66s', 7660],
  ['6m0s', 360_000],
  ['1h2m', 3_720_000],
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['2026-01-01T00:00:03Z', 3000],
  ['0', 0],
  ['Thursday, 01-Jan-26 00:00:10 GMT', 10_000],
  ['Thu Jan  1 00:00:10 2026', 10_000 + new Date(now).getTimezoneOffset() * 60_000],
  ['2026-01-01T00:00:03+00:00', 3000],
  ['2020-01-01T00:00:00Z', undefined],
  ['Wed, 21 Oct 2015 07:28:00 GMT', undefined],
  ['soon', undefined],
  ['soon 12', undefined],
  ['in 2999', undefined],
  [' 2 ', 2000],
  ['2026-01-01T00:00:00Z', 0],
  ['1'.padStart(100, '0'), 1000],
  ['1'.padStart(101, '0'), undefined],
  ['-5', undefined],
  ['10,20', undefined],
  ['1'.repeat(1000), undefined],
  ['', undefined],
])('a delay: %s is %s ms', (text, ms) => {
  expect(parseDelay(text, now)).toBe(ms)
})

test('a delay is the longest reset of the budgets that are used up, when the provider names no other', () => {
  const headers = new Headers({
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': '6m0s',
  })
  expect(retryAfterOf(headers)).toBe(360_000)
  headers.set('x-ratelimit-remaining-tokens', '17')
  expect(retryAfterOf(headers)).toBe(1000)
  headers.set('retry-after-ms', '250')
  expect(retryAfterOf(headers)).toBe(250)
})

const reset = (at: string) => ({ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': at })

test('a delay of an unreadable `retry-after` is unknown, so that the backoff decides, unless a budget says more', () => {
  const headers = new Headers({ 'retry-after': '-5' })
  expect(retryAfterOf(headers)).toBeUndefined()
  headers.set('x-ratelimit-remaining-tokens', '0')
  headers.set('x-ratelimit-reset-tokens', '2s')
  expect(retryAfterOf(headers)).toBe(2000)
})

test.each([
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
  [reset('2026-01-01T00:00:03Z'), 3000],
  [{ ...reset('2026-01-01T00:00:03Z'), 'retry-after': 'soon' }, 3000],
  [reset('0s'), 0],
  [{ 'x-ratelimit-remaining-tokens': '0' }, undefined],
])('a delay is told by %j as of now', (headers, ms) => {
  expect(retryAfterOf(new Headers(headers), now)).toBe(ms)
})

test('a delay is unknown when no header speaks of one', () => {
  expect(retryAfterOf(new Headers())).toBeUndefined()
})
