import type { Adapter } from '@steploop/core'
import { runConformance, type Subject } from '@steploop/conformance'
import { expect, onTestFinished, test } from 'vitest'
import { faulty, hostile, plain } from './broken-subject.ts'
import { subjectNamed } from '../scratch.ts'

const correct = subjectNamed('openai-compatible')
const order = { scenario: ['single-call'], mode: 'stream', stress: [], deadline: 1_000 } as const

const subjects: Record<string, readonly [subject: Subject, check: string, message: RegExp]> = {
  'never settles': [
    faulty(
      correct,
      () =>
        async function* turn() {
          await new Promise(() => {})
          yield []
        },
    ),
    'settles',
    /did not settle within 1000 ms/,
  ],
  'cannot be made': [
    {
      ...correct,
      adapter: () => {
        throw new Error('no licence')
      },
    },
    'adapter',
    /gives no adapter: Error: no licence/,
  ],
  'throws in a getter': [
    hostile(correct, (adapter) => ({
      ...plain(adapter),
      get capabilities(): Adapter['capabilities'] {
        throw new Error('not today')
      },
      turn: adapter.turn.bind(adapter),
    })),
    'adapter',
    /gives no adapter: Error: not today/,
  ],
  'throws at once instead of yielding': [
    faulty(correct, () => () => {
      throw new Error('boom')
    }),
    'golden',
    /failed turn-failed from Error/,
  ],
  'yields what is no event': [
    faulty(
      correct,
      () =>
        async function* turn() {
          yield [{ type: 'surprise' }] as never
        },
    ),
    'turn-events',
    /the first event is 'surprise'/,
  ],
  'claims what there is not': [
    hostile(correct, (adapter) => ({
      ...adapter,
      capabilities: { ...adapter.capabilities, telepathy: true } as Adapter['capabilities'],
      turn: adapter.turn.bind(adapter),
    })),
    'claims',
    /no capability `telepathy`/,
  ],
  'writes to the console': [
    faulty(correct, (adapter) => (request, context) => {
      console.warn('calling the provider, key follows')
      return adapter.turn(request, context)
    }),
    'quiet',
    /console\.warn: calling the provider/,
  ],
  'changes the history that it is given': [
    faulty(correct, (adapter) => (request, context) => {
      for (const message of request.messages) Object.assign(message, { seen: true })
      return adapter.turn(request, context)
    }),
    'golden',
    /differs from the golden skeleton/,
  ],
  'adds to the list of messages': [
    hostile(correct, (adapter) => ({
      ...plain(adapter),
      async *turn(request, context) {
        ;(request.messages as unknown[]).push({ role: 'user', content: 'and one of mine' })
        yield* adapter.turn(request, context)
      },
    })),
    'input-untouched',
    /change a copy/,
  ],
  'leaves timers behind': [
    faulty(correct, (adapter) => (request, context) => {
      const timer = setInterval(() => undefined, 10_000)
      onTestFinished(() => clearInterval(timer))
      return adapter.turn(request, context)
    }),
    'no-leaked-timers',
    /\d timers are still running.*Clear them/,
  ],
  'throws in the getter of an event': [
    hostile(correct, (adapter) => ({
      ...plain(adapter),
      async *turn(request, context) {
        for await (const batch of adapter.turn(request, context)) {
          yield batch.map((event) =>
            Object.defineProperty({ ...event }, 'type', {
              get() {
                throw new Error('not for you')
              },
            }),
          ) as never
        }
      },
    })),
    'turn-events',
    /the first event is 'an event that cannot be read \(Error: not for you\)'/,
  ],
  'ignores the fetch that it is given': [
    { ...correct, adapter: ({ fetch: _ignored, ...options }) => correct.adapter(options) },
    'as-recorded',
    /^The adapter of 'openai-compatible' called the global fetch\. It has to use the `fetch`/m,
  ],
}

test.each(Object.entries(subjects))(
  'a subject that %s fails by name, and the run ends',
  async (_, [subject, check, message]) => {
    const report = await runConformance([subject], order)
    const red = report.cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail'))
    const texts = red
      .filter(({ id }) => id === check)
      .flatMap(({ failures }) => failures.map((failure) => failure.message))
    expect(texts.join('\n')).toMatch(message)
    expect(report.ok).toBe(false)
  },
)

test('one hostile subject does not keep the others from being judged', async () => {
  const [broken] = subjects['never settles']!
  const report = await runConformance([{ ...broken, name: 'hostile' }, correct], order)
  expect(report.cases.map(({ address, verdict }) => `${address} ${verdict}`)).toEqual([
    'hostile/single-call/stream fail',
    'openai-compatible/single-call/stream pass',
  ])
})

test('a trace that differs between front-ends is an error of the harness, not a finding', async () => {
  let instances = 0
  // The first instance tells its capabilities, the second one is judged, the third one is behind the other front-end.
  const moody: Subject = {
    ...correct,
    adapter: (options) => {
      const adapter = correct.adapter(options)
      const isOther = ++instances > 2
      return {
        ...plain(adapter),
        async *turn(request, context) {
          for await (const batch of adapter.turn(request, context)) {
            yield isOther ? batch.filter(({ type }) => type !== 'text-delta') : batch
          }
        },
      }
    },
  }
  const report = await runConformance([moody], { ...order, frontEnds: ['fetch', 'msw'] })
  expect(report.cases[0]?.verdict).toBe('harness-error')
  const check = report.cases[0]?.checks.find(({ id }) => id === 'front-ends')
  expect(check?.failures[0]?.message).toMatch(/the trace differs \(- fetch, \+ msw\)[\s\S]*--front-end msw/)
})
