import { expect, test } from 'vitest'
import { fakeClock } from '../testing/fake-clock.ts'
import { BoundedBody, bodyError, readBody } from './response-body.ts'

const origin = { provider: 'toy', model: 'toy-1' }

/** A body by hand: what it gives, and whether it was closed. */
function openBody(maxBytes = 100) {
  const state = { closed: false }
  let server: ReadableStreamDefaultController<unknown> | undefined
  const stream = new ReadableStream<unknown>({
    start: (controller) => void (server = controller),
    cancel: () => void (state.closed = true),
  })
  const response = Object.defineProperty(new Response(), 'body', { value: stream })
  return { state, server, body: new BoundedBody(response, { maxBytes, origin }) }
}

const readExcerpt = (body: BoundedBody): Promise<string> => new Promise((resolve) => readBody(body, resolve))

const readText = (body: BoundedBody): Promise<string> =>
  new Promise((resolve, reject) => {
    readBody(body, (text, broken) => (broken === undefined ? resolve(text) : reject(bodyError(broken, origin))))
  })

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

test.each<[string, readonly unknown[], string]>([
  ['views of one buffer', [bytes('abcd').subarray(1, 3), new DataView(bytes('abcd').buffer, 1, 2)], 'bcbc'],
  ['a buffer', [bytes('ab').buffer], 'ab'],
  ['a byte order mark', [bytes('\uFEFFab')], 'ab'],
  ['a character that is cut', [bytes('aé').subarray(0, 2)], 'a\uFFFD'],
  ['nothing', [], ''],
])('a body is read as text, whole: %s', async (_what, chunks, text) => {
  const { server, body } = openBody()
  for (const chunk of chunks) server?.enqueue(chunk)
  server?.close()
  expect(await readText(body)).toBe(text)
})

test('a response without a body has ended', async () => {
  const body = new BoundedBody(new Response(null), { maxBytes: 1, origin })
  await expect(body.read()).resolves.toStrictEqual({ done: true, value: undefined })
})

test('a body beyond its limit is closed, and one that gives no bytes is told from it', async () => {
  const { state, server, body } = openBody(2)
  server?.enqueue(bytes('abc'))
  await expect(readText(body)).rejects.toMatchObject({ ...origin, code: 'response-too-large' })
  expect(state.closed).toBe(true)
  const texts = openBody()
  texts.server?.enqueue('abc')
  await expect(readText(texts.body)).rejects.toMatchObject({ ...origin, code: 'malformed-response' })
})

test('a body that breaks off is a connection that failed, and what came of it is an excerpt all the same', async () => {
  const cause = new Error('reset')
  const broken = (text: string) => {
    const { server, body } = openBody()
    let count = text === '' ? 1 : 0
    const read = () =>
      count++ === 0 ? Promise.resolve({ done: false, value: bytes(text) } as const) : Promise.reject(cause)
    server?.close()
    return Object.assign(body, { read })
  }
  for (const text of ['ab', '']) {
    await expect(readText(broken(text))).rejects.toMatchObject({
      ...origin,
      code: 'connection',
      message: expect.stringContaining('broke off'),
      cause,
    })
    expect(await readExcerpt(broken(text))).toBe(text)
  }
})

const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1)
  })

test('a connection that is let go is closed if more comes and no end, and left alone if it ends or breaks off', async () => {
  const clock = fakeClock()
  const { state, server, body } = openBody()
  body.release(clock)
  server?.enqueue(bytes('a'))
  await settled()
  expect(clock.open).toBe(1)
  clock.advance(100)
  expect(state.closed).toBe(true)
  const ended = openBody()
  ended.body.release(clock)
  ended.server?.enqueue(bytes('a'))
  ended.server?.close()
  await settled()
  expect({ closed: ended.state.closed, timers: clock.open }).toEqual({ closed: false, timers: 0 })
  const broken = openBody()
  broken.body.release(clock)
  broken.server?.error(new Error('reset'))
  await settled()
  expect(clock.open).toBe(0)
})
