import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type StepLoopOptions, type Transcript } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import type { WholeLoop, MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call } from './parts.ts'

export function testShownInputs(makeLoop: MakeWholeLoop): void {
  // What a person is shown of a call, whatever its schema makes of the arguments.

  /** A tool whose schema makes this of any arguments. */
  const making = (make: () => unknown, ran: unknown[] = []) =>
    tool({
      inputSchema: z.object({}).transform(make),
      needsApproval: true,
      execute: (input) => (ran.push(input), 'done'),
    })

  function playing(make: () => unknown, options: Partial<StepLoopOptions> = {}) {
    const ran: unknown[] = []
    const model = scriptedAdapter([[{ type: 'call', toolName: 'odd', input: {} }], 'over'])
    return { loop: makeLoop({ model, tools: { odd: making(make, ran) }, ...options }), ran }
  }

  const approve = (transcript: Transcript) =>
    ({
      transcript: stored(transcript),
      toolOutputs: { '*': { approved: true } },
    }) as const

  class Money {
    readonly #cents = 5
    readonly cents = this.#cents
  }

  class MoneyAsJson extends Money {
    toJSON(): unknown {
      return { cents: this.cents }
    }
  }

  test.each<[string, () => unknown, unknown]>([
    ['a regular expression', () => ({ at: /^a+$/i }), { at: '/^a+$/i' }],
    ['a query', () => ({ at: new URLSearchParams({ all: '1' }) }), { at: 'all=1' }],
    ['a URL', () => ({ at: new URL('https://a.example/b') }), { at: 'https://a.example/b' }],
    ['a date', () => ({ at: new Date(0) }), { at: '1970-01-01T00:00:00.000Z' }],
    ['bytes', () => ({ at: new Uint8Array([1, 2]) }), { at: 'AQI=' }],
    ['a set', () => ({ at: new Set(['a']) }), { at: ['a'] }],
    ['a map', () => ({ at: new Map([['a', 1]]) }), { at: { a: 1 } }],
    ['a map whose keys are no texts', () => ({ at: new Map([[{ a: 1n }, 2n]]) }), { at: [[{ a: '1' }, '2']] }],
    ['an object without a prototype', () => ({ at: Object.assign(Object.create(null), { a: 1 }) }), { at: { a: 1 } }],
    ['nothing in a list', () => ({ at: [undefined] }), { at: [null] }],
    ['what is no number', () => ({ at: Number.NaN, to: -Infinity }), { at: 'NaN', to: '-Infinity' }],
    ['a BigInt', () => ({ at: 12n }), { at: '12' }],
    ['a class that says how it is told', () => ({ at: new MoneyAsJson() }), { at: { cents: 5 } }],
  ])('the input that somebody approves is shown in full: %s', async (_what, make, shown) => {
    const { loop, ran } = playing(make)
    const { transcript } = await loop.generate('x')
    expect(transcript.pendingCalls[0]?.input).toEqual(shown)
    await loop.generate(approve(transcript))
    expect(ran).toEqual([make()])
  })

  test.each<[string, (made: unknown) => unknown]>([
    ['at once', (made) => made],
    ['later', (made) => Promise.resolve(made)],
  ])(
    'the input that somebody approves is what the schema makes of the arguments %s, not of what was shown',
    async (_when, give) => {
      const ran: unknown[] = []
      const inputSchema = z.object({ at: z.any() }).transform(({ at }) => give({ at: at === 'a' ? new Set([at]) : at }))
      const odd = tool({ inputSchema, needsApproval: true, execute: (input) => ran.push(input) })
      const loop = makeLoop({ model: scriptedAdapter([[call('odd', { at: 'a' })], 'over']), tools: { odd } })
      const { transcript } = await loop.generate('x')
      await loop.generate(approve(transcript))
      expect([transcript.pendingCalls[0]?.input, ran]).toEqual([{ at: ['a'] }, [{ at: new Set(['a']) }]])
    },
  )

  const circle = (): unknown => {
    const made: Record<string, unknown> = {}
    return Object.assign(made, { made })
  }
  const accessor = (): unknown =>
    Object.defineProperty({}, 'at', { enumerable: true, configurable: true, get: () => 1 })
  test.each<[string, () => unknown, string]>([
    ['an instance of a class', () => ({ at: new Money() }), 'an instance of Money'],
    ['a class of a Map', () => ({ at: new (class Headers2 extends Map {})() }), 'an instance of Headers2'],
    ['a class without a name', () => ({ at: new (class extends Map {})() }), 'an instance of a class without a name'],
    ['a match', () => ({ at: /(?<verb>a)/.exec('a') }), 'hidden members'],
    ['a function', () => ({ at: () => 1 }), 'a function'],
    ['a symbol', () => ({ at: Symbol('a') }), 'a symbol'],
    ['a function beside others', () => ({ at: () => 1, by: {}, to: Symbol('a') }), 'a function'],
    ['a hidden member', () => Object.defineProperty({}, 'at', { value: 1 }), 'hidden members'],
    ['an accessor', accessor, 'an accessor'],
    ['a cycle', circle, 'a cycle'],
    ['a date that is none', () => ({ at: new Date(Number.NaN) }), 'an invalid date'],
    ['what cannot be read', () => ({ at: { toJSON: () => circle() } }), 'a cycle'],
  ])('the input that somebody approves is not asked about where it cannot be shown: %s', async (_what, make, named) => {
    const { loop, ran } = playing(make)
    const { status, toolResults, transcript } = await loop.generate('x')
    expect([status, transcript.pendingCalls, ran]).toEqual(['completed', [], []])
    expect(toolResults[0]?.output.value).toMatchObject({ code: 'tool-failed', message: expect.stringContaining(named) })
    const failed = playing(make, { onToolError: 'throw' }).loop.generate('x')
    await expect(failed).rejects.toMatchObject({
      code: 'tool-failed',
      cause: { message: expect.stringContaining(named) },
    })
  })

  test('the input that somebody approves is not taken from an approval that was given before it could not be shown', async () => {
    let make: () => unknown = () => ({ at: 1 })
    const { loop, ran } = playing(() => make())
    const { transcript } = await loop.generate('x')
    make = () => new Money()
    const { toolResults } = await loop.generate(approve(transcript))
    const value = { code: 'tool-failed', message: expect.stringContaining('an instance of Money') }
    expect([ran, toolResults[0]?.output.value]).toMatchObject([[], value])
  })

  const warningsOf = async (loop: WholeLoop, transcript: Transcript, answer: Record<string, unknown> = {}) => {
    const toolOutputs = { '*': { approved: true, ...answer } } as const
    const { status, toolResults, warnings } = await loop.generate({ transcript, toolOutputs })
    expect([status, toolResults]).toEqual(['requires-action', []])
    return warnings.map(({ message }) => message)
  }

  test('an approval that does not hold says why: a schema that makes something new each time', async () => {
    let made = 0
    const { loop } = playing(() => ({ id: ++made }))
    const { transcript } = await loop.generate('x')
    expect(await warningsOf(loop, transcript)).toEqual([expect.stringContaining('has to be made in `execute`')])
  })

  test('an approval that does not hold says why: a tool that is declared anew for each run', async () => {
    const inputSchema = z.object({})
    const declared = (description: string) => ({ odd: { ...making(() => ({})), inputSchema, description } })
    const { loop } = playing(() => ({}))
    const { transcript } = await loop.generate('x', { tools: declared('Today is Monday.') })
    const { loop: tuesday } = playing(() => ({}), { tools: declared('Today is Tuesday.') })
    expect(await warningsOf(tuesday, transcript)).toEqual([expect.stringContaining('the same in each run')])
  })

  test('an approval that does not hold says why: an edit of which the schema makes something else', async () => {
    const { loop } = playing(() => ({ at: 1 }))
    const { transcript } = await loop.generate('x')
    expect(await warningsOf(loop, transcript, { input: { at: 2 } })).toEqual([
      expect.stringContaining('of what the approver gave'),
    ])
  })

  test('what a hook or an approver gave is kept for an approval that is asked once more, and whose it is', async () => {
    const ran: unknown[] = []
    const loopOf = (description: string) => {
      const inputSchema = z.object({ amount: z.string().transform(Number) })
      const pay = tool({ description, inputSchema, needsApproval: true, execute: (input) => (ran.push(input), 'paid') })
      const model = scriptedAdapter([[call('pay', { amount: '5' })], 'a', 'b'])
      return makeLoop({ model, tools: { pay }, refineInput: ({ input }) => ({ amount: `${amountIn(input)}0` }) })
    }
    const amountIn = (input: unknown) => (input as { readonly amount: string }).amount
    const answer = async (description: string, transcript: Transcript, input?: Record<string, unknown>) =>
      loopOf(description).generate({
        transcript: stored(transcript),
        toolOutputs: { '*': { approved: true, ...(input && { input }) } },
      })
    const { transcript } = await loopOf('Monday').generate('x')
    for (const [input, amount, edited] of [
      [undefined, 50, undefined],
      [{ amount: '7' }, 70, true],
    ] as const) {
      const once = await answer('Tuesday', transcript, input)
      const twice = await answer('Wednesday', once.transcript)
      for (const asked of [once, twice]) expect(asked.transcript.pendingCalls).toMatchObject([{ input: { amount } }])
      expect([once, twice].map((asked) => asked.transcript.pendingCalls[0]?.edited)).toEqual([edited, edited])
      await answer('Wednesday', twice.transcript)
      expect(ran.splice(0)).toEqual([{ amount }])
    }
  })

  test('an edit that had to be approved once more is other work: its key and its text are those of its arguments', async () => {
    const keys: unknown[] = []
    const pay = tool({
      inputSchema: z.object({ cents: z.number().transform((euros) => euros * 100) }),
      needsApproval: true,
      execute: (_input, { idempotencyKey }) => keys.push(idempotencyKey),
    })
    const texts: unknown[] = []
    const loop = makeLoop({
      model: scriptedAdapter([[call('pay', '{ "cents": 5 }')], 'a', 'b', 'c']),
      tools: { pay },
      onToolStart: ({ toolCall }) => void texts.push(toolCall?.inputText),
    })
    const { transcript } = await loop.generate('x')
    const answer = (from: Transcript, input?: Record<string, unknown>) =>
      loop.generate({ transcript: from, toolOutputs: { '*': { approved: true, ...(input && { input }) } } })
    for (const cents of [6, 7]) await answer((await answer(transcript, { cents })).transcript)
    await answer(transcript)
    expect(texts).toEqual(['{"cents":6}', '{"cents":7}', '{ "cents": 5 }'])
    expect(new Set(keys).size).toBe(3)
  })
}
