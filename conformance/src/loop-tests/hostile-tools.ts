import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  AdapterError,
  LoopError,
  tool,
  type FunctionTool,
  type StandardResult,
  type StandardSchema,
  type StepLoopOptions,
} from '@steploop/core'
import { fakeClock, scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { idle, thenable, throws } from './parts.ts'

export function testHostileTools(makeLoop: MakeWholeLoop): void {
  const anything = { type: 'object' }
  const call = { type: 'call', toolName: 'bad', input: {} } as const

  async function outputOf(bad: FunctionTool<never>, options: Partial<StepLoopOptions> = {}): Promise<unknown> {
    const loop = makeLoop({ model: scriptedAdapter([[call], 'done']), tools: { bad }, ...options })
    const result = await loop.generate('x')
    expect(stored(result.transcript)).toEqual(result.transcript)
    return result.toolResults[0]?.output
  }

  const later = Promise.resolve().then(() => 'first')

  const throwing = (cause: unknown) => tool({ inputSchema: anything, execute: throws(cause) })

  /** Reading its message fails. */
  function mute(): Error {
    return Object.defineProperty(new Error('x'), 'message', { get: throws(new Error('unreadable')) })
  }

  test.each([
    ['an error whose message cannot be read', mute(), 'cannot be read'],
    ['an error whose message is no text', Object.assign(new Error('x'), { message: 7n }), '7'],
    ['an object', { code: 'E_BUSY', left: 2 }, '{"code":"E_BUSY","left":2}'],
    ['an object without a prototype', Object.create(null), '{}'],
    ['nothing', undefined, 'without a message'],
  ])('whatever a tool throws: %s is a message that the model can read', async (_name, cause, message) => {
    const value = { code: 'tool-failed', message: expect.stringContaining(message) }
    expect(await outputOf(throwing(cause))).toEqual({ type: 'error', value })
  })

  test.each<[string, (settle: (value: unknown) => void, fail: (cause: Error) => void) => void]>([
    ['settles again', (settle) => (settle(later), settle('second'))],
    ['then rejects', (settle, fail) => (settle(later), fail(new Error('no')))],
  ])('what a tool gives settles once: what first resolved with a promise and %s', async (_what, then) => {
    const value = await outputOf(tool({ inputSchema: anything, execute: () => thenable(then) }))
    expect(value).toEqual({ type: 'text', value: 'first' })
  })

  test.each([mute(), Object.create(null)])(
    'whatever a tool throws ends the run with a LoopError when it has to',
    async (cause) => {
      const failed = outputOf(throwing(cause), { onToolError: 'throw' })
      await expect(failed).rejects.toSatisfy((error) => LoopError.isInstance(error) && error.code === 'tool-failed')
    },
  )

  const trap = throws(new Error('trap'))
  const unreadable = () => new Proxy(new Error('x'), { get: trap, getPrototypeOf: trap })

  test.each([mute, () => Object.create(null), unreadable])(
    'whatever a hook or an adapter throws is a LoopError',
    async (made) => {
      const fail = throws(made())
      const model = { ...scriptedAdapter([]), turn: fail }
      await expect(makeLoop({ model }).generate('x')).rejects.toMatchObject({ code: 'turn-failed' })
      const hooked = makeLoop({ model: scriptedAdapter(['x']), onStepStart: fail })
      await expect(hooked.generate('x')).rejects.toMatchObject({ code: 'hook-failed' })
    },
  )

  test.each<[string, unknown, string]>([
    ['a boolean', false, 'tool-failed'],
    ['nothing', undefined, 'tool-failed'],
    ['neither a value nor issues', {}, 'tool-failed'],
    ['issues that are no list', { issues: { message: 'no' } }, 'tool-failed'],
    ['a number as the message', { issues: [{ message: 7n }] }, 'invalid-input'],
    ['a symbol as the message', { issues: [{ message: Symbol('no') }] }, 'invalid-input'],
  ])('a schema that gives %s keeps the tool from running, and the model is told', async (_what, given, code) => {
    let runs = 0
    for (const result of [given, Promise.resolve(given)]) {
      const inputSchema = { '~standard': { ...z.object({})['~standard'], validate: () => result } }
      const bad = { type: 'function', inputSchema, execute: () => ++runs } as unknown as FunctionTool<never>
      expect(await outputOf(bad)).toMatchObject({ type: 'error', value: { code } })
    }
    expect(runs).toBe(0)
  })

  test('what `toModelOutput` gives is made safe like what a tool returns', async () => {
    const bad = tool({
      inputSchema: anything,
      execute: () => 1,
      toModelOutput: () => ({ type: 'json', value: { id: 7n, at: new Date(0), no: undefined } }),
    })
    expect(await outputOf(bad)).toEqual({ type: 'json', value: { id: '7', at: '1970-01-01T00:00:00.000Z' } })
  })

  test.each([
    undefined,
    null,
    'text',
    Promise.resolve(1),
    { type: 'json' },
    { type: 'odd', value: 1 },
    { type: 'text', value: 1 },
    { type: 'error', value: 'no' },
    { type: 'error', value: ['no'] },
    { type: 'content', value: null },
    { type: 'content', value: { 0: { type: 'text', text: 'a' } } },
    { type: 'content', value: [null] },
    { type: 'content', value: [{ type: 'text' }] },
    { type: 'content', value: [{ type: 'image', data: 'AA==', mediaType: 'image/png' }] },
    { type: 'content', value: [{ type: 'file', data: 'AA==' }] },
  ])('what `toModelOutput` gives is an error of the call when it is no output: %j', async (output) => {
    // What a program without types would return.
    const toModelOutput = (): never => output as never
    const bad = tool({ inputSchema: anything, execute: () => 1, toModelOutput })
    const message = expect.stringContaining('`toModelOutput`')
    expect(await outputOf(bad)).toMatchObject({ type: 'error', value: { code: 'tool-failed', message } })
  })

  test.each([
    ['is still being checked', () => undefined],
    ['is checked by who aborts it', (controller: AbortController) => controller.abort()],
  ])('a tool whose input %s when the run is aborted never runs, and leaves no timer', async (_when, check) => {
    let release = (): void => undefined
    const schema: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => {
          check(controller)
          return new Promise<StandardResult<unknown>>((resolve) => (release = () => resolve({ value })))
        },
        jsonSchema: { input: () => anything },
      },
    }
    let runs = 0
    const bad = tool({ inputSchema: schema, timeout: 1000, execute: () => new Promise(() => runs++) })
    const controller = new AbortController()
    const clock = fakeClock()
    const running = outputOf(bad, { clock, abortSignal: controller.signal } as Partial<StepLoopOptions>)
    const aborting = idle().then(() => controller.abort())
    await Promise.all([expect(running).rejects.toMatchObject({ code: 'aborted' }), aborting])
    const { open } = clock
    release()
    await idle()
    expect([runs, open]).toEqual([0, 0])
  })

  test('an adapter that fails to close does not hide why it failed', async () => {
    const reason = new AdapterError({ provider: 'scripted', model: 'm', code: 'bad-request' })
    const turn = (): AsyncIterable<never> => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(reason),
        return: throws(new Error('return failed')),
      }),
    })
    const failed = makeLoop({ model: { ...scriptedAdapter([]), turn } }).generate('x')
    await expect(failed).rejects.toMatchObject({ code: 'turn-failed', cause: reason })
  })

  test('a tool that gives up when the run is aborted was aborted, and did not fail', async () => {
    const bad = tool({
      inputSchema: anything,
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('gave up')))
        }),
    })
    const controller = new AbortController()
    const loop = makeLoop({ model: scriptedAdapter([[call]]), tools: { bad } })
    const stream = loop.stream('x', { abortSignal: controller.signal })
    const iterator = stream[Symbol.asyncIterator]()
    for (;;) {
      const next = await iterator.next()
      if (next.value?.type === 'tool-state' && next.value.state === 'running') break
    }
    controller.abort()
    const failed: unknown = await stream.result.catch((error: unknown) => error)
    const messages = LoopError.isInstance(failed) ? failed.transcript?.messages : []
    expect(messages?.at(-1)).toMatchObject({ content: [{ output: { value: { code: 'aborted' } } }] })
  })

  test('a tool whose middleware aborts the run before it lets it begin does not run', async () => {
    let runs = 0
    const outputs: unknown[] = []
    const controller = new AbortController()
    const bad = tool({ inputSchema: anything, execute: () => runs++ })
    const loop = makeLoop({
      model: scriptedAdapter([[call]]),
      tools: { bad },
      middleware: {
        async tool(_info, next) {
          controller.abort()
          const output = await next()
          outputs.push(output)
          return output
        },
      },
    })
    await expect(loop.generate('x', { abortSignal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
    await idle()
    expect([runs, outputs]).toMatchObject([0, [{ type: 'error', value: { code: 'aborted' } }]])
  })

  test('an input that cannot be read once it was judged is a failure of its call', async () => {
    let isGone = false
    const odd: object = new Proxy(new URLSearchParams(), {
      getPrototypeOf(target) {
        if (isGone) throw new Error('gone')
        return Reflect.getPrototypeOf(target)
      },
    })
    const seen: unknown[] = []
    const bad = tool({
      inputSchema: z.object({}).transform(() => odd),
      needsApproval: () => !(isGone = true),
      execute: (input) => seen.push(input),
    })
    const output = await outputOf(bad, { onToolExecuted: () => undefined })
    expect([output, seen]).toEqual([{ type: 'error', value: { code: 'tool-failed', message: 'gone' } }, []])
  })
}
