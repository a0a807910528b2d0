import type { Adapter } from '@steploop/core'
import { runConformance, type Subject } from '@steploop/conformance'
import { expect, onTestFinished, test } from 'vitest'
import { subjectNamed } from './scratch.ts'

const correct = subjectNamed('openai-compatible')
const order = { scenario: ['single-call'], mode: 'stream', stress: [], deadline: 1_000 } as const

function hostile(change: (adapter: Adapter) => Adapter): Subject {
  return { ...correct, adapter: (options) => change(correct.adapter(options)) }
}

const plain = ({ provider, model, capabilities }: Adapter) => ({ provider, model, capabilities })

const subjects: Record<string, readonly [subject: Subject, check: string, message: RegExp]> = {
  'never settles': [
    hostile((adapter) => ({
      ...plain(adapter),
      async *turn() {
        await new Promise(() => {})
        yield []
      },
    })),
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
    hostile((adapter) => ({
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
    hostile((adapter) => ({
      ...plain(adapter),
      turn() {
        throw new Error('boom')
      },
    })),
    'golden',
    /failed turn-failed from Error/,
  ],
  'yields what is no event': [
    hostile((adapter) => ({
      ...plain(adapter),
      async *turn() {
        yield [{ type: 'surprise' }] as never
      },
    })),
    'turn-events',
    /the first event is 'surprise'/,
  ],
  'claims what there is not': [
    hostile((adapter) => ({
      ...adapter,
      capabilities: { ...adapter.capabilities, telepathy: true } as Adapter['capabilities'],
      turn: adapter.turn.bind(adapter),
    })),
    'claims',
    /no capability `telepathy`/,
  ],
  'writes to the console': [
    hostile((adapter) => ({
      ...plain(adapter),
      turn(request, context) {
        console.warn('calling the provider, key follows')
        return adapter.turn(request, context)
      },
    })),
    'quiet',
    /console\.warn: calling the provider/,
  ],
  'changes the history that it is given': [
    hostile((adapter) => ({
      ...plain(adapter),
      turn(request, context) {
        for (const message of request.messages) Object.assign(message, { seen: true })
        return adapter.turn(request, context)
      },
    })),
    'golden',
    /differs from the golden skeleton/,
  ],
  'adds to the list of messages': [
    hostile((adapter) => ({
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
    hostile((adapter) => ({
      ...plain(adapter),
      turn(request, context) {
        const timer = setInterval(() => undefined, 10_000)
        onTestFinished(() => clearInterval(timer))
        return adapter.turn(request, context)
      },
    })),
    'no-stray-timers',
    /\d timers are still running.*Clear them/,
  ],
  'leaves a promise behind that is rejected': [
    hostile((adapter) => ({
      ...plain(adapter),
      turn(request, context) {
        void Promise.reject(new Error('nobody listens'))
        return adapter.turn(request, context)
      },
    })),
    'no-stray-rejections',
    /Error: nobody listens/,
  ],
  'goes on after the end of the turn': [
    hostile((adapter) => ({
      ...plain(adapter),
      async *turn(request, context) {
        for await (const batch of adapter.turn(request, context)) {
          const isLast = batch.some(({ type }) => type === 'turn-end')
          yield isLast ? [...batch, { type: 'text-delta', part: 0, text: 'und noch etwas 🕰️' }] : batch
        }
      },
    })),
    'turn-events',
    /the last event is 'text-delta', not `turn-end`/,
  ],
  'throws in the getter of an event': [
    hostile((adapter) => ({
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

test('a capability that the provider has not makes the scenario not applicable, with the reason', async () => {
  const modest = hostile((adapter) => ({ ...adapter, capabilities: {}, turn: adapter.turn.bind(adapter) }))
  const report = await runConformance([{ ...modest, limits: { tools: 'https://example.com/limits' } }], order)
  expect(report.cases[0]).toMatchObject({
    verdict: 'not-applicable',
    reason: expect.stringMatching(/^the adapter declares no `tools` in stream mode/),
  })
  expect(report.ok).toBe(true)
})

test('known failures still run: a listed one is no surprise, a fixed one is', async () => {
  const broken = hostile((adapter) => ({
    ...plain(adapter),
    async *turn(request, context) {
      for await (const batch of adapter.turn(request, context)) {
        yield batch.map((event) => (event.type === 'turn-end' ? { ...event, usage: undefined } : event))
      }
    },
  }))
  const line = { reason: 'the provider sends none', issue: 'https://example.com/1', expires: '2026-12-31' }
  const knownFailures = [{ ...line, check: 'openai-compatible/single-call/stream#usage-adds-up' }]
  const today = '2026-11-21'
  const listed = await runConformance([broken], { ...order, knownFailures, today })
  expect([listed.ok, listed.cases[0]?.verdict]).toEqual([true, 'known-failure'])
  const fixed = await runConformance([correct], { ...order, knownFailures, today })
  expect([fixed.ok, fixed.cases[0]?.verdict]).toEqual([false, 'unexpected-pass'])
  const expired = await runConformance([broken], { ...order, knownFailures, today: '2027-01-01' })
  expect([expired.ok, expired.cases[0]?.verdict]).toEqual([false, 'fail'])
  expect(expired.problems[0]?.message).toMatch(/expired on 2026-12-31/)
})

test('all three front-ends give equal traces', async () => {
  const report = await runConformance([correct], {
    scenario: ['parallel-calls', 'bad-key', 'cut-stream'],
    frontEnds: ['fetch', 'msw', 'server'],
    stress: [],
  })
  const compared = report.cases.map(({ checks }) => checks.find(({ id }) => id === 'front-ends')?.verdict)
  expect(compared).toEqual(Array.from({ length: 6 }, () => 'pass'))
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
