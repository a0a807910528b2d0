import { expect, test } from 'vitest'
import type { TurnEvent } from '../contract/adapter.ts'
import type { TurnDecoder, TurnProgress, WireFormat } from '../contract/wire-format.ts'
import { defineHttpAdapter } from './define-http-adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import { StepLoop } from '../loop/step-loop.ts'
import { fakeClock } from '../testing/fake-clock.ts'

const origin = { provider: 'toy', model: 'toy-1' }

/** Frames are words of a text; `usage 3`, `stop` and `end` are what they say. `ping` means nothing. */
function wireOf(hasProgress = true): WireFormat {
  return {
    name: 'words',
    framing: 'sse',
    encode: () => ({ path: '/', body: '{}', warnings: [] }),
    decode: () => undefined,
    createDecoder: () => wordDecoder(hasProgress),
    decodeError: () => ({ code: 'server-error' }),
  }
}

function wordDecoder(hasProgress: boolean): TurnDecoder {
  let progress: TurnProgress = 'open'
  let inputTokens: number | undefined
  return {
    push({ data }, out) {
      if (data === 'fail') throw new AdapterError({ ...origin, code: 'server-error' })
      if (data === 'end') progress = 'done'
      else if (data === 'stop') progress = 'answered'
      else if (data.startsWith('usage ')) inputTokens = Number(data.slice(6))
      else if (data !== 'ping') out.push({ type: 'text-delta', part: 0, text: data })
    },
    ...(hasProgress && { progress: () => progress }),
    end(out) {
      if (progress === 'open') throw new AdapterError({ ...origin, code: 'incomplete-stream' })
      out.push({ type: 'turn-end', finishReason: 'stop', usage: { inputTokens } })
    },
  }
}

/** A turn over a connection that stays open until somebody closes it. */
function openTurn({
  hasProgress = true,
  onCancel = () => undefined,
}: { hasProgress?: boolean; onCancel?: () => undefined } = {}) {
  const state = { closed: false, aborted: false, over: undefined as string | undefined }
  const clock = fakeClock()
  let server: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (server = controller),
    cancel() {
      state.closed = true
      onCancel()
    },
  })
  const fetch: typeof globalThis.fetch = (_url, init) => {
    init?.signal?.addEventListener('abort', () => (state.aborted = true))
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  }
  const options = { ...origin, capabilities: {}, baseURL: 'https://api.example.com', apiKey: 'key-1234', fetch }
  const adapter = defineHttpAdapter(wireOf(hasProgress), options)
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
  const close = (): void => server?.close()
  const reset = (): void => server?.error(new TypeError('terminated'))
  return { state, clock, events, turn, adapter, read, send, wait, close, reset }
}

/** Whatever is due without time. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1)
  })

const end = { type: 'turn-end', finishReason: 'stop', usage: { inputTokens: undefined } }

test('an answer whose end mark came, over a connection that stays open is over at once, and the connection is closed a moment later', async () => {
  const { state, clock, events, read, send, wait } = openTurn()
  void read()
  await send('a', 'end')
  expect(state).toEqual({ closed: false, aborted: false, over: 'ended' })
  expect(events).toEqual([{ type: 'text-delta', part: 0, text: 'a' }, end])
  await wait(99)
  expect(state.closed).toBe(false)
  await wait(1)
  expect(state).toMatchObject({ closed: true, aborted: false })
  expect(clock.open).toBe(0)
})

test('an answer whose end mark came, over a connection that stays open: a run ends with the end mark of its answer, though the connection stays open', async () => {
  const { adapter, send, state } = openTurn()
  const run = new StepLoop({ model: adapter }).stream('x').result
  await settled()
  await send('a', 'end')
  expect(await run).toMatchObject({ status: 'completed', text: 'a' })
  expect(state.aborted).toBe(false)
})

test('an answer whose end mark came, over a connection that stays open leaves a connection alone that ends in order, so that it can be used again', async () => {
  const { state, clock, read, send, close } = openTurn()
  void read()
  await send('a', 'end')
  await send('ping')
  close()
  await settled()
  expect(state).toEqual({ closed: false, aborted: false, over: 'ended' })
  expect(clock.open).toBe(0)
})

test('an answer whose end mark came, over a connection that stays open takes no harm from a connection that cannot be closed', async () => {
  const { state, read, send, wait } = openTurn({ onCancel: () => raise('torn') })
  void read()
  await send('end')
  await wait(100)
  expect(state.over).toBe('ended')
})

function raise(message: string): never {
  throw new Error(message)
}

test('an answer that is whole but has no end mark waits for usage, and is over when nothing came for two seconds', async () => {
  const { state, clock, events, read, send, wait } = openTurn()
  void read()
  await send('a', 'stop')
  await wait(1500)
  await send('usage 3')
  await wait(499)
  expect(state).toMatchObject({ closed: false, over: undefined })
  await wait(1)
  expect(state).toMatchObject({ closed: true, over: 'ended' })
  expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 3 } })
  expect(clock.open).toBe(0)
})

test('an answer that is whole but has no end mark ends with the end mark, or the connection, that comes in time', async () => {
  for (const last of ['end', 'eof'] as const) {
    const { state, clock, events, read, send, close } = openTurn()
    void read()
    await send('a', 'stop')
    await send('usage 3')
    if (last === 'end') await send('end')
    close()
    await settled()
    expect(state).toMatchObject({ closed: false, over: 'ended' })
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 3 } })
    expect(clock.open).toBe(0)
  }
})

test('an answer that is whole but has no end mark goes on as long as it brings events, and not for a heartbeat', async () => {
  const { state, events, read, send, wait } = openTurn()
  void read()
  await send('a', 'stop')
  await wait(1999)
  await send('b')
  await wait(1999)
  await send('ping')
  expect(state.over).toBeUndefined()
  await wait(1)
  expect(state.over).toBe('ended')
  expect(events.map((event) => ('text' in event ? event.text : event.type))).toEqual(['a', 'b', 'turn-end'])
})

test('an answer that is whole but has no end mark loses nothing to a slow reader: only waiting for the server counts', async () => {
  const { turn, send, wait } = openTurn()
  const first = turn.next()
  await send('a', 'stop')
  expect((await first).value).toMatchObject([{ text: 'a' }])
  await send('usage 3')
  await wait(60_000)
  const rest = turn.next()
  await settled()
  await wait(2000)
  expect((await rest).value).toMatchObject([{ type: 'turn-end', usage: { inputTokens: 3 } }])
})

test.each(['close', 'reset'] as const)(
  'an answer that is not whole is an error however its connection ends: %s',
  async (how) => {
    const turn = openTurn()
    void turn.read()
    await turn.send('a')
    turn[how]()
    await settled()
    expect(turn.state.over).toBe('incomplete-stream')
    expect(turn.events).toEqual([{ type: 'text-delta', part: 0, text: 'a' }])
  },
)

test('an answer that is not whole is waited for, as long as it takes', async () => {
  const { state, read, send, wait } = openTurn()
  void read()
  await send('a')
  await wait(1e9)
  expect(state).toMatchObject({ closed: false, over: undefined })
})

test('an answer that is not whole closes its connection when it fails in its middle', async () => {
  const { state, clock, read, send } = openTurn()
  void read()
  await send('a', 'fail')
  expect(state).toEqual({ closed: true, aborted: true, over: 'server-error' })
  expect(clock.open).toBe(0)
})

test('a decoder that says nothing of its progress is read to the end of the bytes', async () => {
  const { state, clock, read, send, wait, close } = openTurn({ hasProgress: false })
  void read()
  await send('a', 'stop', 'end')
  await wait(1e9)
  expect(state).toMatchObject({ closed: false, over: undefined })
  close()
  await settled()
  expect(state.over).toBe('ended')
  expect(clock.open).toBe(0)
})

/** A run whose reader has had a piece of text and waits for what the network gives next. */
async function waitingReader() {
  const turn = openTurn()
  const controller = new AbortController()
  const loop = new StepLoop({ model: turn.adapter, maxRetries: 0 })
  const events = loop.stream('x', { abortSignal: controller.signal })[Symbol.asyncIterator]()
  const asked = [events.next(), events.next(), events.next()]
  await settled()
  await turn.send('a')
  expect((await Promise.all(asked)).at(-1)?.value).toMatchObject({ type: 'text-delta', text: 'a' })
  return { ...turn, controller, events }
}

type Waiting = Awaited<ReturnType<typeof waitingReader>>

test.each<[what: string, when: string, happen: (waiting: Waiting) => unknown, got: readonly unknown[]]>([
  [
    'the next pieces',
    'chunks of no meaning',
    ({ send }) => send('ping').then(() => send('b', 'c')),
    [{ text: 'b' }, { text: 'c' }],
  ],
  ['the end of the run', 'the end mark', ({ send }) => send('end'), [{ type: 'step-end' }, { type: 'run-end' }]],
  ['the failure', 'a break', ({ reset }) => reset(), [{ error: { code: 'turn-failed' } }, undefined]],
  ['the abort', 'one', ({ controller }) => controller.abort(), [{ error: { code: 'aborted' } }, undefined]],
  ['nothing more', 'it left', ({ events }) => events.return?.(), [undefined, undefined]],
])('a reader that waits for the network gets %s after %s', async (_what, _when, happen, got) => {
  const waiting = await waitingReader()
  const asked = [waiting.events.next(), waiting.events.next()]
  await settled()
  await happen(waiting)
  expect((await Promise.all(asked)).map(({ value }): unknown => value)).toMatchObject(got)
})
