import { expect, test } from 'vitest'
import type { TurnEvent } from '../contract/adapter.ts'
import type { TurnProgress, WireFormat } from '../contract/wire-format.ts'
import { defineHttpAdapter } from './define-http-adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import { fakeClock } from '../testing/fake-clock.ts'

const origin = { provider: 'toy', model: 'toy-1' }
const end = { type: 'turn-end', finishReason: 'stop' } as const

/** Frames are words of a text, or what is known of its end; after `end` the turn is over, and `fail` is an error. */
const wire: WireFormat = {
  name: 'words',
  framing: 'sse',
  encode: () => ({ path: '/', body: '{}', warnings: [] }),
  decode: () => undefined,
  createDecoder() {
    let progress: TurnProgress = 'open'
    return {
      push({ data }, out) {
        if (data === 'fail') throw new AdapterError({ ...origin, code: 'server-error' })
        if (data === 'end') progress = 'done'
        else if (data === 'answered' || data === 'open') progress = data
        else out.push({ type: 'text-delta', part: 0, text: data })
      },
      progress: () => progress,
      end: (out) => void out.push(end),
    }
  },
  decodeError: () => ({ code: 'server-error' }),
}

/** A turn over a connection that stays open until somebody closes it. */
function openTurn(closes = true) {
  const state = { closed: false, aborted: false, over: undefined as string | undefined }
  const clock = fakeClock()
  let server: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (server = controller),
    cancel: () => void (state.closed = true),
  })
  const fetch: typeof globalThis.fetch = (_url, init) => {
    init?.signal?.addEventListener('abort', () => (state.aborted = true))
    const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    if (closes) return Promise.resolve(response)
    const reader = body.getReader()
    const deaf = { read: () => reader.read(), cancel: () => Promise.resolve() }
    return Promise.resolve(Object.defineProperty(response, 'body', { value: { getReader: () => deaf } }))
  }
  const options = { ...origin, capabilities: {}, baseURL: 'https://api.example.com', apiKey: 'key-1234', fetch }
  const adapter = defineHttpAdapter(wire, options)
  const turn = adapter.turn({ messages: [], turn: 0 }, { mode: 'stream', clock })[Symbol.asyncIterator]()
  const events: TurnEvent[] = []
  const read = async (): Promise<void> => {
    try {
      for (let next = await turn.next(); !next.done; next = await turn.next()) events.push(...next.value)
      state.over = 'ended'
    } catch (error) {
      state.over = AdapterError.isInstance(error) ? error.code : String(error)
    }
  }
  const send = async (...frames: readonly string[]): Promise<void> => {
    server?.enqueue(new TextEncoder().encode(frames.map((frame) => `data: ${frame}\n\n`).join('')))
    await settled()
  }
  const wait = async (ms: number): Promise<void> => {
    clock.advance(ms)
    await settled()
  }
  const breakOff = async (): Promise<void> => {
    server?.error(new Error('reset'))
    await settled()
  }
  return { state, clock, events, read, send, wait, breakOff }
}

/** Whatever is due without time. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1)
  })

test('an answer that is not whole closes its connection when it fails in its middle', async () => {
  const { state, clock, read, send } = openTurn()
  void read()
  await send('a', 'fail')
  expect(state).toEqual({ closed: true, aborted: true, over: 'server-error' })
  expect(clock.open).toBe(0)
})

test.each<[string, readonly (readonly string[])[], boolean]>([
  ['said so beside its last word', [['a', 'answered']], true],
  ['said so by itself', [['a'], ['answered']], true],
  ['went on afterwards', [['answered'], ['a']], true],
  ['took it back', [['answered'], ['open']], false],
])(
  'an answer over a connection that stays open is over two seconds after its last word: it %s',
  async (_how, chunks, isOver) => {
    const { state, clock, read, send, wait } = openTurn()
    void read()
    for (const frames of chunks) {
      await wait(1500)
      await send(...frames)
    }
    await wait(1999)
    expect(state).toEqual({ closed: false, aborted: false, over: undefined })
    await wait(1)
    expect(state).toEqual({ closed: isOver, aborted: false, over: isOver ? 'ended' : undefined })
    expect(clock.open).toBe(0)
  },
)

test('an answer that is whole is over in time, though its body pays no attention to being closed', async () => {
  const { state, read, send, wait } = openTurn(false)
  void read()
  await send('answered')
  await wait(2000)
  expect(state).toMatchObject({ closed: false, over: 'ended' })
})

test('an answer that is whole is over when its connection breaks off', async () => {
  const { state, clock, read, send, breakOff } = openTurn()
  void read()
  await send('a', 'answered')
  await breakOff()
  expect(state.over).toBe('ended')
  expect(clock.open).toBe(0)
})
