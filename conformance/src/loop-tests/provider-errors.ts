import { expect, test } from 'vitest'
import { AdapterError, LoopError, type AdapterErrorCode } from '@steploop/core'
import { defineHttpAdapter, providerErrorFacts, type ProviderErrorParts, type WireFormat } from '@steploop/core/adapter'
import type { MakeWholeLoop } from '../loop.ts'

export function testProviderErrors(makeLoop: MakeWholeLoop): void {
  /** The error of a run whose provider answers so. */
  async function errorOf(parts: ProviderErrorParts, headers: Readonly<Record<string, string>> = {}) {
    const wire: WireFormat = {
      name: 'toy',
      framing: 'sse',
      encode: () => ({ path: '/', body: '{}', warnings: [] }),
      decode: () => undefined,
      createDecoder: () => ({ push: () => undefined, end: () => undefined }),
      decodeError: (_status, given) => providerErrorFacts({ headers: given, ...parts }),
    }
    const fetch = () => Promise.resolve(new Response('{}', { status: parts.status ?? 400, headers }))
    const origin = { provider: 'toy', model: 'toy-1', baseURL: 'https://a.example' }
    const model = defineHttpAdapter(wire, { ...origin, capabilities: {}, apiKey: 'k', fetch })
    const failure: unknown = await makeLoop({ model, maxRetries: 0 })
      .generate('x')
      .catch((error: unknown) => error)
    const cause = LoopError.isInstance(failure) ? failure.cause : undefined
    return AdapterError.isInstance(cause) ? cause : undefined
  }

  const codes: Readonly<Partial<Record<AdapterErrorCode, readonly string[]>>> = {
    'tool-use-failed': ['tool_use_failed'],
    'context-overflow': ['context_length_exceeded', 'exceed_context_size_error', 'too_many_prompt_tokens'],
    'insufficient-credit': ['insufficient_quota', 'billing_error'],
    'continuation-not-found': ['previous_response_not_found'],
    'not-found': ['model_not_found', 'not_found_error', 'NotFoundError', 'NOT_FOUND'],
    authentication: ['authentication_error', 'invalid_api_key', 'UNAUTHENTICATED'],
    permission: ['permission_error', 'PERMISSION_DENIED'],
    'content-filter': ['content_filter', 'content_policy_violation', 'ResponsibleAIPolicyViolation'],
    'rate-limit': ['rate_limit_error', 'rate_limit_exceeded', 'too_many_requests', 'RESOURCE_EXHAUSTED'],
    overloaded: ['overloaded_error', 'server_is_overloaded', 'service_unavailable_error', 'UNAVAILABLE'],
    'server-error': ['server_error', 'api_error', 'internal_error', 'INTERNAL'],
    'bad-request': ['invalid_request_error', 'INVALID_ARGUMENT'],
  }
  const words = Object.entries(codes).flatMap(([code, all]) => all.map((word) => [word, code] as const))

  test.each(words)('an error with the word %s is %s', async (word, code) => {
    // Not what the status alone would say.
    for (const before of [[], [null, 7, 'Another']]) {
      const parts = { status: undefined, words: [...before, word], message: 'no' }
      expect(await errorOf(parts)).toMatchObject({ code, providerMessage: 'no' })
    }
    const isFaultOfServer = code === 'overloaded' || code === 'server-error'
    expect((await errorOf({ status: 422, words: [word] }))?.code).toBe(isFaultOfServer ? 'bad-request' : code)
    expect((await errorOf({ status: 422, words: [word], wordsWin: true }))?.code).toBe(code)
  })

  test('of two words the one that says more wins, wherever it stands', async () => {
    const order = Object.values(codes)
      .slice(0, -1)
      .map(([word]) => word)
    for (const [at, word] of order.slice(0, -1).entries()) {
      const both = [word, order[at + 1]]
      const { code } = (await errorOf({ status: 500, words: both })) ?? {}
      expect(codes[code ?? 'unknown']).toContain(word)
      expect((await errorOf({ status: 500, words: both.toReversed() }))?.code).toBe(code)
    }
  })

  test.each([
    'is larger than the Context Window',
    'maximum context of 8',
    'the context length is 8',
    'exceeds the available context size',
    'prompt is too long: 9 > 8',
    'The total length of all messages is too long.',
    'the input token count exceeds 8',
    'the maximum number of tokens is 8',
    'longer than max_model_len',
  ])('an error that says %j is context-overflow, but for a call that the model wrote badly', async (message) => {
    expect(await errorOf({ status: 400, words: ['invalid_request_error'], message })).toMatchObject({
      code: 'context-overflow',
    })
    expect(await errorOf({ status: 400, words: ['tool_use_failed'], message })).toMatchObject({
      code: 'tool-use-failed',
    })
  })

  test.each<readonly [number, AdapterErrorCode, boolean]>([
    [400, 'bad-request', false],
    [401, 'authentication', false],
    [402, 'insufficient-credit', false],
    [403, 'permission', false],
    [404, 'not-found', false],
    [408, 'timeout', true],
    [429, 'rate-limit', true],
    [499, 'bad-request', false],
    [500, 'server-error', true],
    [503, 'overloaded', true],
    [529, 'overloaded', true],
    [599, 'server-error', true],
    [399, 'unknown', false],
  ])('an error of status %i alone is %s, which to ask again helps: %s', async (status, code, retryable) => {
    expect(await errorOf({ status })).toMatchObject({ code, retryable, status, requestId: undefined })
    expect((await errorOf({ status, message: 'image input is not supported' }))?.code).toBe(
      code === 'server-error' ? 'bad-request' : code,
    )
  })

  const others =
    'missing-api-key connection timeout aborted incomplete-stream malformed-response empty-response response-too-large ' +
    'unsupported unknown'

  test.each([...Object.keys(codes), ...others.split(' ')])(
    'an error of the code %s says what happened, and how to fix it',
    (code) => {
      const { message } = new AdapterError({ provider: 'toy', model: 'toy-1', code: code as AdapterErrorCode })
      expect(message).toMatch(/^toy\/toy-1: [^.]+\. [A-Z].+\.$/)
      expect(message).not.toContain('undefined')
    },
  )

  test('words that name no class of errors say nothing', async () => {
    expect(await errorOf({ status: 399, words: ['odd'] })).toMatchObject({ code: 'unknown' })
  })

  test('the id of a request comes from its body, or else from a header', async () => {
    const both = { 'x-request-id': 'one', 'request-id': 'two' }
    expect(await errorOf({ requestId: 'own' }, both)).toMatchObject({ requestId: 'own' })
    expect(await errorOf({}, both)).toMatchObject({ requestId: 'one' })
    expect(await errorOf({}, { 'request-id': 'two' })).toMatchObject({ requestId: 'two' })
  })

  test('the delay of a body wins over that of a header', async () => {
    const headers = { 'retry-after': '2' }
    expect(await errorOf({ status: 429, retryAfterMs: 5 }, headers)).toMatchObject({ retryAfterMs: 5 })
    expect(await errorOf({ status: 429 }, headers)).toMatchObject({ retryAfterMs: 2000 })
  })
}
