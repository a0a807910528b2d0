import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type RunResult, type StepLoopOptions, type ToolContext } from '@steploop/core'
import {
  cacheToolResults,
  limitToolCalls,
  limitToolOutput,
  type CacheToolResultsOptions,
} from '@steploop/core/policies'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { hang, idle, throws, thenable } from './parts.ts'

export function testCachedResults(makeLoop: MakeWholeLoop): void {
  const call = (input: Record<string, unknown> = { query: 'x' }) => ({ type: 'call', toolName: 'look', input }) as const

  /** A tool that counts its runs. */
  function counted(execute: (input: Record<string, unknown>, context: ToolContext) => unknown = () => 'seen') {
    const seen: Record<string, unknown>[] = []
    const look = tool({
      effect: 'read',
      inputSchema: { type: 'object' },
      execute: (input, context) => {
        seen.push(input)
        return execute(input, context)
      },
    })
    return { seen, look }
  }

  function play(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions>) {
    return makeLoop({ model: scriptedAdapter(script), ...options }).generate('x')
  }

  const outputs = ({ toolResults }: RunResult) =>
    toolResults.map(({ output }) => (output.type === 'error' ? output.value.code : output.value))

  const once: readonly ScriptedTurn[] = [[call()], 'done']

  test('cacheToolResults runs a tool once for the same input, in any order of keys', { tags: ['D17'] }, async () => {
    const { seen, look } = counted()
    const twice = [[call({ a: 1, b: 2 }), call({ b: 2, a: 1 })], [call({ a: 1, b: 2 })], [call({ a: 2, b: 2 })], 'done']
    const result = await play(twice, { tools: { look }, policies: [cacheToolResults()] })
    expect([seen.length, outputs(result)]).toEqual([2, ['seen', 'seen', 'seen', 'seen']])
  })

  test('cacheToolResults keeps as many results as it may, and none longer than it may', async () => {
    const clock = fakeClock()
    const slow = counted(() => clock.advance(10))
    await play([[call()], [call()], 'done'], {
      tools: { look: slow.look },
      policies: [cacheToolResults({ maxAge: 5 })],
      clock,
    })
    expect(slow.seen).toHaveLength(2)
    const untimed = counted()
    await play([[call()], [call()], 'done'], {
      tools: { look: untimed.look },
      policies: [cacheToolResults({ maxAge: 0 })],
    })
    expect(untimed.seen).toHaveLength(2)
    const { seen, look } = counted()
    const script = [[call({ a: 1 })], [call({ a: 2 })], [call({ a: 1 })], 'done']
    await play(script, { tools: { look }, policies: [cacheToolResults({ maxEntries: 1 })] })
    expect(seen).toHaveLength(3)
  })

  /** Calls of a tool, one after the other, with this many milliseconds before each: those that ran. */
  async function ran(
    calls: readonly (readonly [at: unknown, ms?: number])[],
    settings: CacheToolResultsOptions,
    execute?: (input: Record<string, unknown>) => unknown,
  ): Promise<readonly unknown[]> {
    const clock = fakeClock()
    const { seen, look } = counted(execute)
    const turns = calls.map(([at]) => [call({ at })])
    const prepareStep: StepLoopOptions['prepareStep'] = ({ step }) => {
      clock.advance(calls[step]?.[1] ?? 0)
      return undefined
    }
    await play([...turns, 'done'], {
      tools: { look },
      policies: [cacheToolResults(settings)],
      clock,
      prepareStep,
      maxSteps: 128,
      maxRepeatedCalls: 0,
    })
    return seen.map(({ at }) => at)
  }

  test('a result stays good for less than its milliseconds, and is kept anew when it is made anew', async () => {
    expect(await ran([['a'], ['a', 4], ['a', 1]], { maxAge: 5 })).toEqual(['a', 'a'])
    const [age, again] = [{ maxAge: 5, maxEntries: 2 }, [['a', 5], ['c'], ['a']] as const]
    expect(await ran([['a'], ['b'], ...again], age)).toEqual(['a', 'b', 'a', 'c'])
  })

  test('of the results that are kept the one that was used longest ago goes first; what has no result takes no place', async () => {
    const two = { maxEntries: 2 }
    expect(await ran([['a'], ['b'], ['a'], ['c'], ['a'], ['b']], two)).toEqual(['a', 'b', 'c', 'b'])
    const odd = [() => Promise.reject(new Error('no')), () => new Map()]
    for (const fails of odd)
      expect(await ran([['a'], ['x'], ['b'], ['a']], two, ({ at }) => (at === 'x' ? fails() : at))).toEqual([
        'a',
        'x',
        'b',
      ])
    const many = Array.from({ length: 101 }, (_, at) => [at] as const)
    expect(await ran([...many.slice(0, 100), [0], [100], [0], [1]], {})).toHaveLength(102)
  })

  test('a call that fails after its time does not take the result of a later one away', async () => {
    const clock = fakeClock()
    const first = Promise.withResolvers<string>()
    const later: unknown[] = [first.promise, 'page']
    const { seen, look } = counted(() => later.shift())
    const policies = [cacheToolResults({ scope: 'everybody', maxAge: 5 })]
    const run = () => play(once, { tools: { look }, policies, clock, toolTimeout: 0 })
    const slow = run()
    await idle()
    clock.advance(10)
    await run()
    first.reject(new Error('too late'))
    await slow
    expect([outputs(await run()), seen.length]).toEqual([['page'], 2])
  })

  test('a call that waits for another, and is aborted, does not run the tool', async () => {
    const [one, two] = [new AbortController(), new AbortController()]
    const { seen, look } = counted(hang)
    const policies = [cacheToolResults(everybody)]
    const runs = [one, two].map(({ signal: abortSignal }) => {
      const loop = makeLoop({ model: scriptedAdapter(once), tools: { look }, policies, toolTimeout: 0 })
      return loop.generate('x', { abortSignal }).catch(() => undefined)
    })
    await idle()
    two.abort()
    one.abort()
    await Promise.all(runs)
    await idle()
    expect(seen).toHaveLength(1)
  })

  test('nothing listens any more to the signal of a call that has ended', async () => {
    const signals: AbortSignal[] = []
    const { look } = counted(async (_input, { signal }) => void signals.push(signal))
    await play(once, { tools: { look }, policies: [cacheToolResults()], toolTimeout: 0 })
    expect(signals.map((signal) => getEventListeners(signal, 'abort').length)).toEqual([0])
  })

  test('cacheToolResults caches nothing that is not marked as reading', async () => {
    let receipts = 0
    const look = tool({ inputSchema: { type: 'object' }, execute: () => ++receipts })
    const result = await play([[call(), call()], 'done'], { tools: { look }, policies: [cacheToolResults()] })
    expect(outputs(result)).toEqual([1, 2])
  })

  test('cacheToolResults looks at the mark of the application, whatever other policies make of it', async () => {
    const { seen, look } = counted()
    const policies = [limitToolCalls({ look: 9 }), limitToolOutput({ maxCharacters: 2 }), cacheToolResults()]
    const loop = makeLoop({
      model: scriptedAdapter([[call()], 'done', [call()], 'done']),
      tools: { look },
      policies,
    })
    const { transcript } = await loop.generate('x')
    await loop.generate({ transcript, prompt: 'y' }, { temperature: 1 })
    expect(seen).toHaveLength(1)
  })

  const transforms = {
    set: z.array(z.string()).transform((list) => new Set(list)),
    map: z.array(z.string()).transform((list) => new Map(list.map((item) => [item, 1]))),
    expression: z.array(z.string()).transform((list) => new RegExp(list.join('|'))),
    number: z.array(z.string()).transform((list) => Number(list.join(''))),
    bigint: z.array(z.string()).transform((list) => BigInt(list.join('').length)),
    date: z.array(z.string()).transform((list) => new Date(list.join(''))),
  }
  test.each(Object.entries(transforms))(
    'cacheToolResults runs the tool for inputs that JSON cannot tell apart: %s',
    async (_, of) => {
      let runs = 0
      const look = tool({ effect: 'read', inputSchema: z.object({ of }), execute: () => `run ${++runs}` })
      const script = [[call({ of: ['Infinity'] })], [call({ of: ['b'] })], 'done']
      expect(outputs(await play(script, { tools: { look }, policies: [cacheToolResults()] }))).toEqual([
        'run 1',
        'run 2',
      ])
    },
  )

  const run = (tools: StepLoopOptions['tools'], settings: StepLoopOptions['policies']) =>
    play(once, { tools, policies: settings })

  test('results are shared within a conversation by default, by all in one named scope, and by user where a function says who', async () => {
    const runs = async (settings: CacheToolResultsOptions) => {
      const { seen, look } = counted()
      const policies = [cacheToolResults(settings)]
      await run({ look }, policies)
      await run({ look }, policies)
      return seen.length
    }
    let user = 0
    expect(await runs({})).toBe(2)
    expect(await runs({ scope: 'everybody' })).toBe(1)
    expect(await runs({ scope: () => `user ${++user}` })).toBe(2)
    expect(await runs({ scope: () => 'one user' })).toBe(1)
  })

  test('results are shared by nobody where the function that names the user fails, or gives nothing', async () => {
    const scopes = [
      throws(new Error('nobody is signed in')),
      () => undefined as never,
      () => '',
      () => Promise.resolve('user') as never,
    ]
    for (const scope of scopes) {
      const { seen, look } = counted()
      const result = await play([[call()], [call()], 'done'], {
        tools: { look },
        policies: [cacheToolResults({ scope })],
      })
      expect([seen.length, outputs(result)]).toEqual([2, ['seen', 'seen']])
    }
  })

  test('results are shared not between tools that are declared apart, though their names are equal', async () => {
    const policies = [cacheToolResults({ scope: 'everybody' })]
    const [one, two] = [counted(() => 'one'), counted(() => 'two')]
    expect(outputs(await run({ look: one.look }, policies))).toEqual(['one'])
    expect(outputs(await run({ look: two.look }, policies))).toEqual(['two'])
  })

  test('results are shared as copies: what is done to one is not done to the others', async () => {
    const look = tool({
      effect: 'read',
      inputSchema: { type: 'object' },
      execute: () => ({ rows: ['a'] }),
      toModelOutput: (result) => {
        const { rows } = result as { rows: string[] }
        rows.push('b')
        return { type: 'json', value: rows.length }
      },
    })
    const script = [[call(), call()], [call()], 'done']
    const result = await play(script, { tools: { look }, policies: [cacheToolResults()] })
    expect(outputs(result)).toEqual([2, 2, 2])
  })

  const everybody = { scope: 'everybody' }

  test('the cache does not keep failures, whatever they are thrown through', async () => {
    const fails: readonly (() => unknown)[] = [
      throws(new Error('no')),
      () => Promise.reject(new Error('no')),
      () => thenable((_resolve, reject) => reject(new Error('no'))),
    ]
    for (const fail of fails) {
      const { seen, look } = counted(fail)
      await play([[call()], [call()], 'done'], { tools: { look }, policies: [cacheToolResults(everybody)] })
      expect(seen).toHaveLength(2)
    }
  })

  test('the cache does not keep calls whose time was over: the next one runs', async () => {
    const clock = fakeClock()
    let runs = 0
    const { look } = counted(() => (++runs === 1 ? new Promise(() => queueMicrotask(() => clock.advance(50))) : 'page'))
    const policies = [cacheToolResults(everybody)]
    const results: unknown[] = []
    for (let user = 0; user < 3; user++) {
      results.push(...outputs(await play(once, { tools: { look }, policies, clock, toolTimeout: 50 })))
    }
    expect([results, runs]).toEqual([['tool-timeout', 'page', 'page'], 2])
  })

  test('the cache does not keep what a tool gives after its run was aborted; who waits for it runs the tool himself, at once', async () => {
    const controller = new AbortController()
    let runs = 0
    const { look } = counted(async (_input, { signal }) => {
      if (++runs > 1) return 'whole'
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve)
      })
      return 'part'
    })
    const policies = [cacheToolResults(everybody)]
    const loop = () => makeLoop({ model: scriptedAdapter(once), tools: { look }, policies, toolTimeout: 0 })
    const first = loop().generate('x', { abortSignal: controller.signal })
    const waiting = loop().generate('x')
    await idle()
    expect(runs).toBe(1)
    controller.abort()
    await expect(first).rejects.toMatchObject({ code: 'aborted' })
    expect(outputs(await waiting)).toEqual(['whole'])
    expect([outputs(await loop().generate('x')), runs]).toEqual([['whole'], 2])
  })

  test('the cache does not keep results that cannot be copied', async () => {
    class Page {
      readonly #text = 'text'
      toJSON = () => this.#text
    }
    const { seen, look } = counted(() => new Page())
    const result = await play([[call()], [call()], 'done'], { tools: { look }, policies: [cacheToolResults()] })
    expect([seen.length, outputs(result)]).toEqual([2, ['text', 'text']])
  })

  test('work that begins with `then` begins once', async () => {
    let begun = 0
    const { look } = counted(() => thenable((resolve) => (begun++, resolve('rows'))))
    const result = await play([[call()], [call()], 'done'], { tools: { look }, policies: [cacheToolResults()] })
    expect([begun, outputs(result)]).toEqual([1, ['rows', 'rows']])
  })

  test('`tools` may name only what reads and runs here', () => {
    const { look } = counted()
    const write = tool({ inputSchema: { type: 'object' }, execute: () => 1 })
    const make = (names: readonly string[]) => () =>
      makeLoop({
        model: scriptedAdapter([]),
        tools: { look, write },
        policies: [cacheToolResults({ tools: names })],
      })
    expect(make(['look'])).not.toThrow()
    expect(make(['write'])).toThrow("`cacheToolResults` names 'write', which may write. Mark it `effect: 'read'`")
    expect(make(['lok'])).toThrow("names 'lok', which is no tool that this loop runs. There are: look, write.")
  })
}
