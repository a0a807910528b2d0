import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { AdapterError, LoopError, tool, type Adapter, type Middleware, type StepLoopOptions } from '@steploop/core'
import type { TurnEvent } from '@steploop/core/adapter'
import { retryEmpty } from '@steploop/core/policies'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { call, failureOf, hang, idle, thenable, throws } from './parts.ts'

export function testFailedRuns(makeLoop: MakeWholeLoop): void {
  const usage = { inputTokens: 3, outputTokens: 4 }
  const inputSchema = z.object({})
  const look = tool({ inputSchema, execute: () => 'seen' })
  const first = { parts: [call('look')], usage }

  const loopOf = (script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) =>
    makeLoop({ model: scriptedAdapter(script), tools: { look }, maxRetries: 0, ...options })

  const overloaded = new AdapterError({ provider: 'acme', model: 'm1', code: 'overloaded' })
  const plain = new TypeError('x is undefined')
  const reached = { step: 1, usage, steps: [{ usage }], transcript: { messages: [{}, {}, {}] } }

  test.each<readonly [string, ScriptedTurn, Partial<StepLoopOptions>, object]>([
    [
      'a turn',
      overloaded,
      {},
      { ...reached, code: 'turn-failed', message: `Step 1 failed: ${overloaded.message}`, cause: overloaded },
    ],
    [
      'a hook',
      'done',
      { onStepStart: ({ step }) => (step === 1 ? throws(plain)() : undefined) },
      { ...reached, code: 'hook-failed', message: expect.stringContaining('onStepStart'), cause: plain },
    ],
    [
      'a hook behind a call',
      [call('look')],
      { onResponse: ({ step }) => (step === 1 ? throws(plain)() : undefined) },
      {
        code: 'hook-failed',
        cause: plain,
        transcript: { messages: [{}, {}, {}, {}, { content: [{ output: { value: { code: 'aborted' } } }] }] },
      },
    ],
    [
      'a hook behind a text',
      'done',
      { onStepEnd: ({ step }) => (step === 2 ? throws(plain)() : undefined) },
      { code: 'hook-failed', message: expect.stringContaining('onStepEnd'), cause: plain },
    ],
    [
      'a condition',
      [call('look')],
      { stopWhen: (steps) => steps.length === 2 && throws(plain)() },
      { code: 'hook-failed', message: expect.stringMatching(/stopWhen\b[^~]/), cause: plain },
    ],
    [
      'a tool',
      [call('bad')],
      { tools: { look, bad: tool({ inputSchema, execute: throws(plain) }) }, onToolError: 'throw' },
      {
        code: 'tool-failed',
        message: "The tool 'bad' failed: x is undefined",
        toolCall: { toolName: 'bad', toolCallId: 'call_1_0' },
        cause: plain,
      },
    ],
    [
      'a limit',
      [call('look')],
      { maxSteps: 1, onLimit: 'throw' },
      { code: 'max-steps', usage, steps: [{ usage }, {}] },
    ],
  ])('a run that %s ended says how far it came, and why', async (_what, second, options, expected) => {
    const failure = await failureOf(loopOf([first, second], options).generate('x'))
    expect(failure).toMatchObject(expected)
    expect([failure.toolCall !== undefined, failure.partialText]).toEqual(['toolCall' in expected, undefined])
    expect(failure.message).not.toContain('no AdapterError')
  })

  const begun: IteratorResult<readonly TurnEvent[]> = { done: false, value: [{ type: 'turn-start' }] }
  const breaking = (): AsyncIterator<readonly TurnEvent[]> => {
    const next = vi.fn(throws(plain)).mockImplementationOnce(() => Promise.resolve(begun) as never)
    return { next }
  }

  test.each<readonly [string, Adapter['turn']]>([
    ['at once', throws(plain)],
    ['in place of a promise of its first batch', () => ({ [Symbol.asyncIterator]: () => ({ next: throws(plain) }) })],
    ['in place of a promise of its second batch', () => ({ [Symbol.asyncIterator]: breaking })],
  ])('what an adapter throws %s that is none of its errors is named so, and is the cause', async (_when, turn) => {
    const model: Adapter = { ...scriptedAdapter([]), turn }
    const failure = await failureOf(makeLoop({ model, maxRetries: 0 }).generate('x'))
    const message = 'Step 0 failed with an error that is no AdapterError: x is undefined'
    expect(failure).toMatchObject({ code: 'turn-failed', message, cause: plain, steps: [], step: 0 })
  })

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['what throws when it is read', Object.defineProperty({}, 'done', { get: throws(plain) })],
  ])(
    'an adapter whose iterator gives %s in place of a result fails the turn, and holds nobody up',
    async (_what, result) => {
      const next = () => Promise.resolve(result as IteratorResult<readonly TurnEvent[]>)
      const model: Adapter = { ...scriptedAdapter([]), turn: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) }
      const failure = await failureOf(makeLoop({ model, maxRetries: 0 }).generate('x'))
      expect(failure).toMatchObject({ code: 'turn-failed', cause: expect.any(Error) })
    },
  )

  test('an error of the loop itself has itself for its cause, so that logs find where it was thrown', async () => {
    const model: Adapter = {
      ...scriptedAdapter([]),
      async *turn() {
        yield [{ type: 'turn-start' }, { type: 'text-delta', part: -1, text: 'x' }]
      },
    }
    const failure = await failureOf(makeLoop({ model, maxRetries: 0 }).generate('x'))
    expect(failure.code).toBe('adapter-contract')
    expect(failure.cause).toMatchObject({ code: 'adapter-contract', message: failure.message })
    expect(failure.cause).not.toBe(failure)
  })

  test('a run that is aborted gives its reason to the tools under way, and to whoever asked for it', async () => {
    const signals: AbortSignal[] = []
    const wait = tool({ inputSchema, execute: (_input, { signal }) => (signals.push(signal), hang()) })
    const controller = new AbortController()
    const running = loopOf([first, [call('wait')]], { tools: { look, wait } }).generate('x', {
      abortSignal: controller.signal,
    })
    while (signals.length === 0) await idle()
    const why = new Error('the user left')
    controller.abort(why)
    const message = 'The run was aborted in step 1.'
    expect(await failureOf(running)).toMatchObject({ code: 'aborted', message, cause: why, usage, step: 1 })
    expect([signals[0]?.aborted, signals[0]?.reason]).toEqual([true, why])
  })

  test('a run whose time is over says how much it had', async () => {
    const clock = fakeClock()
    const wait = tool({ inputSchema, execute: () => hang() })
    const running = loopOf([first, [call('wait')]], { tools: { look, wait }, timeout: 5000, onLimit: 'throw', clock })
    const failing = failureOf(running.generate('x'))
    for (let round = 0; round < 20; round++) await idle()
    clock.advance(5000)
    const message = 'TimeoutError: The run took longer than its `timeout` of 5000 ms.'
    expect(await failing).toMatchObject({ code: 'timeout', message, cause: { name: 'TimeoutError' }, usage, step: 1 })
  })

  test('a function of the caller that throws is named, and so is one that rejects, as a promise or as what is none', async () => {
    const rejecting = thenable((_resolve, reject) => reject(plain))
    for (const given of [throws(plain), () => Promise.reject(plain), () => rejecting]) {
      const failure = await failureOf(loopOf([first], { denyCall: given as () => never }).generate('x'))
      expect(failure).toMatchObject({ code: 'hook-failed', message: '`denyCall` failed: x is undefined', cause: plain })
    }
    for (const name of ['costOf', 'generateId', 'maxSteps']) {
      const run = async () => loopOf([first], { maxCost: 1, costOf: () => 0, [name]: throws(plain) }).generate('x')
      const message = `\`${name}\` failed: x is undefined`
      expect(await failureOf(run())).toMatchObject({ code: 'hook-failed', message, cause: plain })
    }
  })

  test('a maker of middleware that throws, or makes something else, fails the call', async () => {
    await expect(loopOf([first], { middleware: throws(plain) }).generate('x')).rejects.toMatchObject({
      code: 'hook-failed',
      message: '`middleware` failed: x is undefined',
      cause: plain,
    })
    const own = new LoopError('budget', 'used up')
    expect(await failureOf(loopOf([first], { middleware: throws(own) }).generate('x'))).toBe(own)
    const none = (() => ({ runs: 7 })) as () => Middleware
    expect(() => loopOf([first], { middleware: none }).stream('x')).toThrow(/`middleware`: `runs` is no option/)
  })

  test.each(['costOf', 'generateId', 'maxSteps'])(
    'a `%s` that gives a promise ends the run, and where that promise rejects nothing is left unhandled',
    async (name) => {
      const unhandled = vi.fn<(reason: unknown) => void>()
      process.on('unhandledRejection', unhandled)
      onTestFinished(() => void process.off('unhandledRejection', unhandled))
      const run = async () =>
        loopOf([first], { maxCost: 1, costOf: () => 0, [name]: () => Promise.reject(plain) }).generate('x')
      await expect(run()).rejects.toMatchObject({ code: name === 'maxSteps' ? 'invalid-options' : 'hook-failed' })
      await idle()
      expect(unhandled).not.toHaveBeenCalled()
    },
  )

  test.each<readonly [string, readonly TurnEvent[], boolean]>([
    ['a file', [{ type: 'file', part: 0, mediaType: 'image/png', data: 'AA==' }], true],
    ['a text', [{ type: 'text-delta', part: 0, text: 'a' }], true],
    ['a refusal', [{ type: 'refusal-delta', part: 0, text: 'a' }], true],
    ['an empty text', [{ type: 'text-start', part: 0 }], false],
    ['an empty refusal', [{ type: 'refusal-delta', part: 0, text: '' }], false],
    ['reasoning', [{ type: 'reasoning-delta', part: 0, text: 'hm' }], false],
    ['nothing', [], false],
  ])('%s alone is an answer, or the model is asked again', async (_what, events, isAnswer) => {
    let turns = 0
    const model: Adapter = {
      ...scriptedAdapter([]),
      async *turn() {
        turns++
        yield [{ type: 'turn-start' }, ...events, { type: 'turn-end', finishReason: 'stop' }]
      },
    }
    await makeLoop({ model, policies: [retryEmpty({ maxRetries: 2 })] }).generate('x')
    expect(turns).toBe(isAnswer ? 1 : 3)
  })
}
