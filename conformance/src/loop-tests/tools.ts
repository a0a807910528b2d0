import type { AnyTool, Clock } from '@steploop/core'
import { tool } from '@steploop/core'
import { fakeClock, scriptedAdapter } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { MakeWholeLoop } from '../loop.ts'
import { call, failing, idle, throws } from './parts.ts'

export function testTools(makeLoop: MakeWholeLoop): void {
  async function run(t: AnyTool, input: Record<string, unknown>, options: { timeout?: number; clock?: Clock } = {}) {
    const { timeout = 1000, clock = fakeClock() } = options
    const model = scriptedAdapter([[{ type: 'call', toolName: 't', input }], 'done'])
    const { toolResults } = await makeLoop({ model, tools: { t }, toolTimeout: timeout, clock }).generate('x')
    return { output: toolResults[0]?.output }
  }

  const city = z.object({ city: z.string().default('Rome') })

  test('a tool gets its validated input, and its text or JSON is the output', { tags: ['D06'] }, async () => {
    const text = tool({ inputSchema: city, execute: ({ city: name }) => `in ${name}` })
    expect(await run(text, {})).toEqual({ output: { type: 'text', value: 'in Rome' } })
    const data = tool({ inputSchema: city, execute: async () => ({ big: 1n, gone: undefined }) })
    expect(await run(data, {})).toEqual({ output: { type: 'json', value: { big: '1' } } })
  })

  const circular: Record<string, unknown> = { name: 'loop' }
  circular['self'] = circular

  test.each([
    [undefined, null],
    [10n, '10'],
    [Number.NaN, null],
    [Symbol('s'), null],
    [() => 1, null],
    [new Error('broken'), { name: 'Error', message: 'broken' }],
    [Object.assign(new Error('broken'), { name: ['odd'] }), { name: ['odd'], message: 'broken' }],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Map([['a', { b: 1n }]]), { a: { b: '1' } }],
    [new Set([1, undefined, { a: 1n }]), [1, null, { a: '1' }]],
    [{ a: undefined, b: () => 1, c: [undefined] }, { c: [null] }],
    [{ a: 1, [Symbol('s')]: 2 }, { a: 1 }],
    [new Uint8Array([1, 2, 255]), 'AQL/'],
    [{ file: Buffer.from('hi') }, { file: 'aGk=' }],
    [new Uint8Array([0, 1, 2, 255, 0]).subarray(1, 4), 'AQL/'],
    [new Uint8ClampedArray([1, 2, 255]), 'AQL/'],
    [new DataView(new ArrayBuffer(1)), 'AA=='],
    [new ArrayBuffer(0), ''],
    [Uint8Array.of(1, 2).buffer, 'AQI='],
    [new Float64Array([0.5, Number.NaN]), [0.5, null]],
    [new Int16Array([-1]), [-1]],
    [new BigInt64Array([5n]), ['5']],
    [circular, { name: 'loop', self: '[circular]' }],
  ])('what a tool returns is plain data for the model: %o is %j', { tags: ['E21'] }, async (value, expected) => {
    const odd = tool({ inputSchema: city, execute: () => value })
    expect(await run(odd, {})).toEqual({ output: { type: 'json', value: expected } })
  })

  test('what a tool has for a provider goes out with it', async () => {
    const model = scriptedAdapter(['done'])
    const given = { description: 'Looks.', strict: true, providerOptions: { scripted: { fast: true } } } as const
    await makeLoop({ model, tools: { t: tool({ inputSchema: city, ...given }) } }).generate('x')
    expect(model.requests[0]?.request.tools).toMatchObject([{ name: 't', ...given }])
  })

  test('a schema that names no path and no reason is reported as such', async () => {
    const inputSchema = { '~standard': { ...city['~standard'], validate: () => ({ issues: [] }) } }
    const { output } = await run(tool({ inputSchema, execute: () => 1 }), {})
    expect(output?.value).toMatchObject({
      code: 'invalid-input',
      message: 'The input is not valid: no reason given. The call was not run; correct the input and call again.',
    })
  })

  test('a tool is not run with invalid input; the answer names path and reason', { tags: ['E04'] }, async () => {
    let runs = 0
    const strict = tool({ inputSchema: z.object({ at: z.object({ day: z.number() }) }), execute: () => runs++ })
    const { output } = await run(strict, { at: { day: 'Monday' } })
    expect(output).toMatchObject({ type: 'error', value: { code: 'invalid-input', issues: [{ path: 'at.day' }] } })
    expect(runs).toBe(0)
  })

  test('a tool with a plain JSON Schema gets the input as it came', async () => {
    const plain = tool({ inputSchema: { type: 'object' }, execute: (input) => input['x'] })
    expect(await run(plain, { x: 'y' })).toEqual({ output: { type: 'text', value: 'y' } })
  })

  test.each([
    ['throws', throws(new Error('no')), 'no'],
    ['rejects', () => Promise.reject(new Error('no')), 'no'],
    ['throws nothing to read', throws(new Error('')), 'The tool failed without a message.'],
  ])('a tool that %s is answered with an error and its message', { tags: ['D06'] }, async (_how, execute, message) => {
    const { output } = await run(tool({ inputSchema: city, execute }), {})
    expect(output).toEqual({ type: 'error', value: { code: 'tool-failed', message } })
  })

  test('a tool that never returns has its answer and its signal when its time is over', { tags: ['M10'] }, async () => {
    const clock = fakeClock()
    const begun = Promise.withResolvers<AbortSignal>()
    const hanging = tool({
      inputSchema: city,
      execute: (_input, { signal }) => {
        begun.resolve(signal)
        return new Promise(() => undefined)
      },
    })
    const running = run(hanging, {}, { timeout: 50, clock })
    const signal = await begun.promise
    clock.advance(49)
    expect(signal.aborted).toBe(false)
    clock.advance(1)
    expect((await running).output).toMatchObject({ type: 'error', value: { code: 'tool-timeout' } })
    expect(signal.aborted).toBe(true)
    expect(clock.open).toBe(0)
  })

  test('what a tool returns when its time is over is dropped, and not made ready for the model', async () => {
    const clock = fakeClock()
    const { promise, resolve } = Promise.withResolvers<string>()
    const made: unknown[] = []
    const late = tool({
      inputSchema: city,
      execute: () => promise,
      toModelOutput: (result) => (made.push(result), { type: 'text', value: 'late' }),
    })
    const running = run(late, {}, { timeout: 50, clock })
    await idle()
    clock.advance(50)
    resolve('too late')
    expect((await running).output).toMatchObject({ value: { code: 'tool-timeout' } })
    await idle()
    expect(made).toEqual([])
  })

  test('a tool that is done leaves no timer, nor does its run', async () => {
    const clock = fakeClock()
    await run(tool({ inputSchema: city, execute: async () => 1 }), {}, { clock, timeout: 1000 })
    expect(clock.open).toBe(0)
  })

  test('a tool may make what the model sees itself', async () => {
    const image = { type: 'file', mediaType: 'image/png', data: 'AA==' } as const
    const shown = tool({
      inputSchema: city,
      execute: () => 1,
      toModelOutput: () => ({ type: 'content', value: [image] }),
    })
    expect(await run(shown, {})).toEqual({ output: { type: 'content', value: [image] } })
  })

  test('validation that takes long leaves less time to the tool: the call as a whole has one limit', async () => {
    const clock = fakeClock()
    const validating = Promise.withResolvers<void>()
    const validated = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const slow = z.object({}).refine(async () => {
      validating.resolve()
      await validated.promise
      return true
    })
    const hanging = tool({
      inputSchema: slow,
      execute: () => {
        begun.resolve()
        return new Promise(() => undefined)
      },
    })
    const running = run(hanging, {}, { timeout: 50, clock })
    await validating.promise
    clock.advance(40)
    validated.resolve()
    await begun.promise
    clock.advance(10)
    expect(clock.open).toBe(0)
    expect((await running).output).toMatchObject({ type: 'error', value: { code: 'tool-timeout' } })
  })

  test('hooks, schema, `denyCall`, approval and tool share the one time of their call, and the tool has its input', async () => {
    const clock = fakeClock()
    const inTen = <Value>(value: Value): Promise<Value> =>
      new Promise((resolve) => void clock.after(10, () => resolve(value)))
    const begun: { readonly input: unknown; readonly signal: AbortSignal }[] = []
    const t = tool({
      inputSchema: z.object({ city: z.string() }).refine(() => inTen(true)),
      needsApproval: () => inTen(false),
      execute: (input, { signal }) => (begun.push({ input, signal }), new Promise(() => undefined)),
    })
    const running = makeLoop({
      model: scriptedAdapter([[call('t')], 'done']),
      tools: { t },
      toolTimeout: 60,
      clock,
      refineInput: () => inTen({ city: 'Rome' }),
      denyCall: () => inTen(undefined),
      onToolStart: () => inTen(undefined),
    }).generate('x')
    for (let time = 0; time < 5; time++) {
      await idle()
      expect(begun).toEqual([])
      clock.advance(10)
    }
    await idle()
    clock.advance(9)
    expect(begun).toMatchObject([{ input: { city: 'Rome' }, signal: { aborted: false } }])
    clock.advance(1)
    expect(begun).toMatchObject([{ signal: { aborted: true } }])
    expect((await running).toolResults).toMatchObject([{ output: { value: { code: 'tool-timeout' } } }])
  })

  test.each<[string, object, string]>([
    ['has none', {}, "tool 't': schemas of 'acme' give no JSON Schema"],
    [
      'fails to make one',
      { jsonSchema: { input: throws(new Error('a date')) } },
      "tool 't': its schema has no JSON Schema form: a date",
    ],
    ['makes none', { jsonSchema: { input: () => undefined } }, "tool 't': its schema has no JSON Schema form"],
  ])('a schema that %s is refused before the model is asked', async (_what, own, message) => {
    const inputSchema = {
      '~standard': { version: 1, vendor: 'acme', validate: (value: unknown) => ({ value }), ...own },
    }
    const model = scriptedAdapter(['never'])
    const asked = async () =>
      makeLoop({ model, tools: { t: { type: 'function', inputSchema } as AnyTool } }).generate('x')
    await expect(asked()).rejects.toThrow(failing('invalid-options', message))
    expect(model.requests).toHaveLength(0)
  })
}
