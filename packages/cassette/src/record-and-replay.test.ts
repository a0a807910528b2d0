import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Cassette } from './cassette.ts'
import { parseCassette } from './format/parse-cassette.ts'
import { printCassette } from './format/print-cassette.ts'
import { createRecorder } from './record/index.ts'
import { bytes, frontEnds } from './testing.ts'

// Many runs, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 })

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
  expect(Buffer.compare(Buffer.concat(got), Buffer.concat(wanted))).toBe(0)
}

async function received(response: Response): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const chunk of response.body ?? []) pieces.push(new Uint8Array(chunk))
  return pieces
}

/** More of them: `STEPLOOP_SCHEDULES=1000 pnpm vitest run packages/cassette/src/record-and-replay.test.ts` */
const runs = { numRuns: Number(process.env['STEPLOOP_SCHEDULES'] ?? 200) }

const isLong = ({ length }: Uint8Array): boolean => length > 0

test.each<[string, (chunks: readonly Uint8Array[]) => readonly Uint8Array[]]>([
  ['fetch', (chunks) => chunks],
  // An empty chunk has no form in HTTP/1.1: it would be the end of the body.
  ['msw', (chunks) => chunks.filter(isLong)],
  // TCP may join chunks that were sent apart.
  ['server', (chunks) => [Buffer.concat(chunks)].filter(isLong)],
])(
  'what was recorded replays through %s with equal bytes, in equal chunks as far as they show',
  async (name, shown) => {
    await fc.assert(
      fc.asyncProperty(schedule, async (planned) => {
        await using frontEnd = await frontEnds[name]!(await recorded(planned))
        const chunks = await received(await frontEnd.fetch(chat, { method: 'POST', body: planned.sent }))
        expect(name === 'server' ? shown(chunks) : chunks).toEqual(shown(planned.chunks))
        frontEnd.replay.assertConsumed()
      }),
      runs,
    )
  },
)

test.each(Object.keys(frontEnds))('five megabytes replay through %s with equal bytes', async (name) => {
  const chunks = Array.from({ length: 80 }, (_, index) => new Uint8Array(65_536).fill(index))
  await using frontEnd = await frontEnds[name]!(await recorded({ sent: '{}', chunks }))
  const body = Buffer.concat(await received(await frontEnd.fetch(chat, { method: 'POST', body: '{}' })))
  expect(Buffer.compare(body, Buffer.concat(chunks))).toBe(0)
})
