import { expect, test, vi } from 'vitest'
import type { TurnRequest, WireFormat } from '../contract/adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import { collectTurn } from '../wire/collect-turn.ts'
import { defineHttpAdapter, type HttpAdapterOptions } from './define-http-adapter.ts'
import type { TurnEvent } from '../contract/events.ts'
import { arrayOf, objectOf, parseJson, textOf } from '../wire/json.ts'
import { providerErrorFacts } from '../wire/provider-error.ts'

const origin = { provider: 'toy', model: 'toy-1' }
const request: TurnRequest = { messages: [{ role: 'user', content: 'hi' }], turn: 0 }

/** A wire format of one line: each frame is `{"text"}`, `{"end"}` or `{"error"}`. */
const toy: WireFormat = {
  name: 'toy',
  framing: 'sse',
  encode: (_request, mode) => ({ path: `/turn?mode=${mode}`, body: '{}', warnings: [warning] }),
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
        if (textOf(text) !== undefined) out.push(delta(textOf(text) ?? ''))
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

const warning = { type: 'dropped', path: 'settings.topK', message: 'not supported' } as const
const delta = (text: string): TurnEvent => ({ type: 'text-delta', part: 0, text })

function toyAdapter(fetch: typeof globalThis.fetch, options: Partial<HttpAdapterOptions> = {}) {
  const base = { ...origin, capabilities: {}, baseURL: 'https://api.example.com/v1/', apiKey: 'secret-key-123', fetch }
  return defineHttpAdapter(toy, { ...base, ...options })
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

async function read(
  adapter: ReturnType<typeof toyAdapter>,
  mode: 'generate' | 'stream' = 'stream',
  signal?: AbortSignal,
) {
  const events: TurnEvent[] = []
  let error: unknown
  try {
    for await (const batch of adapter.turn(request, { mode, signal })) events.push(...batch)
  } catch (caught) {
    error = caught
  }
  return { text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''), events, error }
}

const json = { headers: { 'content-type': 'application/json' } }

test('a request goes to the base URL with key, own headers and the caller’s, which win', async () => {
  const fetch = server(['data: {"end":true}\n\n'])
  const adapter = toyAdapter(fetch, { headers: { 'X-Team': 'a', 'content-type': 'application/json; v=2' } })
  const turn = adapter.turn({ ...request, headers: { 'x-team': 'b' } }, { mode: 'stream' })
  await collectTurn(turn)
  expect(fetch.mock.calls[0]?.[0]).toBe('https://api.example.com/v1/turn?mode=stream')
  expect(fetch.mock.calls[0]?.[1]?.headers).toEqual({
    'content-type': 'application/json; v=2',
    authorization: 'Bearer secret-key-123',
    'x-team': 'b',
  })
})

test('a request is not made without a key, and the error names the variable', { tags: ['P11'] }, async () => {
  const fetch = server([])
  vi.stubEnv('TOY_KEY', '')
  const { error } = await read(toyAdapter(fetch, { apiKey: undefined, apiKeyVariable: 'TOY_KEY' }))
  expect(error).toMatchObject({ code: 'missing-api-key', retryable: false })
  expect(String(error)).toContain('TOY_KEY')
  expect(fetch).not.toHaveBeenCalled()
})

test('a request takes the key from the environment at the time of the turn', async () => {
  const fetch = server(['data: {"end":true}\n\n'])
  const adapter = toyAdapter(fetch, { apiKey: undefined, apiKeyVariable: 'TOY_KEY' })
  vi.stubEnv('TOY_KEY', 'from-env')
  await read(adapter)
  expect(fetch.mock.calls[0]?.[1]?.headers).toMatchObject({ authorization: 'Bearer from-env' })
})

test('a stream gives the warnings of encode on turn-start or not at all, and the text', async () => {
  const { text, error } = await read(
    toyAdapter(server(['data: {"text":"a"}\n\ndata: {"te', 'xt":"b"}\n\ndata: {"end":true}'])),
  )
  expect([text, error]).toEqual(['ab', undefined])
})

test('a stream that ends before its terminal evidence is incomplete-stream, after what it delivered', async () => {
  const { text, error } = await read(toyAdapter(server(['data: {"text":"a"}\n\n', 'data: {"text":"b'])))
  expect(text).toBe('a')
  expect(error).toMatchObject({ code: 'incomplete-stream', retryable: true })
  const bare = await read(toyAdapter(server(['data: {"text":"a"}\n\ndata: '])))
  expect(bare.error).toMatchObject({ code: 'incomplete-stream' })
})

test('a stream that is reset is incomplete-stream with the cause, unless its end was announced before', async () => {
  const cut = await read(toyAdapter(server(['data: {"text":"a"}\n\n'], { headers: {}, reset: true })))
  expect(cut.error).toMatchObject({ code: 'incomplete-stream', cause: { message: 'socket hang up' } })
  const late = await read(toyAdapter(server(['data: {"end":true}\n\n'], { headers: {}, reset: true })))
  expect(late.error).toBeUndefined()
})

test('a stream delivers what came before an error in the same chunk, then throws it', async () => {
  const { text, error } = await read(
    toyAdapter(server(['data: {"text":"a"}\n\ndata: {"error":1}\n\ndata: {"text":"b"}\n\n'])),
  )
  expect(text).toBe('a')
  expect(error).toMatchObject({ code: 'overloaded' })
})

test('a stream with a frame that is no JSON is malformed-response with a short excerpt', async () => {
  const { error } = await read(toyAdapter(server([`data: ${'x'.repeat(5000)}\n\n`, 'data: {"end":true}\n\n'])))
  expect(error).toMatchObject({ code: 'malformed-response' })
  expect(String(error).length).toBeLessThan(600)
})

test('a stream that is empty is empty-response', async () => {
  expect((await read(toyAdapter(server([])))).error).toMatchObject({ code: 'empty-response', retryable: true })
})

test('a stream answered with JSON is decoded as JSON', async () => {
  expect((await read(toyAdapter(server(['{"texts":["a"]}'], json)))).text).toBe('a')
})

test('a stream is cancelled when the consumer leaves', async () => {
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: {"text":"a"}\n\n')),
    cancel: () => void (cancelled = true),
  })
  const signals: (AbortSignal | null | undefined)[] = []
  const adapter = toyAdapter((_url, init) => {
    signals.push(init?.signal)
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  })
  for await (const batch of adapter.turn(request, { mode: 'stream' })) {
    if (batch.length > 0) break
  }
  expect(signals[0]?.aborted).toBe(true)
  expect(cancelled).toBe(true)
})

test('a JSON answer that is HTML, empty, cut or broken off is a typed error', async () => {
  const html = await read(
    toyAdapter(server(['<html>no</html>'], { headers: { 'content-type': 'text/html' } })),
    'generate',
  )
  expect(html.error).toMatchObject({ code: 'malformed-response', excerpt: '<html>no</html>' })
  const empty = await read(toyAdapter(server([''], json)), 'generate')
  expect(empty.error).toMatchObject({ code: 'empty-response' })
  const cut = await read(toyAdapter(server(['{"texts":["a'], json)), 'generate')
  expect(cut.error).toMatchObject({ code: 'malformed-response' })
  const reset = await read(toyAdapter(server(['{"te'], { ...json, reset: true })), 'generate')
  expect(reset.error).toMatchObject({ code: 'connection', retryable: true })
})

test('a JSON answer larger than the limit is response-too-large and is not read further', async () => {
  const chunk = 'x'.repeat(1000)
  const fetch = server(
    Array.from({ length: 50 }, () => chunk),
    json,
  )
  const { error } = await read(toyAdapter(fetch, { maxResponseBytes: 5000 }), 'generate')
  expect(error).toMatchObject({ code: 'response-too-large' })
  expect(String(error)).toContain('5000')
})

test('a failed response is mapped by the wire format and never shows the key', async () => {
  const fetch = server(['{"message":"bad key secret-key-123"}'], { ...json, status: 401 })
  const { error } = await read(toyAdapter(fetch))
  expect(error).toMatchObject({ code: 'authentication', status: 401, retryable: false })
  expect(String(error)).not.toContain('secret-key-123')
  expect(JSON.stringify(error)).not.toContain('secret-key-123')
})

test('a failed response that the wire format cannot read is told by its status', async () => {
  const fetch = server(['<html>secret-key-123 502</html>'], { status: 502, headers: { 'content-type': 'text/html' } })
  const { error } = await read(toyAdapter(fetch))
  expect(error).toMatchObject({ code: 'server-error', status: 502, excerpt: '<html>[redacted] 502</html>' })
})

test('a failed response is told from a connection that failed, and the reason is in the message', async () => {
  const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  const { error } = await read(toyAdapter(() => Promise.reject(cause)))
  expect(error).toMatchObject({ code: 'connection', retryable: true, cause })
  expect(String(error)).toContain('ECONNREFUSED')
})

test('a failed response that redirects is not followed, since it would carry the key along', async () => {
  const fetch = server([''], { status: 307, headers: { location: 'https://evil.example.com' } })
  const { error } = await read(toyAdapter(fetch))
  expect(String(error)).toContain('redirect')
  expect(fetch.mock.calls[0]?.[1]?.redirect).toBe('manual')
})

test('an abort before the turn makes no request', async () => {
  const fetch = server([])
  const { error } = await read(toyAdapter(fetch), 'stream', AbortSignal.abort())
  expect(error).toMatchObject({ code: 'aborted', retryable: false })
  expect(fetch).not.toHaveBeenCalled()
})

test('an abort settles at once although `fetch`, or its body, ignores the signal', async () => {
  const stuck: (typeof globalThis.fetch)[] = [
    () => new Promise<Response>(() => undefined),
    () => Promise.resolve(new Response(new ReadableStream<Uint8Array>())),
  ]
  for (const fetch of stuck) {
    const controller = new AbortController()
    const reading = read(toyAdapter(fetch), 'stream', controller.signal)
    await new Promise((resolve) => {
      setTimeout(resolve, 1)
    })
    controller.abort()
    expect((await reading).error).toMatchObject({ code: 'aborted' })
  }
})

test('an abort in the middle of a stream is `aborted`, and a timeout signal is `timeout`', async () => {
  const controller = new AbortController()
  const fetch: typeof globalThis.fetch = (_url, init) => {
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        init?.signal?.addEventListener('abort', () => stream.error(init.signal?.reason))
        queueMicrotask(() => controller.abort(new DOMException('late', 'TimeoutError')))
      },
    })
    return Promise.resolve(new Response(body))
  }
  expect((await read(toyAdapter(fetch), 'stream', controller.signal)).error).toMatchObject({ code: 'timeout' })
})

test('a fetch that says that asking again is no use is not asked again, and its words are the whole error', async () => {
  const said = `no recorded exchange fits:\n${'  body.input: expected 1 / got 2\n'.repeat(60)}Record anew.`
  const refused = Object.assign(new Error(said), { retryable: false })
  const { error } = await read(toyAdapter(() => Promise.reject(refused)))
  const message = `toy/toy-1: \`fetch\` refused the request. ${said}`
  expect(error).toMatchObject({ code: 'connection', retryable: false, cause: refused, message })
  const { error: broken } = await read(toyAdapter(() => Promise.reject(new Error('socket hang up'))))
  expect(broken).toMatchObject({ code: 'connection', retryable: true })
})

test('a replay that refuses a request over HTTP is told as such, not as a provider', async () => {
  const body = { error: { type: 'cassette', code: 'no-match', message: 'a.yaml: nothing fits secret-key-123.' } }
  const headers = { 'x-steploop-cassette': 'no-match' }
  const { error } = await read(toyAdapter(() => Promise.resolve(Response.json(body, { status: 400, headers }))))
  const message = 'toy/toy-1: the replay refused the request. a.yaml: nothing fits [redacted].'
  expect(error).toMatchObject({ code: 'bad-request', status: 400, retryable: false, message })
  const unreadable = await read(toyAdapter(() => Promise.resolve(new Response('no', { status: 400, headers }))))
  expect(unreadable.error).toMatchObject({ code: 'unknown', excerpt: 'no' })
})
