import { expect, test, vi } from 'vitest'
import { AdapterError, LoopError, type Adapter, type StepLoopOptions } from '@steploop/core'
import {
  arrayOf,
  defineHttpAdapter,
  objectOf,
  parseJson,
  providerErrorFacts,
  textOf,
  type HttpAdapterOptions,
  type TurnEvent,
  type WireFormat,
} from '@steploop/core/adapter'
import type { MakeWholeLoop } from '../loop.ts'

export function testHttpTurns(makeLoop: MakeWholeLoop): void {
  const origin = { provider: 'toy', model: 'toy-1' }
  const warning = { type: 'dropped', path: 'settings.topK', message: 'not supported' } as const
  const delta = (text: string): TurnEvent => ({ type: 'text-delta', part: 0, text })

  const own = { generate: { 'x-whole': '1' }, stream: undefined }

  /** Each frame is `{"text"}`, `{"end"}` or `{"error"}`, a whole answer `{"texts"}`. */
  const toy: WireFormat = {
    name: 'toy',
    framing: 'sse',
    encode: (_request, mode) => ({ path: `/turn?mode=${mode}`, headers: own[mode], body: '{}', warnings: [warning] }),
    decode(json, _request, out) {
      out.push({ type: 'turn-start' })
      for (const text of arrayOf(objectOf(json)['texts'])) out.push(delta(textOf(text) ?? ''))
      out.push({ type: 'turn-end', finishReason: 'stop' })
    },
    createDecoder() {
      let ended = false
      return {
        push(frame, out) {
          const { text, end, error } = objectOf(parseJson(frame.data, origin))
          if (error !== undefined) throw new AdapterError({ ...origin, code: 'overloaded' })
          if (textOf(text) !== undefined)
            out.push({ type: 'turn-start', warnings: [{ ...warning, path: 'own' }] }, delta(textOf(text) ?? ''))
          ended ||= end === true
        },
        end(out) {
          if (!ended) throw new AdapterError({ ...origin, code: 'incomplete-stream' })
          out.push({ type: 'turn-end', finishReason: 'stop' })
        },
      }
    },
    decodeError: (status, headers, text) =>
      providerErrorFacts({ status, headers, message: textOf(objectOf(parseJson(text, origin))['message']) }),
  }

  /** A server that answers with these chunks, then ends or breaks. */
  function server(chunks: readonly string[], init: ResponseInit & { reset?: boolean } = {}) {
    return vi.fn((_url: unknown, _init?: RequestInit) => {
      let next = 0
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const chunk = chunks[next++]
          if (chunk !== undefined) controller.enqueue(new TextEncoder().encode(chunk))
          else if (init.reset) controller.error(new Error('socket hang up'))
          else controller.close()
        },
      })
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' }, ...init }))
    })
  }

  interface Asked extends Partial<HttpAdapterOptions> {
    readonly loop?: Partial<StepLoopOptions>
  }

  function loopOf(fetch: typeof globalThis.fetch, { loop, ...options }: Asked = {}) {
    const base = {
      ...origin,
      capabilities: {},
      baseURL: 'https://api.example.com/v1/',
      apiKey: 'secret-key-123',
      fetch,
    }
    return makeLoop({ model: defineHttpAdapter(toy, { ...base, ...options }), maxRetries: 0, ...loop })
  }

  /** What a run tells of such an answer. */
  async function ask(fetch: typeof globalThis.fetch, asked: Asked = {}) {
    const stream = loopOf(fetch, asked).stream('x')
    let text = ''
    for await (const event of stream) if (event.type === 'text-delta') text += event.text
    try {
      const { warnings } = await stream.result
      return { text, warnings, error: undefined }
    } catch (error) {
      return { text, warnings: [], error: LoopError.isInstance(error) ? error.cause : error }
    }
  }

  /** Failure of a run that takes its answers whole. */
  async function askWhole(fetch: typeof globalThis.fetch, asked: Asked = {}): Promise<unknown> {
    const failure: unknown = await loopOf(fetch, asked)
      .generate('x')
      .catch((error: unknown) => error)
    return LoopError.isInstance(failure) ? failure.cause : failure
  }

  const json = { headers: { 'content-type': 'application/json' } }
  const end = 'data: {"end":true}\n\n'

  test('a request goes to the base URL with key, own headers and the caller’s, which win', async () => {
    const fetch = server([end])
    const headers = { 'X-Team': 'a', 'content-type': 'application/json; v=2' }
    await ask(fetch, { headers, loop: { headers: { 'x-team': 'b' } } })
    expect(fetch.mock.calls[0]?.[0]).toBe('https://api.example.com/v1/turn?mode=stream')
    expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{}', redirect: 'manual' })
    expect(fetch.mock.calls[0]?.[1]?.headers).toEqual({
      'content-type': 'application/json; v=2',
      authorization: 'Bearer secret-key-123',
      'x-team': 'b',
    })
  })

  test('a request is not made without a key, and the error names the variable', { tags: ['P11'] }, async () => {
    const fetch = server([])
    vi.stubEnv('TOY_KEY', '')
    const { error } = await ask(fetch, { apiKey: undefined, apiKeyVariable: 'TOY_KEY' })
    expect(error).toMatchObject({ code: 'missing-api-key', retryable: false })
    expect(String(error)).toContain('TOY_KEY')
    expect(fetch).not.toHaveBeenCalled()
  })

  test('a request takes the key from the environment at the time of the turn, and no header of the turn before', async () => {
    const fetch = server([end])
    const loop = loopOf(fetch, { apiKey: undefined, apiKeyVariable: 'TOY_KEY' })
    vi.stubEnv('TOY_KEY', 'from-env')
    await loop.generate('x').catch(() => undefined)
    await loop.stream('x').result
    vi.stubEnv('TOY_KEY', '')
    await loop.stream('x').result.catch(() => undefined)
    const headers = { 'content-type': 'application/json', authorization: 'Bearer from-env' }
    expect(fetch.mock.calls.map(([, init]) => init?.headers)).toEqual([{ ...headers, 'x-whole': '1' }, headers])
  })

  test('a stream gives its text, and the warnings of the request before its own', async () => {
    const answer = await ask(server(['data: {"text":"a"}\n\ndata: {"te', 'xt":"b"}\n\ndata: {"end":true}']))
    expect(answer).toMatchObject({ text: 'ab', error: undefined })
    expect(answer.warnings?.map(({ path }) => path).slice(0, 2)).toEqual(['settings.topK', 'own'])
  })

  test('a stream that ends before its terminal evidence is incomplete-stream, after what it delivered', async () => {
    const { text, error } = await ask(server(['data: {"text":"a"}\n\n', 'data: {"text":"b']))
    expect(text).toBe('a')
    expect(error).toMatchObject({ code: 'incomplete-stream', retryable: true })
    const bare = await ask(server(['data: {"text":"a"}\n\ndata: ']))
    expect(bare.error).toMatchObject({ code: 'incomplete-stream' })
  })

  test('a stream that is reset is incomplete-stream with the cause, unless its end was announced before', async () => {
    const cut = await ask(server(['data: {"text":"a"}\n\n'], { headers: {}, reset: true }))
    expect(cut.error).toMatchObject({ code: 'incomplete-stream', cause: { message: 'socket hang up' } })
    const late = await ask(server(['data: {"text":"a"}\n\n', end], { headers: {}, reset: true }))
    expect(late.error).toBeUndefined()
  })

  test('a stream delivers what came before an error in the same chunk, then throws it', async () => {
    const { text, error } = await ask(server(['data: {"text":"a"}\n\ndata: {"error":1}\n\ndata: {"text":"b"}\n\n']))
    expect(text).toBe('a')
    expect(error).toMatchObject({ code: 'overloaded' })
  })

  test('a stream with a frame that is no JSON is malformed-response with a short excerpt', async () => {
    const { error } = await ask(server([`data: ${'x'.repeat(5000)}\n\n`, end]))
    expect(error).toMatchObject({ code: 'malformed-response' })
    expect(String(error).length).toBeLessThan(600)
  })

  test('the message of an error shows the bytes that a terminal would obey', async () => {
    const { error } = await ask(server(['data: {\u0000\u001b[2J\u009b\t東京\n\n', end]))
    expect(String(error)).toContain('Received: {\\x00\\x1b[2J\\x9b\t東京')
  })

  test('a stream that is empty is empty-response', async () => {
    expect((await ask(server([]))).error).toMatchObject({ code: 'empty-response', retryable: true })
  })

  test('a stream answered with JSON is decoded as JSON', async () => {
    expect((await ask(server(['{"texts":["a"]}'], json))).text).toBe('a')
  })

  test.each([
    ['a JSON answer', server(['{"texts":["a"]}'], json), { text: 'a' }],
    ['a JSON answer that is cut', server(['{"texts":["a'], json), { error: { code: 'malformed-response' } }],
    ['a stream', server(['data: {"text":"a"}\n\n', end]), { text: 'a' }],
    ['a stream that breaks off', server(['data: {"text":"a"}\n\n']), { error: { code: 'incomplete-stream' } }],
    ['a failure', server(['{}'], { ...json, status: 500 }), { error: { code: 'server-error' } }],
  ])(
    '%s is over when it is over: whoever asks its turn for more gets nothing, and no request',
    async (_, fetch, expected) => {
      const after: unknown[] = []
      const answer = await ask(fetch, {
        loop: {
          middleware: {
            async *turn(_info, next) {
              const events = next()[Symbol.asyncIterator]()
              const more = async () => after.push((await events.next()).done, (await events.next()).done)
              const all = []
              try {
                for (let asked = 0; asked < 9; asked++) {
                  const one = await events.next()
                  if (one.done) break
                  all.push(one.value)
                }
              } finally {
                await more()
              }
              yield* all
            },
          },
        },
      })
      expect(answer).toMatchObject(expected)
      expect([after, fetch.mock.calls.length]).toEqual([[true, true], 1])
    },
  )

  test('a stream is cancelled when the reader leaves', async () => {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('data: {"text":"a"}\n\n')),
      cancel: () => void (cancelled = true),
    })
    const signals: (AbortSignal | null | undefined)[] = []
    const loop = loopOf((_url, init) => {
      signals.push(init?.signal)
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
    })
    for await (const { type } of loop.stream('x')) if (type === 'text-delta') break
    expect(signals[0]?.aborted).toBe(true)
    expect(cancelled).toBe(true)
  })

  test('a JSON answer that is HTML, empty, cut or broken off is a typed error', async () => {
    const page = { headers: { 'content-type': 'text/html' } }
    const html = await askWhole(server(['<html>no</html>'], page))
    expect(html).toMatchObject({ code: 'malformed-response', excerpt: '<html>no</html>' })
    expect(await askWhole(server([''], json))).toMatchObject({ code: 'empty-response' })
    expect(await askWhole(server(['{"texts":["a'], json))).toMatchObject({ code: 'malformed-response' })
    const reset = await askWhole(server(['{"te'], { ...json, reset: true }))
    expect(reset).toMatchObject({ code: 'connection', retryable: true })
  })

  test.each([
    ['buffers', (bytes: Uint8Array<ArrayBuffer>): unknown => bytes.buffer, { text: 'a' }],
    ['views of buffers', (bytes: Uint8Array<ArrayBuffer>): unknown => new DataView(bytes.buffer), { text: 'a' }],
    ['nothing', (): unknown => null, { code: 'malformed-response' }],
  ])(
    'a JSON answer whose body gives %s in place of byte arrays is no broken connection',
    async (_what, given, expected) => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(given(new TextEncoder().encode('{"texts":["a"]}')))
          controller.close()
        },
      })
      const headers = new Headers(json.headers)
      const response = { ok: true, status: 200, headers, body } as unknown as Response
      expect(await askWhole(() => Promise.resolve(response))).toMatchObject(expected)
    },
  )

  test('a JSON answer larger than the limit is response-too-large and is not read further', async () => {
    const chunks = Array.from({ length: 50 }, () => 'x'.repeat(1000))
    const error = await askWhole(server(chunks, json), { maxResponseBytes: 5000 })
    expect(error).toMatchObject({ code: 'response-too-large' })
    expect(String(error)).toContain('5000')
    const whole = '{"texts":["a"]}'
    expect(await askWhole(server([whole], json), { maxResponseBytes: whole.length })).toMatchObject({ text: 'a' })
  })

  test('a failed response is reported as the wire format reads it, or else by its status', async () => {
    const known = await ask(server(['{"message":"bad key secret-key-123"}'], { ...json, status: 401 }))
    const facts = { code: 'authentication', status: 401, retryable: false, providerMessage: 'bad key [redacted]' }
    expect(known.error).toMatchObject({ ...facts, excerpt: undefined })
    const page = '<html>secret-key-123 no</html>'
    for (const [status, code] of [
      [502, 'server-error'],
      [500, 'server-error'],
      [499, 'unknown'],
    ] as const) {
      const { error } = await ask(server([page], { status, headers: { 'content-type': 'text/html' } }))
      expect(error).toMatchObject({ code, status, excerpt: '<html>[redacted] no</html>' })
    }
  })

  test('a connection that fails is reported with its reason', async () => {
    const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
    const { error } = await ask(() => Promise.reject(cause))
    expect(error).toMatchObject({ code: 'connection', retryable: true, cause })
    expect(String(error)).toContain('the connection failed: connect ECONNREFUSED')
    const { error: broken } = await ask(() => Promise.reject(new Error('socket hang up')))
    expect(broken).toMatchObject({ code: 'connection', retryable: true })
    expect(String(broken)).toContain('the connection failed: socket hang up')
  })

  test('a redirect is not followed, since it would carry the key along', async () => {
    for (const status of [300, 307, 399]) {
      const { error } = await ask(server([''], { status, headers: { location: 'https://evil.example.com' } }))
      expect(String(error)).toContain('redirect')
    }
    expect(String((await ask(server([''], { status: 400 }))).error)).not.toContain('redirect')
  })

  test('a fetch that says that asking again is no use is not asked again, and its words are the whole error', async () => {
    const said = `no recorded exchange fits:\n${'  body.input: expected 1 / got 2\n'.repeat(60)}Record anew.`
    const refused = Object.assign(new Error(said), { retryable: false })
    const { error } = await ask(() => Promise.reject(refused))
    const message = `toy/toy-1: \`fetch\` refused the request. ${said}`
    expect(error).toMatchObject({ code: 'connection', retryable: false, cause: refused, message })
  })

  test('a replay that refuses a request over HTTP is reported as such, not as a provider', async () => {
    const body = { error: { type: 'cassette', code: 'no-match', message: 'a.yaml: nothing fits secret-key-123.' } }
    const headers = { 'x-steploop-cassette': 'no-match' }
    const { error } = await ask(() => Promise.resolve(Response.json(body, { status: 400, headers })))
    const message = 'toy/toy-1: the replay refused the request. a.yaml: nothing fits [redacted].'
    expect(error).toMatchObject({ code: 'bad-request', status: 400, retryable: false, message })
    const unreadable = await ask(() => Promise.resolve(new Response('no', { status: 400, headers })))
    expect(unreadable.error).toMatchObject({ code: 'unknown', excerpt: 'no' })
  })

  const usedUp = (kind: string, reset: string, remaining = '0') => ({
    [`x-ratelimit-reset-${kind}`]: reset,
    [`x-ratelimit-remaining-${kind}`]: remaining,
  })

  test.each<[Readonly<Record<string, string>>, number | undefined]>([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after-ms': 'soon', 'retry-after': '2' }, 2000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': '20ms' }, 20],
    [{ 'retry-after': '6m1s' }, 361_000],
    [{ 'retry-after': '1d2h' }, 93_600_000],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '10,20' }, undefined],
    [{ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, undefined],
    [{ 'retry-after': 'soon', ...usedUp('requests', '7.66s') }, 7660],
    [{ ...usedUp('requests', '6s'), ...usedUp('tokens', '1s') }, 6000],
    [{ ...usedUp('requests', '1s'), ...usedUp('tokens', '6s') }, 6000],
    [{ ...usedUp('requests', '6s', '3'), ...usedUp('tokens', '1s') }, 1000],
    [usedUp('tokens', '6s', '3'), undefined],
  ])(
    'the headers of a failure, %j, say after how many milliseconds to ask again: %j',
    async (headers, retryAfterMs) => {
      const { error } = await ask(server(['{}'], { status: 429, headers }))
      expect(error).toMatchObject({ code: 'rate-limit', retryAfterMs })
    },
  )

  test('a date among the headers of a failure says when to ask again', async () => {
    const soon = new Date(Date.now() + 600_000)
    for (const date of [soon.toUTCString(), soon.toISOString()]) {
      const { error } = await ask(server(['{}'], { status: 429, headers: { 'retry-after': date } }))
      expect(AdapterError.isInstance(error) && Math.abs((error.retryAfterMs ?? 0) - 600_000)).toBeLessThan(300_000)
    }
  })

  test.each([
    ['answers', server([end]), { status: 'completed' }],
    ['fails', server([], { status: 500 }), { code: 'turn-failed' }],
    ['breaks', server(['data: {}\n\n'], { reset: true }), { code: 'turn-failed' }],
  ])('a turn that %s leaves nothing on the signal of its run', async (_what, fetch, expected) => {
    const listeners = new Set<unknown>()
    const inner = defineHttpAdapter(toy, {
      ...origin,
      capabilities: {},
      baseURL: 'https://a.example',
      apiKey: 'k',
      fetch,
    })
    const model: Adapter = {
      ...inner,
      turn(request, context) {
        const signal = new AbortController().signal
        const add = signal.addEventListener.bind(signal)
        signal.addEventListener = (type: string, listener: EventListener) => (
          listeners.add(listener),
          add(type, listener)
        )
        signal.removeEventListener = (type: string, listener: EventListener) =>
          void (type === 'abort' && listeners.delete(listener))
        return inner.turn(request, { ...context, signal })
      },
    }
    const outcome: unknown = await makeLoop({ model, maxRetries: 0 })
      .stream('x')
      .result.catch((error: unknown) => error)
    expect(outcome).toMatchObject(expected)
    expect(listeners.size).toBe(0)
  })
}
