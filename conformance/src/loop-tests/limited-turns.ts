import { expect, test } from 'vitest'
import { type Adapter, type Clock, type StepLoopOptions } from '@steploop/core'
import { limitTurnTime } from '@steploop/core/policies'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failing, idle, throws } from './parts.ts'

export function testLimitedTurns(makeLoop: MakeWholeLoop): void {
  const hangs: ScriptedTurn = { parts: [{ type: 'text', text: 'half' }], hang: true }

  function play(script: readonly ScriptedTurn[], ms: number, options: Partial<StepLoopOptions> = {}) {
    const clock = fakeClock()
    const model = scriptedAdapter(script)
    const loop = makeLoop({ model, clock, maxRetries: 0, policies: [limitTurnTime(ms)], ...options })
    return { clock, model, loop }
  }

  test('limitTurnTime fails a turn that takes longer, even if the signal is ignored', { tags: ['M11'] }, async () => {
    const { clock, model, loop } = play([hangs], 30_000)
    const run = loop.generate('x').catch((error: unknown) => error)
    await idle()
    clock.advance(29_999)
    expect(model.requests[0]?.signal?.aborted).toBe(false)
    clock.advance(1)
    const message = expect.stringContaining('its limit of 30000 ms')
    const cause = { code: 'timeout', retryable: true, provider: 'scripted', model: 'scripted-1', message }
    expect(await run).toMatchObject({ code: 'turn-failed', cause })
    expect(model.requests[0]).toMatchObject({ mode: 'generate', signal: { aborted: true, reason: cause } })
    expect(clock.open).toBe(0)
  })

  test('limitTurnTime lets the next attempt, or a fallback, have a limit of its own', { tags: ['M11'] }, async () => {
    const second = scriptedAdapter([hangs, 'never'], { provider: 'second', model: 'second-1' })
    const { clock, loop } = play([hangs], 1_000, { fallbacks: [second] })
    const run = loop.generate('x').catch((error: unknown) => error)
    await idle()
    clock.advance(1_000)
    await idle()
    expect(second.requests).toHaveLength(1)
    clock.advance(1_000)
    expect(await run).toMatchObject({ cause: { code: 'timeout', provider: 'second', model: 'second-1' } })
  })

  test('limitTurnTime is the option `turnTimeout`, of a loop or of a run, which sees the models of all policies', async () => {
    const other = scriptedAdapter([hangs, hangs])
    const policies = [(options: StepLoopOptions): StepLoopOptions => ({ ...options, model: other })]
    const { clock, loop } = play(['unasked'], 0, { policies, turnTimeout: 2_000 })
    for (const [options, ms] of [
      [{}, 2_000],
      [{ turnTimeout: 1 }, 1],
    ] as const) {
      const run = loop.generate('x', options).catch((error: unknown) => error)
      await idle()
      clock.advance(ms - 1)
      expect(other.requests.at(-1)?.signal?.aborted).toBe(false)
      clock.advance(1)
      expect(await run).toMatchObject({ cause: { code: 'timeout' } })
    }
    expect(() => makeLoop({ model: other, turnTimeout: -1 })).toThrow('`turnTimeout` is -1')
  })

  test('limitTurnTime leaves quick turns alone and no timer behind', async () => {
    const { clock, loop } = play(['Hallo.'], 1_000)
    const steps = [{ provider: 'scripted', model: 'scripted-1' }]
    expect(await loop.generate('x')).toMatchObject({ text: 'Hallo.', steps })
    expect(clock.open).toBe(0)
    const unclocked = makeLoop({ model: scriptedAdapter(['Hallo.']), turnTimeout: 60_000 })
    expect((await unclocked.generate('x')).text).toBe('Hallo.')
  })

  test.each([50, 1])('limitTurnTime adds what a reader took, %d ms, when its timer rings in no pause', async (ms) => {
    const { clock, model, loop } = play([hangs], 100)
    const events = loop.stream('x')[Symbol.asyncIterator]()
    const next = async (): Promise<string | undefined> => (await events.next()).value?.type
    while ((await next()) !== 'text-start');
    clock.advance(ms)
    while ((await Promise.race([next(), idle().then(() => 'nothing')])) !== 'nothing');
    clock.advance(99)
    await idle()
    clock.advance(0)
    expect(model.requests[0]?.signal?.aborted).toBe(false)
    clock.advance(1)
    expect(model.requests[0]?.signal?.aborted).toBe(true)
  })

  test('limitTurnTime lets an abort reach the turn that runs, and none before it', async () => {
    const controller = new AbortController()
    const call = { type: 'call', toolName: 'gone', input: {} } as const
    const { model, loop } = play([[call], hangs], 1_000)
    const run = loop.generate('x', { abortSignal: controller.signal }).catch((error: unknown) => error)
    await idle()
    controller.abort()
    await run
    expect(model.requests.map(({ signal }) => signal?.aborted)).toEqual([false, true])
  })

  test('limitTurnTime does not count what the reader of a stream takes, and counts the rest to the millisecond', async () => {
    const parts = Array.from({ length: 5 }, (_, index) => ({ type: 'text', text: `word ${index}` }) as const)
    const { clock, model, loop } = play([{ parts, hang: true }], 100)
    const stream = loop.stream('x')
    const events = stream[Symbol.asyncIterator]()
    for (let texts = 0; texts < parts.length; clock.advance(90)) {
      const { value } = await events.next()
      if (value?.type === 'text-end') texts++
    }
    const last = events.next()
    await idle()
    clock.advance(99)
    await idle()
    expect([model.requests.length, model.requests[0]?.signal?.aborted]).toEqual([1, false])
    clock.advance(1)
    expect(await last).toMatchObject({ value: { type: 'run-error', error: { cause: { code: 'timeout' } } } })
    expect(clock.open).toBe(0)
  })

  test('limitTurnTime holds for a stream whose batches come faster than any timer rings', async () => {
    const time = fakeClock()
    // As engines have them.
    const clock: Clock = { now: () => time.now(), after: (ms, ring) => time.after(Math.max(1, ms), ring) }
    let batches = 0
    const model: Adapter = {
      ...scriptedAdapter([]),
      async *turn() {
        yield [{ type: 'turn-start' }, { type: 'text-start', part: 0 }]
        for (; batches < 1_000; batches++) {
          time.advance(0.5)
          yield [{ type: 'text-delta', part: 0, text: 'x' }]
        }
        yield [
          { type: 'text-end', part: 0 },
          { type: 'turn-end', finishReason: 'stop' },
        ]
      },
    }
    const { loop } = play([], 100, { model, clock })
    await expect(loop.generate('x')).rejects.toMatchObject({ cause: { code: 'timeout' } })
    // The 200th is in time, and of the next it is seen that it is not.
    expect(batches).toBe(201)
    expect(time.open).toBe(0)
  })

  test('limitTurnTime holds once for each request, whatever model an edit names, and leaves the edit as it is', async () => {
    const clock = fakeClock()
    const timers: number[] = []
    const counting = (model: Adapter): Adapter => ({
      ...model,
      turn: (...given) => (timers.push(clock.open), model.turn(...given)),
    })
    const call = { type: 'call', toolName: 'gone', input: {} } as const
    const [first, other] = [scriptedAdapter([[call], hangs]), scriptedAdapter([[call]])]
    const models: Adapter[] = []
    const { loop } = play([], 1_000, {
      clock,
      model: counting(first),
      prepareStep: async ({ step, model }) => {
        models.push(model)
        return [{ temperature: 1 }, { model: counting(other), temperature: 2 }, { model: models[0] }][step]
      },
    })
    const run = loop.generate('x').catch((error: unknown) => error)
    await idle()
    clock.advance(1_000)
    expect(await run).toMatchObject({ cause: { code: 'timeout' } })
    expect(timers).toEqual([1, 1, 1])
    const settings = [...first.requests, ...other.requests].map(({ request }) => request.settings)
    expect(settings).toEqual([{ temperature: 1 }, undefined, { temperature: 2 }])
  })

  test('limitTurnTime leaves no timer behind when the adapter throws at once', async () => {
    const broken: Adapter = { ...scriptedAdapter([]), turn: throws(new Error('not even a promise')) }
    const { clock, loop } = play([], 1_000, { model: broken })
    await expect(loop.generate('x')).rejects.toThrow('not even a promise')
    expect(clock.open).toBe(0)
  })

  test('limitTurnTime closes the turn that it gives up', async () => {
    let closed = 0
    const model: Adapter = {
      ...scriptedAdapter([]),
      turn: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise(() => undefined),
          return: () => (closed++, Promise.reject(new Error('too late'))),
        }),
      }),
    }
    const { clock, loop } = play([], 1_000, { model })
    const run = loop.generate('x').catch((error: unknown) => error)
    await idle()
    expect(closed).toBe(0)
    clock.advance(1_000)
    expect(await run).toMatchObject({ cause: { code: 'timeout' } })
    expect(closed).toBe(1)
  })

  test('limitTurnTime: a turn time that is no number is refused', () => {
    expect(() => limitTurnTime(Number.NaN)).toThrow(failing('invalid-options', '`limitTurnTime` is NaN'))
  })

  test('limitTurnTime: a turn time of 0 sets no limit', { tags: ['M11'] }, async () => {
    const { clock, loop } = play(['Hallo.'], 0)
    await loop.generate('x')
    expect(clock.open).toBe(0)
  })

  test('limitTurnTime lets an abort of the caller through at once', async () => {
    const controller = new AbortController()
    const failures: unknown[] = []
    const { clock, model, loop } = play([hangs], 1_000, {
      middleware: {
        async *turn(_info, next) {
          try {
            yield* next()
          } catch (error) {
            failures.push(error)
          }
        },
      },
    })
    const run = loop.generate('x', { abortSignal: controller.signal }).catch((error: unknown) => error)
    await idle()
    controller.abort('enough')
    expect(await run).toMatchObject({ code: 'aborted' })
    expect(model.requests[0]?.signal).toMatchObject({ aborted: true, reason: 'enough' })
    await idle()
    expect(failures).toMatchObject([{ code: 'aborted', provider: 'scripted', model: 'scripted-1' }])
    expect(clock.open).toBe(0)
  })

  test('limitTurnTime tells an adapter that is asked after an abort, and leaves neither timer nor rejection behind', async () => {
    const controller = new AbortController()
    const aborted: unknown[] = []
    const model: Adapter = {
      ...scriptedAdapter([]),
      turn: (_request, { signal }) => (aborted.push(signal?.aborted), throws(new Error('not even a promise'))()),
    }
    const { clock, loop } = play([], 1_000, {
      model,
      middleware: { turn: (_info, next) => (controller.abort(), next()) },
    })
    await expect(loop.generate('x', { abortSignal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
    await idle()
    expect([aborted, clock.open]).toEqual([[true], 0])
  })
}
