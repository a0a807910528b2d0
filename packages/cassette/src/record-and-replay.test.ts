import { setupServer } from 'msw/node'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { Cassette } from './cassette.ts'
import { cassetteFetch } from './fetch/index.ts'
import { parseCassette } from './format/parse-cassette.ts'
import { printCassette } from './format/print-cassette.ts'
import { cassetteHandlers } from './msw/index.ts'
import { createRecorder } from './record/index.ts'
import { serveCassette } from './server/index.ts'
import { bytes, joined } from './testing.ts'

const publicBaseURL = 'https://api.example.com/v1'
const chat = `${publicBaseURL}/chat`
const header = {
  scenario: 'random',
  mode: 'stream',
  provider: 'example',
  wire: 'example-chat',
  model: 'example-1',
  origin: { kind: 'derived', by: 'tests', date: '2026-11-21', recipe: 'random chunks' },
} as const

interface Schedule {
  readonly sent: string
  readonly chunks: readonly Uint8Array[]
}

const piece = fc.oneof(
  fc.constant(new Uint8Array()),
  fc.uint8Array({ minLength: 1, maxLength: 1 }),
  fc.uint8Array({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map(bytes),
  fc.constantFrom('data: {"a":1}\r\n\r\n', 'data: 1\n\n', '\r', '\n', ' ', '東').map(bytes),
)
const schedule: fc.Arbitrary<Schedule> = fc.record({
  sent: fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
  chunks: fc.array(piece, { maxLength: 12 }),
})

/** Records what a server on a made-up network sends, and takes the cassette through its file format. */
async function recorded({ sent, chunks }: Schedule): Promise<Cassette> {
  const left = [...chunks]
  const source = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = left.shift()
        if (next === undefined) controller.close()
        else controller.enqueue(next)
      },
    },
    { highWaterMark: 0 },
  )
  const recorder = createRecorder({
    publicBaseURL,
    header,
    fetch: async () => new Response(source as ReadableStream<Uint8Array<ArrayBuffer>>),
  })
  const response = await recorder.fetch(chat, { method: 'POST', body: sent })
  expectEqualBytes(await received(response), chunks)
  return parseCassette(printCassette(recorder.finish()), 'random.yaml')
}

// Comparing five megabytes element by element takes seconds.
function expectEqualBytes(got: readonly Uint8Array[], wanted: readonly Uint8Array[]): void {
  expect(got.map(({ length }) => length)).toEqual(wanted.map(({ length }) => length))
  expect(Buffer.compare(joined(got), joined(wanted))).toBe(0)
}

async function received(response: Response): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const chunk of response.body ?? []) pieces.push(new Uint8Array(chunk))
  return pieces
}

/** More of them: `STEPLOOP_SCHEDULES=1000 pnpm vitest run packages/cassette/src/record-and-replay.test.ts` */
const runs = { numRuns: Number(process.env['STEPLOOP_SCHEDULES'] ?? 200) }

test('what was recorded replays through fetch with equal bytes in equal chunks', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async (planned) => {
      const replayFetch = cassetteFetch(await recorded(planned))
      expect(await received(await replayFetch(chat, { method: 'POST', body: planned.sent }))).toEqual(planned.chunks)
      replayFetch.replay.assertConsumed()
    }),
    runs,
  )
})

test('what was recorded replays through MSW with equal bytes in equal chunks', async () => {
  const server = setupServer()
  server.listen({ onUnhandledFrame: 'error' })
  onTestFinished(() => server.close())
  await fc.assert(
    fc.asyncProperty(schedule, async (planned) => {
      const handlers = cassetteHandlers(await recorded(planned))
      server.resetHandlers(...handlers)
      const chunks = await received(await fetch(chat, { method: 'POST', body: planned.sent }))
      // An empty chunk has no form in HTTP/1.1: it would be the end of the body.
      expect(chunks).toEqual(planned.chunks.filter(({ length }) => length > 0))
      handlers.replay.assertConsumed()
    }),
    runs,
  )
})

test('what was recorded replays over real HTTP with equal bytes', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async (planned) => {
      await using server = await serveCassette(await recorded(planned), { publicBaseURL })
      const chunks = await received(await fetch(`${server.url}/chat`, { method: 'POST', body: planned.sent }))
      expect(joined(chunks)).toEqual(joined(planned.chunks))
      server.replay.assertConsumed()
    }),
    runs,
  )
})

test.each(['fetch', 'msw', 'server'])('five megabytes replay through %s with equal bytes', async (frontEnd) => {
  const chunks = Array.from({ length: 80 }, (_, index) => new Uint8Array(65_536).fill(index))
  const cassette = await recorded({ sent: '{}', chunks })
  const init = { method: 'POST', body: '{}' }
  const ask = {
    fetch: async () => cassetteFetch(cassette)(chat, init),
    msw: async () => {
      const server = setupServer(...cassetteHandlers(cassette))
      server.listen({ onUnhandledFrame: 'error' })
      onTestFinished(() => server.close())
      return fetch(chat, init)
    },
    server: async () => {
      const server = await serveCassette(cassette, { publicBaseURL })
      onTestFinished(server.close)
      return fetch(`${server.url}/chat`, init)
    },
  }[frontEnd]
  const body = joined(await received(await ask!()))
  expect(Buffer.compare(body, joined(chunks))).toBe(0)
})
