import { inspect } from 'node:util'
import { expect, test, vi } from 'vitest'
import type { Adapter, TurnEvent, TurnRequest } from '../contract/adapter.ts'
import type { WireFormat } from '../contract/wire-format.ts'
import { defineHttpAdapter, type HttpAdapterOptions } from './define-http-adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import { objectOf } from '../wire/json.ts'
import { settlesOn } from './http-turn.ts'
import { StepLoop } from '../loop/step-loop.ts'

const origin = { provider: 'toy', model: 'toy-1' }
const request: TurnRequest = { messages: [{ role: 'user', content: 'hi' }], turn: 0 }
const eventStream = { headers: { 'content-type': 'text/event-stream' } }

/** Every frame is a piece of text, `end` the terminal evidence. */
const words: WireFormat = {
  name: 'words',
  framing: 'sse',
  encode: () => ({ path: '/', body: '{}', warnings: [] }),
  decode(json, _request, out) {
    out.push({ type: 'text-delta', part: 0, text: String(objectOf(json)['text']) })
    out.push({ type: 'turn-end', finishReason: 'stop' })
  },
  createDecoder() {
    let ended = false
    return {
      push({ data }, out) {
        if (data === 'end') ended = true
        else out.push({ type: 'text-delta', part: 0, text: data })
      },
      end(out) {
        if (!ended) throw new AdapterError({ ...origin, code: 'incomplete-stream' })
        out.push({ type: 'turn-end', finishReason: 'stop' })
      },
    }
  },
  decodeError: () => ({ code: 'server-error' }),
}

test('who prints a turn sees nothing of its request, its headers or its key', () => {
  const headers = { 'x-own': 'Bearer own-1234' }
  const context = { mode: 'generate', attempt: 1 } as const
  const turn = adapterOf(() => Promise.reject(new Error('not asked')), { headers }).turn(request, context)
  expect(`${JSON.stringify(turn)} ${inspect(turn, { depth: 9 })}`).not.toMatch(/1234|messages/)
})

function adapterOf(fetch: typeof globalThis.fetch, more: Partial<HttpAdapterOptions> = {}, wire = words) {
  const options = { ...origin, capabilities: {}, baseURL: 'https://api.example.com', apiKey: 'key-1234' }
  return defineHttpAdapter(wire, { ...options, fetch, ...more })
}

function begin(fetch: typeof globalThis.fetch, mode: 'generate' | 'stream' = 'stream', wire = words) {
  const controller = new AbortController()
  const turn = adapterOf(fetch, {}, wire).turn(request, { mode, signal: controller.signal })
  return { iterator: turn[Symbol.asyncIterator](), controller }
}

const answer =
  (text: string, init: ResponseInit = eventStream): typeof fetch =>
  () =>
    Promise.resolve(new Response(text, init))

/** A body that gives `texts` and then nothing, and tells when it was closed. */
function stalled(...texts: readonly string[]) {
  const state = { closed: false }
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => texts.forEach((text) => stream.enqueue(new TextEncoder().encode(text))),
    cancel: () => void (state.closed = true),
  })
  return { state, body }
}

const tick = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1)
  })

function textsOf(results: readonly IteratorResult<readonly TurnEvent[]>[]): readonly string[] {
  return results.map((result) => (result.done ? 'done' : result.value.map(({ type }) => type).join(' ')))
}

test('several questions at once do not share the pieces of a JSON answer', async () => {
  const { iterator } = begin(answer('{"text":"a"}', { headers: { 'content-type': 'application/json' } }), 'generate')
  const results = await Promise.all([iterator.next(), iterator.next()])
  expect(textsOf(results)).toEqual(['text-delta turn-end', 'done'])
})

test('of several questions at once one gets the failure, the others the end', async () => {
  const { iterator } = begin(() => Promise.reject(new Error('down')))
  const [first, second] = await Promise.allSettled([iterator.next(), iterator.next()])
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'connection' } })
  expect(second).toMatchObject({ status: 'fulfilled', value: { done: true } })
})

test('lines of JSON are a stream whatever the server calls them', async () => {
  for (const type of ['application/x-ndjson', 'application/json']) {
    const lines = answer('a\nend\n', { headers: { 'content-type': type } })
    const { iterator } = begin(lines, 'stream', { ...words, framing: 'ndjson' })
    expect(textsOf([await iterator.next(), await iterator.next()])).toEqual(['text-delta', 'turn-end'])
  }
})

test('leaving a turn ends what it still waits for, without an error while it connects', async () => {
  const { iterator } = begin(
    (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('stopped')))
      }),
  )
  const asked = iterator.next()
  await expect(iterator.return?.()).resolves.toEqual({ done: true, value: undefined })
  expect(await asked).toEqual({ done: true, value: undefined })
})

test.each([200, 500])(
  'leaving a turn ends what it still waits for, without an error while it reads a response with status %i',
  async (status) => {
    const { state, body } = stalled('data: a\n')
    const { iterator } = begin(() => Promise.resolve(new Response(body, { ...eventStream, status })))
    const asked = iterator.next()
    await tick()
    await iterator.return?.()
    expect(await asked).toEqual({ done: true, value: undefined })
    expect(state.closed).toBe(true)
  },
)

test('a response that comes after the abort is closed, though `fetch` ignores the signal', async () => {
  const { state, body } = stalled()
  const sent = Promise.withResolvers<Response>()
  const { iterator, controller } = begin(() => sent.promise)
  const asked = iterator.next()
  controller.abort()
  await expect(asked).rejects.toMatchObject({ code: 'aborted' })
  sent.resolve(new Response(body))
  await tick()
  expect(state.closed).toBe(true)
})

const failsWhenAborted: typeof fetch = (_url, init) =>
  new Promise((_, reject) => {
    init?.signal?.addEventListener('abort', () => reject(new Error('gone')))
  })

const failsLater: typeof fetch = async (...asked) => {
  try {
    return await failsWhenAborted(...asked)
  } finally {
    await tick()
  }
}

test.each<[string, typeof fetch, string]>([
  ['an abort with which `fetch` fails', failsWhenAborted, 'aborted'],
  ['an abort behind which `fetch` fails', failsLater, 'aborted'],
  ['a `fetch` that fails', () => Promise.reject(new Error('gone')), 'connection'],
  ['a response that is an error', answer('{}', { status: 500 }), 'server-error'],
])('a question is answered once: %s', async (_by, send, code) => {
  const controller = new AbortController()
  const turn = adapterOf(send).turn(request, { mode: 'stream', signal: controller.signal })
  if (!settlesOn(turn, controller.signal)) throw new Error('a turn of another transport')
  const answers: unknown[] = []
  const note = (answered: unknown): void => void answers.push(answered)
  const asked = turn.pull({ take: note, fail: note })
  if (code === 'aborted') controller.abort()
  await asked
  await tick()
  await tick()
  expect(answers).toMatchObject([{ code }])
})

test('a response is closed, and its turn ends, at whatever moment of its beginning an abort comes', async () => {
  for (let moment = 0; moment < 20; moment++) {
    const { state, body } = stalled()
    const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(new Response(body, eventStream)))
    const { iterator, controller } = begin(fetch)
    const asked = iterator.next()
    for (let waited = 0; waited < moment; waited++) await Promise.resolve()
    controller.abort()
    await expect(asked).rejects.toMatchObject({ code: 'aborted' })
    await tick()
    expect([moment, state.closed]).toEqual([moment, fetch.mock.calls.length > 0])
  }
})

test('an abort ends a run at once whose adapter asks the transport with another signal, or none', async () => {
  for (const signal of [undefined, new AbortController().signal]) {
    const inner = adapterOf(() => Promise.resolve(new Response(stalled('data: a\n\n').body, eventStream)))
    const model: Adapter = { ...inner, turn: (asked) => inner.turn(asked, { mode: 'stream', signal }) }
    const controller = new AbortController()
    const { result } = new StepLoop({ model }).stream('x', { abortSignal: controller.signal })
    await tick()
    controller.abort()
    await expect(result).rejects.toMatchObject({ code: 'aborted' })
  }
})

test('a body that is no proper body of texts instead of bytes is reported as such, not as too large', async () => {
  const body = new ReadableStream({ start: (stream) => stream.enqueue('data: a\n\n') })
  const { iterator } = begin(() => Promise.resolve(new Response(body, eventStream)))
  await expect(iterator.next()).rejects.toMatchObject({
    ...origin,
    code: 'malformed-response',
    message: expect.stringMatching(/string.*bytes/),
  })
})

test('a stream is read whose chunks are buffers, and other views of one', async () => {
  const { buffer } = new TextEncoder().encode('data: a\n\ndata: end\n\n')
  const body = new ReadableStream({
    start(stream) {
      for (const chunk of [buffer.slice(0, 5), new DataView(buffer, 5)]) stream.enqueue(chunk)
      stream.close()
    },
  })
  const { iterator } = begin(() => Promise.resolve(new Response(body, eventStream)))
  expect(textsOf([await iterator.next(), await iterator.next()])).toEqual(['text-delta', 'turn-end'])
})

test('a body that is no proper body whose reader throws at once fails the turn like one that breaks off', async () => {
  const response = new Response('data: a\n\n', eventStream)
  const reader = { read: () => raise('torn'), cancel: () => raise('torn too') }
  Object.defineProperty(response, 'body', { value: { getReader: () => reader } })
  const { iterator } = begin(() => Promise.resolve(response))
  await expect(iterator.next()).rejects.toMatchObject({ code: 'incomplete-stream', cause: { message: 'torn' } })
})

const trap = (): never => raise('trap')
const odd = new Proxy(new Error('odd'), { get: trap, has: trap, getPrototypeOf: trap })

/** A `fetch` whose body is read by this function. */
const readBy =
  (read: () => Promise<unknown>): typeof fetch =>
  () => {
    const value = { getReader: () => ({ read, cancel: () => Promise.resolve() }) }
    return Promise.resolve(Object.defineProperty(new Response('', eventStream), 'body', { value }))
  }

test.each<[string, Partial<WireFormat>, typeof fetch, object]>([
  [
    'a decoder that throws what throws when it is looked at',
    { createDecoder: () => ({ push: raiseOdd, end: () => undefined }) },
    answer('data: a\n\n'),
    { code: 'unknown', message: expect.stringMatching(/cannot be read/) },
  ],
  [
    'an encoder that gives no list of warnings',
    { encode: () => ({ path: '/', body: '{}' }) as never },
    answer('data: a\n\n'),
    { message: expect.stringMatching(/undefined/) },
  ],
  [
    'a `fetch` that rejects with what throws when it is looked at',
    {},
    () => Promise.reject(odd),
    { code: 'connection', message: expect.stringMatching(/cannot be read/) },
  ],
  ['a `fetch` that gives nothing', {}, () => Promise.resolve(undefined as never), { cause: { name: 'TypeError' } }],
  ['a body whose reader gives nothing at all', {}, readBy(() => Promise.resolve()), { code: 'unknown' }],
  [
    'a body whose reader rejects with what throws when it is looked at',
    {},
    readBy(() => Promise.reject(odd)),
    { code: 'incomplete-stream', cause: expect.stringMatching(/cannot be read/) },
  ],
])('a turn fails, and leaves no rejection behind, with %s', async (_what, wire, fetch, expected) => {
  const { iterator } = begin(fetch, 'stream', { ...words, ...wire })
  await expect(iterator.next()).rejects.toMatchObject(expected)
})

function raiseOdd(): never {
  throw odd
}

function raise(message: string, code?: string): never {
  throw Object.assign(new Error(message), { code })
}

test.each(['push', 'end'] as const)(
  'a framer whose `%s` throws is an AdapterError, and the turn is over',
  async (name) => {
    const framer = {
      push: () => undefined,
      end: () => undefined,
      [name]: () => raise('odd bytes', 'malformed-response'),
    }
    const { iterator } = begin(answer('data: a\n\n'), 'stream', { ...words, framing: () => framer })
    await expect(iterator.next()).rejects.toMatchObject({ code: 'unknown', cause: { message: 'odd bytes' } })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  },
)

test('a framer whose end fails for another reason than what it cannot read fails the turn with that', async () => {
  const failed = new AdapterError({ ...origin, code: 'response-too-large' })
  const framer = { push: () => undefined, end: () => fail(failed) }
  const { iterator } = begin(answer('data: a\n\n'), 'stream', { ...words, framing: () => framer })
  await expect(iterator.next()).rejects.toMatchObject({ code: 'response-too-large' })
})

const incomplete = new AdapterError({ ...origin, code: 'incomplete-stream', cause: new Error('own') })

test.each<[unknown, object]>([
  [incomplete, { code: 'incomplete-stream', cause: { message: 'own' } }],
  ['odd', { code: 'unknown', message: expect.stringMatching(/turn: odd/) }],
])('an error of a decoder at the end of a stream that broke off keeps its own cause: %s', async (thrown, expected) => {
  const body = new ReadableStream({ pull: () => raise('torn') })
  const createDecoder = () => ({ push: () => undefined, end: () => fail(thrown) })
  const { iterator } = begin(() => Promise.resolve(new Response(body, eventStream)), 'stream', {
    ...words,
    createDecoder,
  })
  await expect(iterator.next()).rejects.toMatchObject(expected)
})

function fail(error: unknown): never {
  throw error
}

test('a redirect whose status the browser hides is reported as a redirect', async () => {
  const response = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
  const { iterator } = begin(() => Promise.resolve(response))
  await expect(iterator.next()).rejects.toThrow(/redirect/)
})

test('headers that the caller changes in place are sent as they are at each request', async () => {
  const seen: (string | null)[] = []
  const fetch: typeof globalThis.fetch = (...given) => {
    const sent = new Headers(given[1]?.headers)
    seen.push(sent.get('x-run'), sent.get('x-app'))
    return answer('data: end\n\n')(...given)
  }
  const own: Record<string, string> = { 'x-app': 'one' }
  const headers: Record<string, string> = { 'x-run': '1' }
  const loop = new StepLoop({ model: adapterOf(fetch, { headers: own }) })
  await loop.stream('a', { headers }).result
  headers['x-run'] = '2'
  own['x-app'] = 'two'
  await loop.stream('a', { headers }).result
  expect(seen).toEqual(['1', 'one', '2', 'two'])
})
