import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import type { Mode, TurnRequest } from '../contract/adapter.ts'
import type { WireFormat } from '../contract/wire-format.ts'
import { defineHttpAdapter } from './define-http-adapter.ts'

const origin = { provider: 'toy', model: 'toy-1' }
const request: TurnRequest = { messages: [], turn: 0 }
const start = { type: 'turn-start' } as const
const end = { type: 'turn-end', finishReason: 'stop' } as const
const own = { type: 'coerced', path: 'b', message: 'of the answer' } as const
const warning = { type: 'dropped', path: 'a', message: 'of the request' } as const

/** Tells by its first event how an answer was read. */
const toy: WireFormat = {
  name: 'toy',
  framing: 'sse',
  encode: () => ({ path: '/', body: '{}', warnings: [warning] }),
  decode: (_json, _request, out) => void out.push({ ...start, responseId: 'whole' }, end),
  createDecoder: (given) => ({
    push: (_frame, out) =>
      void out.push({ ...start, responseId: given === request ? 'stream' : 'other', warnings: [own] }),
    end: (out) => void out.push(end),
  }),
  decodeError: (_status, _headers, text) => ({ code: 'server-error', requestId: String(text.length) }),
}

function begin(fetch: typeof globalThis.fetch, mode: Mode = 'stream', signal?: AbortSignal) {
  const options = { ...origin, capabilities: {}, baseURL: 'https://api.example.com', apiKey: 'key-1234', fetch }
  return defineHttpAdapter(toy, options).turn(request, { mode, signal })[Symbol.asyncIterator]()
}

const answer = (text: string, type: string, status = 200): typeof fetch => {
  return () => Promise.resolve(new Response(text, { status, headers: { 'content-type': type } }))
}

test.each<[string, Mode, string]>([
  ['Text/Event-Stream; charset=utf-8', 'generate', 'stream'],
  ['application/x-ndjson', 'generate', 'stream'],
  ['text/plain', 'stream', 'stream'],
  ['text/plain', 'generate', 'whole'],
  ['application/json', 'stream', 'whole'],
])(
  'the content type says whether an answer is a stream, else the mode: %s for %s is read as %s',
  async (type, mode, read) => {
    const text = read === 'stream' ? 'data: a\n\n' : '{}'
    const first = await begin(answer(text, type), mode).next()
    expect([first.done, first.value?.[0]]).toMatchObject([false, { ...start, responseId: read }])
  },
)

test('a page of HTML is no stream, whatever was asked for', async () => {
  const failed = begin(answer('data: a\n\n', 'text/html')).next()
  await expect(failed).rejects.toMatchObject({ ...origin, code: 'malformed-response' })
})

test.each(['', ' \n'])('an answer of blanks alone is empty: %j', async (text) => {
  const failed = begin(answer(text, 'application/json'), 'generate').next()
  await expect(failed).rejects.toMatchObject({
    ...origin,
    code: 'empty-response',
    message: expect.stringContaining('empty'),
  })
})

test('warnings of the request come once, before those of the answer', async () => {
  const turn = begin(answer('data: a\n\n', 'text/event-stream'))
  expect(await turn.next()).toMatchObject({ value: [{ warnings: [warning, own] }] })
})

test.each([
  [256 * 1024, 256 * 1024],
  [256 * 1024 + 1, 0],
])('the body of a failure is read up to 256 KiB: of %i bytes at once, %i', async (length, read) => {
  const failed = begin(answer('x'.repeat(length), 'text/plain', 500)).next()
  await expect(failed).rejects.toMatchObject({ requestId: String(read) })
})

test('a turn that is over listens to nobody, and says so to who asks again', async () => {
  const { signal } = new AbortController()
  const turn = begin(answer('data: a\n\n', 'text/event-stream'), 'stream', signal)
  for (let next = await turn.next(); !next.done; next = await turn.next()) continue
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(await turn.return?.()).toStrictEqual({ done: true, value: undefined })
})

test.each([
  ['leaves', undefined, 'The turn is over.'],
  ['aborts', new Error('enough'), 'enough'],
])('a `fetch` hears why nobody waits for it any more: the caller %s', async (_what, reason, message) => {
  const controller = new AbortController()
  const heard = Promise.withResolvers<unknown>()
  const fetch: typeof globalThis.fetch = (_url, init) => {
    init?.signal?.addEventListener('abort', () => heard.resolve(init.signal?.reason))
    return new Promise(() => undefined)
  }
  const turn = begin(fetch, 'stream', controller.signal)
  const asked = turn.next().catch(() => undefined)
  if (reason === undefined) await turn.return?.()
  else controller.abort(reason)
  await asked
  expect(await heard.promise).toMatchObject({ message })
})
