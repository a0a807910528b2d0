import { expect, test, vi } from 'vitest'
import { CassetteError } from './errors.ts'
import { refusalHeader } from './replay/refusal.ts'
import { cassetteOf, exchange, frontEnds, textOf, type FrontEnd } from './testing.ts'

/** What a caller of fetch sees, the sizes of chunks aside. */
interface Seen {
  readonly status?: number | undefined
  readonly headers?: Record<string, string> | undefined
  readonly text?: string | undefined
  readonly end: 'complete' | 'broken' | 'rejected' | 'aborted'
}

const url = 'https://api.example.com/v1/chat'
const question = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"question":"why?"}' }
const shownHeaders = ['content-type', 'retry-after', refusalHeader]

/** Instead of a number of bytes: the caller aborts once the request was taken, before there is a head. */
const beforeTheHead = -1

async function observe(frontEnd: FrontEnd, init: RequestInit = question, abortAfterBytes?: number): Promise<Seen> {
  const aborter = new AbortController()
  let response: Response
  try {
    const answer = frontEnd.fetch(url, { ...init, signal: aborter.signal })
    if (abortAfterBytes === beforeTheHead) {
      await vi.waitUntil(() => frontEnd.replay.unconsumed().length === 0, { interval: 5, timeout: 20_000 })
      aborter.abort()
    }
    response = await answer
  } catch {
    return { end: 'rejected' }
  }
  const pieces: Uint8Array[] = []
  const headers = Object.fromEntries([...response.headers].filter(([name]) => shownHeaders.includes(name)))
  const seen = { status: response.status, headers }
  if (abortAfterBytes === 0) setImmediate(() => aborter.abort())
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(piece)
      if (Buffer.concat(pieces).length === abortAfterBytes) aborter.abort()
    }
    return { ...seen, text: textOf(Buffer.concat(pieces)), end: 'complete' }
  } catch {
    return { ...seen, text: textOf(Buffer.concat(pieces)), end: aborter.signal.aborted ? 'aborted' : 'broken' }
  }
}

interface Row {
  readonly title: string
  readonly recorded: Parameters<typeof exchange>[0]
  readonly init?: RequestInit
  readonly abortAfterBytes?: number
  /** Default: all three. TCP may join chunks that were sent apart, so a test that counts them leaves the server out. */
  readonly only?: readonly string[]
  readonly seen: Seen
}

const stream = { 'content-type': 'text/event-stream' }
const rows: readonly Row[] = [
  {
    title: 'a stream that is complete',
    recorded: { chunks: ['data: 1\n', '\nda', 'ta: 2\n\n'] },
    seen: { status: 200, headers: stream, text: 'data: 1\n\ndata: 2\n\n', end: 'complete' },
  },
  {
    title: 'an error status with its headers',
    recorded: {
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '2' },
      chunks: ['{"error":1}'],
    },
    seen: {
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '2' },
      text: '{"error":1}',
      end: 'complete',
    },
  },
  {
    title: 'an empty body',
    recorded: { status: 503, headers: {} },
    seen: { status: 503, headers: {}, text: '', end: 'complete' },
  },
  {
    title: 'a status that allows no body',
    recorded: { method: 'GET', sent: '', requestHeaders: {}, status: 204, headers: {} },
    init: { method: 'GET' },
    seen: { status: 204, headers: {}, text: '', end: 'complete' },
  },
  {
    title: 'a connection that breaks in mid-stream',
    recorded: { chunks: ['data: 1\n\n', 'data: '], ending: 'reset' },
    seen: { status: 200, headers: stream, text: 'data: 1\n\ndata: ', end: 'broken' },
  },
  {
    title: 'a connection that breaks after the head',
    recorded: { chunks: [], ending: 'reset' },
    seen: { status: 200, headers: stream, text: '', end: 'broken' },
  },
  {
    title: 'a connection that breaks before the head',
    recorded: { status: 0, headers: {}, ending: 'reset' },
    seen: { end: 'rejected' },
  },
  {
    title: 'a connection that says nothing until the caller aborts',
    recorded: { status: 0, headers: {}, ending: 'stall' },
    abortAfterBytes: beforeTheHead,
    seen: { end: 'rejected' },
  },
  {
    title: 'a stream that stalls until the caller aborts',
    recorded: { chunks: ['data: 1\n\n'], ending: 'stall' },
    abortAfterBytes: 9,
    seen: { status: 200, headers: stream, text: 'data: 1\n\n', end: 'aborted' },
  },
  {
    title: 'a stream that the caller aborted when it was recorded',
    recorded: { chunks: ['data: 1\n\n', 'x'], ending: 'abort' },
    abortAfterBytes: 10,
    seen: { status: 200, headers: stream, text: 'data: 1\n\nx', end: 'aborted' },
  },
  {
    title: 'a stream that stalls after its head',
    recorded: { chunks: [], ending: 'stall' },
    abortAfterBytes: 0,
    seen: { status: 200, headers: stream, text: '', end: 'aborted' },
  },
  {
    title: 'a stream that the caller aborts before its end',
    only: ['fetch', 'msw'],
    recorded: { chunks: ['data: 1\n\n', 'data: 2\n\n'] },
    abortAfterBytes: 9,
    seen: { status: 200, headers: stream, text: 'data: 1\n\n', end: 'aborted' },
  },
]

const table = Object.keys(frontEnds).flatMap((name) => {
  return rows.filter(({ only }) => only?.includes(name) ?? true).map((row) => ({ ...row, name }))
})

test.each(table)('$name replays $title', async ({ name, recorded, init, abortAfterBytes, seen }) => {
  await using frontEnd = await frontEnds[name]!(cassetteOf(exchange(recorded)))
  expect(await observe(frontEnd, init, abortAfterBytes)).toEqual(seen)
  expect(frontEnd.replay.unconsumed()).toEqual([])
  expect(() => frontEnd.replay.assertConsumed()).not.toThrow()
})

const misses: readonly [string, RequestInit, RegExp][] = [
  ['another body', { ...question, body: '{"question":"when?"}' }, /body\.question: expected "why\?" \/ got "when\?"/],
  ['another method', { method: 'PUT', headers: question.headers, body: question.body }, /method: expected "POST"/],
  ['no body', { method: 'POST', headers: question.headers }, /body: expected .* got nothing/],
  [
    'a credential more',
    { ...question, headers: { ...question.headers, 'x-api-key': 'value' } },
    /x-api-key: expected nothing/,
  ],
]

test.each(Object.keys(frontEnds).flatMap((name) => misses.map((row) => [name, ...row] as const)))(
  '%s refuses a request with %s, says what differs, and consumes nothing',
  async (name, _, init, says) => {
    await using frontEnd = await frontEnds[name]!(cassetteOf(exchange({ chunks: ['x'] })))
    const message = await frontEnd.fetch(url, init).then(
      async (response) => (response.headers.get(refusalHeader) === 'no-match' ? response.text() : 'answered'),
      (error: unknown) => (CassetteError.isInstance(error) ? error.message : 'failed'),
    )
    expect(message.replaceAll('\\"', '"')).toMatch(says)
    expect(frontEnd.replay.unconsumed()).toHaveLength(1)
    expect(() => frontEnd.replay.assertConsumed()).toThrow(expect.objectContaining({ code: 'no-match' }))
  },
)
