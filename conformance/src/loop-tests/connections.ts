import { expect, test, vi } from 'vitest'
import { AdapterError, type Adapter } from '@steploop/core'
import { defineHttpAdapter, type HttpAdapterOptions, type TurnProgress, type WireFormat } from '@steploop/core/adapter'
import { fakeClock } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failureOf, idle } from './parts.ts'

export function testConnections(makeLoop: MakeWholeLoop): void {
  // Whose headers go out with which request, and when a connection is over.

  const origin = { provider: 'toy', model: 'toy-1' }

  /** A frame is a word: `answered` and `done` say how far the answer is, any other is text. */
  const toy: WireFormat = {
    name: 'toy',
    framing: 'sse',
    encode: () => ({ path: '/turn', body: '{}', warnings: [] }),
    decode: () => undefined,
    createDecoder() {
      let progress: TurnProgress = 'open'
      return {
        push({ data }, out) {
          if (data === 'answered' || data === 'done') progress = data
          else out.push({ type: 'turn-start' }, { type: 'text-delta', part: 0, text: data })
        },
        progress: () => progress,
        end(out) {
          if (progress === 'open') throw new AdapterError({ ...origin, code: 'incomplete-stream' })
          out.push({ type: 'turn-end', finishReason: 'stop' })
        },
      }
    },
    decodeError: () => ({ code: 'server-error' }),
  }

  const frames = (...words: readonly string[]) => words.map((word) => `data: ${word}\n\n`).join('')

  const base = { ...origin, capabilities: {}, baseURL: 'https://api.example.com/v1', apiKey: 'key-a' }

  const loopOf = (options: Partial<HttpAdapterOptions>) =>
    makeLoop({ model: defineHttpAdapter(toy, { ...base, ...options }), maxRetries: 0 })

  const respond = (body: BodyInit) => new Response(body, { headers: { 'content-type': 'text/event-stream' } })

  test('headers of a run go out with its own requests, and a key as long as it holds', async () => {
    const sent: unknown[] = []
    const urls: unknown[] = []
    const fetch = (url: unknown, init?: RequestInit) => {
      urls.push([url, init?.body])
      sent.push(init?.headers)
      return Promise.resolve(respond(frames('hi', 'done')))
    }
    const shared = { 'x-team': 'a' }
    const plain = loopOf({ fetch, apiKey: undefined, apiKeyVariable: 'TOY_KEY' })
    const common = loopOf({ fetch, headers: shared })
    const expected: unknown[] = []
    const open = loopOf({ fetch, apiKey: undefined, apiKeyOptional: true })
    const headers = (authorization: string, own: object = {}) => expect.objectContaining({ authorization, ...own })
    const bare = expect.not.objectContaining({ 'x-tenant': expect.anything() })
    vi.stubEnv('TOY_KEY', 'key-1')
    await plain.stream('x').result
    await plain.stream('x', { headers: { 'x-tenant': 'b' } }).result
    await plain.stream('x').result
    await plain.stream('x').result
    const again = headers('Bearer key-1')
    expected.push(again, headers('Bearer key-1', { 'x-tenant': 'b' }), again, again)
    vi.stubEnv('TOY_KEY', ' key-2\r\n')
    await plain.stream('x').result
    expected.push(headers('Bearer key-2'))
    await common.stream('x').result
    shared['x-team'] = 'b'
    await common.stream('x').result
    expected.push(headers('Bearer key-a', { 'x-team': 'a' }), headers('Bearer key-a', { 'x-team': 'b' }))
    for (let turn = 0; turn < 2; turn++) await open.stream('x').result
    const none = { 'content-type': 'application/json' }
    expected.push(none, none)
    expect(sent).toEqual(expected)
    expect([sent[0], sent[2], sent[3], sent[4]]).toEqual([bare, bare, bare, bare])
    expect(urls).toEqual(urls.map(() => ['https://api.example.com/v1/turn', '{}']))
  })

  test('headers of one name: those of a run win over those of the adapter, these over those of the format, and those over what authorises', async () => {
    const sent: unknown[] = []
    const fetch = (url: unknown, init?: RequestInit) => {
      sent.push(url, init?.headers, init?.body)
      return Promise.resolve(respond(frames('hi', 'done')))
    }
    let turn = 0
    const encode = () => ({
      path: '/turn',
      headers: { c: 'own', b: 'own', d: 'own', authorization: `own ${++turn}` },
      body: '{}',
      warnings: [],
    })
    const auth: HttpAdapterOptions['auth'] = (apiKey, { headers, url, body, method }) => {
      sent.push([apiKey, method, url, new TextDecoder().decode(body), headers])
      return { headers: { a: 'auth', b: 'auth', c: 'auth', d: 'auth' } }
    }
    const options = { ...base, fetch, headers: { C: 'option', d: 'option' } }
    const model = defineHttpAdapter({ ...toy, encode }, { ...options, auth })
    await makeLoop({ model }).stream('x', { headers: { d: 'run' } }).result
    const url = 'https://api.example.com/v1/turn'
    const own = { 'content-type': 'application/json', b: 'own', c: 'option', d: 'run', authorization: 'own 1' }
    expect(sent).toEqual([['key-a', 'POST', url, '{}', own], url, { ...own, a: 'auth' }, '{}'])
    sent.length = 0
    const plain = makeLoop({ model: defineHttpAdapter({ ...toy, encode }, { ...base, fetch }) })
    for (const number of [2, 3]) {
      await plain.stream('x').result
      expect(sent.at(-2)).toMatchObject({ b: 'own', authorization: `own ${number}` })
    }
  })

  test('an answer of some megabytes is taken, and says whose it is', async () => {
    const word = 'w'.repeat(2 * 1024 * 1024)
    const { text, steps } = await loopOf({ fetch: () => Promise.resolve(respond(frames(word, 'done'))) }).stream('x')
      .result
    expect([text === word, steps[0]?.provider, steps[0]?.model]).toEqual([true, 'toy', 'toy-1'])
  })

  test('a header that is no credential stands for no key', async () => {
    const loop = loopOf({ apiKey: undefined, headers: { 'x-team': 'a' } })
    const cause = { ...origin, code: 'missing-api-key' }
    expect(await failureOf(loop.stream('x').result)).toMatchObject({ cause })
  })

  /** A server that sends what it is given, and never ends by itself. */
  function held() {
    let controller: ReadableStreamDefaultController<Uint8Array>
    let cancelled = 0
    const body = new ReadableStream<Uint8Array>({
      start: (given) => void (controller = given),
      cancel: () => void cancelled++,
    })
    const send = async (...words: readonly string[]): Promise<void> => {
      controller.enqueue(new TextEncoder().encode(frames(...words)))
      await idle()
    }
    return { send, body, cancelled: () => cancelled, end: () => controller.close() }
  }

  async function streaming() {
    const clock = fakeClock()
    const server = held()
    const fetch = () => Promise.resolve(respond(server.body))
    const inner = defineHttpAdapter(toy, { ...base, fetch })
    // A turn waits by a clock of its own.
    const turn: Adapter['turn'] = (request, context) => inner.turn(request, { ...context, clock })
    const stream = makeLoop({ model: { ...inner, turn }, maxRetries: 0 }).stream('x')
    let state = 'open'
    void stream.result.then(
      () => (state = 'ended'),
      () => (state = 'failed'),
    )
    await idle()
    const wait = async (ms: number): Promise<string> => {
      clock.advance(ms)
      await idle()
      return state
    }
    return { ...server, clock, stream, wait }
  }

  test('an answer that is done ends its turn, whatever the server does with the connection, which is closed soon', async () => {
    const { send, wait, cancelled, clock } = await streaming()
    await send('hi', 'done')
    expect([await wait(0), cancelled()]).toEqual(['ended', 0])
    await wait(60_000)
    expect([cancelled(), clock.open]).toEqual([1, 0])
  })

  test('an answer that is done leaves a connection that ends by itself to be used again, and no timer', async () => {
    const { send, wait, cancelled, clock, end } = await streaming()
    await send('hi', 'done')
    await send('more')
    end()
    await wait(0)
    expect([cancelled(), clock.open]).toEqual([0, 0])
  })

  test('an answer that is whole is waited for two seconds more without events, and its reading takes none of them', async () => {
    const { send, wait, cancelled, clock, stream } = await streaming()
    await send('hi')
    expect(await wait(60_000)).toBe('open')
    await send('answered')
    expect(await wait(1_500)).toBe('open')
    // A further event begins the wait anew, a comment does not.
    await send('more')
    expect(await wait(1_500)).toBe('open')
    await send('answered')
    expect(await wait(499)).toBe('open')
    expect([await wait(1), cancelled()]).toEqual(['ended', 1])
    expect([(await stream.result).text, clock.open]).toEqual(['himore', 0])
  })

  test('an answer that is not whole is waited for as long as it takes, and fails when it breaks off', async () => {
    const { send, wait, end, stream, clock } = await streaming()
    await send('hi')
    expect(await wait(3_600_000)).toBe('open')
    end()
    expect(await wait(0)).toBe('failed')
    expect([(await failureOf(stream.result)).code, clock.open]).toEqual(['turn-failed', 0])
  })

  test('two questions at once are answered one after the other, from one request', async () => {
    const fetch = vi.fn(() => Promise.resolve(respond(frames('a', 'b', 'done'))))
    const loop = makeLoop({
      model: defineHttpAdapter(toy, { ...base, fetch }),
      middleware: {
        async *turn(_info, next) {
          const events = next()[Symbol.asyncIterator]()
          const answers = await Promise.all([events.next(), events.next(), events.next()])
          for (const answer of answers) if (!answer.done) yield answer.value
        },
      },
    })
    expect((await loop.stream('x').result).text).toBe('ab')
    expect(fetch).toHaveBeenCalledTimes(1)
  })
}
