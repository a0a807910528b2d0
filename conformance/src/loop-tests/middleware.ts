import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  AdapterError,
  LoopError,
  tool,
  type LoopEvent,
  type Middleware,
  type RunResult,
  type StepLoopOptions,
} from '@steploop/core'
import { addMiddleware } from '@steploop/core/policies'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { WholeLoop, MakeWholeLoop } from '../loop.ts'
import { failing, idle, throws } from './parts.ts'

export function testMiddleware(makeLoop: MakeWholeLoop): void {
  const call = { type: 'call', toolName: 'look', input: {} } as const

  /** Notes what each function sees, and does nothing else. */
  function noting(seen: string[], mark = ''): Middleware {
    const note = (text: string): void => void seen.push(`${mark}${text}`)
    return {
      async run({ transcriptId, mode, messages }, next) {
        note(`run ${transcriptId} ${mode} ${messages.length}`)
        const result = await next()
        note(`run ${result.status}`)
        return result
      },
      async *turn({ step, attempt, model }, next) {
        note(`turn ${step}.${attempt} ${model.provider}`)
        yield* next()
        note('turn over')
      },
      async tool({ step, toolCall, input, idempotencyKey }, next) {
        note(`tool ${step} ${toolCall.toolName} ${JSON.stringify(input)} ${idempotencyKey.split(':')[0]}`)
        const output = await next()
        note(`tool ${output.type}`)
        return output
      },
    }
  }

  function loopOf(turns: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}): WholeLoop {
    const look = tool({ inputSchema: z.object({ at: z.string().default('all') }), execute: () => 'seen' })
    return makeLoop({
      model: scriptedAdapter(turns),
      tools: { look },
      generateId: () => 'chat',
      ...options,
    })
  }

  async function drain(items: AsyncIterable<unknown>): Promise<void> {
    const iterator = items[Symbol.asyncIterator]()
    while (!(await iterator.next()).done);
  }

  const consumers: readonly (readonly [string, (loop: WholeLoop, options?: object) => Promise<unknown>])[] = [
    ['generate', (loop, options) => loop.generate('x', options)],
    ['stream', (loop, options) => loop.stream('x', options).result],
    ['steps', (loop, options) => drain(loop.steps('x', options))],
  ]

  test('middleware stands around the run, each request and each call that runs, with what belongs to them', async () => {
    const seen: string[] = []
    await loopOf([[call, { ...call, toolName: 'ghost' }], 'done'], { middleware: noting(seen) }).generate('x')
    expect(seen).toEqual([
      'run chat generate 1',
      'turn 0.1 scripted',
      'tool 0 look {"at":"all"} chat',
      'tool text',
      'turn 1.1 scripted',
      'run completed',
    ])
  })

  const overloaded = (provider: string): AdapterError =>
    new AdapterError({ provider, model: 'm', code: 'overloaded', retryAfterMs: 0 })

  test('each attempt is one request of its step: retries, models that take over, and the one of an edit', async () => {
    const seen: string[] = []
    const busy = overloaded('scripted')
    const backup = scriptedAdapter([[call], 'never'], { provider: 'backup' })
    const edited = scriptedAdapter(['done'], { provider: 'edited' })
    await loopOf([busy, busy], {
      middleware: noting(seen),
      maxRetries: 1,
      fallbacks: [backup],
      prepareStep: ({ step }) => (step === 1 ? { model: edited } : undefined),
    }).generate('x')
    expect(seen.filter((line) => line.startsWith('turn '))).toEqual([
      'turn 0.1 scripted',
      'turn 0.2 scripted',
      'turn 0.3 backup',
      'turn 1.1 edited',
    ])
  })

  test('a call that starts before its turn has ended is one too', async () => {
    const seen: string[] = []
    const look = tool({ inputSchema: z.object({}), effect: 'read', execute: () => 'seen' })
    const turns: readonly ScriptedTurn[] = [[call, { type: 'text', text: 'more' }, { ...call, id: 'last' }], 'done']
    await loopOf(turns, { middleware: noting(seen), tools: { look }, eagerTools: true }).generate('x')
    expect(seen.filter((line) => line.startsWith('tool 0'))).toHaveLength(2)
  })

  const context = new AsyncLocalStorage<string>()
  const where = (): string => context.getStore() ?? 'nowhere'

  test.each(consumers)(
    'what makes it, in the async context of the call: %s: is asked once per run, and its functions can bring the context back',
    async (_name, play) => {
      const seen: string[] = []
      const model = scriptedAdapter([[call], 'done'])
      const turn = vi.fn(model.turn.bind(model))
      const loop = makeLoop({
        model: {
          ...model,
          turn(request, { mode, signal }) {
            seen.push(`turn ${where()}`)
            return turn(request, { mode, signal })
          },
        },
        tools: { look: tool({ inputSchema: z.object({}), execute: () => void seen.push(`tool ${where()}`) }) },
        middleware: () => {
          const store = where()
          seen.push(`made ${store}`)
          return { run: (_info, next) => context.run(store, next) }
        },
      })
      const reading = context.run('caller', () => play(loop))
      await context.run('reader', () => reading)
      expect(seen).toEqual(['made caller', 'turn caller', 'tool caller', 'turn caller'])
    },
  )

  test('what makes it, in the async context of the call: a stream or steps that somebody else reads keep the context of their call', async () => {
    const seen: string[] = []
    const middleware = (): Middleware => {
      const store = where()
      return { run: (_info, next) => context.run(store, next) }
    }
    const onStepStart = (): void => void seen.push(where())
    const loop = loopOf(['done', 'done'], { middleware, onStepStart })
    const stream = context.run('first', () => loop.stream('x'))
    const steps = context.run('second', () => loop.steps('x'))
    await context.run('reader', async () => {
      await drain(stream)
      await drain(steps)
    })
    expect(seen).toEqual(['first', 'second'])
  })

  test('runs side by side have middleware functions of their own', async () => {
    const made: string[][] = []
    const middleware = (): Middleware => {
      const seen: string[] = []
      made.push(seen)
      return noting(seen)
    }
    const turns = Array.from({ length: 6 }, (_turn, index) => (index < 3 ? ([call] as const) : 'done'))
    const loop = loopOf(turns, { middleware })
    await Promise.all([loop.generate('x'), loop.generate('x'), loop.generate('x')])
    expect(made.map((seen) => seen.filter((line) => line.startsWith('run')))).toEqual(
      Array.from({ length: 3 }, () => ['run chat generate 1', 'run completed']),
    )
  })

  test('a policy puts its own inside of that of the application and of the policies before it', async () => {
    const seen: string[] = []
    const policy = (mark: string) => (options: StepLoopOptions) => addMiddleware(options, () => noting(seen, mark))
    const options = { middleware: noting(seen, 'a '), policies: [policy('b '), policy('c ')] }
    await loopOf(['done'], options).generate('x')
    expect(seen).toEqual([
      'a run chat generate 1',
      'b run chat generate 1',
      'c run chat generate 1',
      'a turn 0.1 scripted',
      'b turn 0.1 scripted',
      'c turn 0.1 scripted',
      'c run completed',
      'b run completed',
      'a run completed',
    ])
    await loopOf([[call], 'done'], options).generate('x')
    const around = seen.filter((line) => line.includes(' tool ')).map((line) => line.slice(0, 8))
    expect(around).toEqual(['a tool 0', 'b tool 0', 'c tool 0', 'c tool t', 'b tool t', 'a tool t'])
  })

  test('where only one of two middlewares has a function of a kind, that one stands there alone', async () => {
    const seen: string[] = []
    const { run, tool: around } = noting(seen)
    const policies = [(options: StepLoopOptions) => addMiddleware(options, () => ({ tool: around }))]
    await loopOf([[call], 'done'], { middleware: { run }, policies }).generate('x')
    await loopOf([[call], 'done'], { policies }).generate('x')
    const calls = ['tool 0', 'tool text']
    expect(seen.map((line) => line.split(' ', 2).join(' '))).toEqual(['run chat', ...calls, 'run completed', ...calls])
  })

  test('middleware is told of the tools, to which it cannot write, and of the signal of the run', async () => {
    const seen: unknown[] = []
    const middleware: Middleware = {
      run: ({ tools }, next) => (seen.push(Object.keys(tools ?? {}), Object.isFrozen(tools)), next()),
      turn: ({ transcriptId, mode, signal }, next) => (seen.push(transcriptId, mode, signal.aborted), next()),
      tool: ({ transcriptId, tool: { type }, signal }, next) => (seen.push(transcriptId, type, signal.aborted), next()),
    }
    await loopOf([[call], 'done'], { middleware }).generate('x')
    const turn = ['chat', 'generate', false]
    expect(seen).toEqual([['look'], true, ...turn, 'chat', 'function', false, ...turn])
  })

  test('what it gives in place of the thing itself: a result: nothing is asked', async () => {
    const earlier = await loopOf(['kept']).generate('x')
    const model = scriptedAdapter([])
    const result = await loopOf([], { model, middleware: { run: async () => earlier } }).generate('x')
    expect([result, model.requests.length]).toEqual([earlier, 0])
  })

  test('what it gives in place of the thing itself: a turn: the model is not asked, and the answer is that one', async () => {
    const other = scriptedAdapter(['kept'])
    const turn: Middleware['turn'] = ({ request, mode }) => other.turn(request, { mode })
    const result = await loopOf([], { middleware: { turn } }).generate('x')
    expect(result).toMatchObject({ text: 'kept', steps: [{ provider: 'scripted' }] })
  })

  test('what it gives in place of the thing itself: an output: the tool is not run; one that is none fails the run', async () => {
    const execute = vi.fn(() => 'run')
    const tools = { look: tool({ inputSchema: z.object({}), execute }) }
    const keep: Middleware['tool'] = async () => ({ type: 'text', value: 'kept' })
    const result = await loopOf([[call], 'done'], { tools, middleware: { tool: keep } }).generate('x')
    expect(result.toolResults).toMatchObject([{ output: { type: 'text', value: 'kept' } }])
    const none = (async () => 'kept') as unknown as Middleware['tool']
    const running = loopOf([[call], 'done'], { tools, middleware: { tool: none } }).generate('x')
    await expect(running).rejects.toThrow(failing('hook-failed', '`middleware.tool` gave no tool output'))
    expect(execute).not.toHaveBeenCalled()
  })

  test('what it writes into an output that `next` gave is made safe like what a tool returns', async () => {
    const tools = { look: tool({ inputSchema: z.object({}), execute: () => ({ kept: true }) }) }
    const write: Middleware['tool'] = async (_info, next) => {
      const output = await next()
      if (typeof output.value === 'object') Object.assign(output.value ?? {}, { big: 1n, gone: () => 1 })
      return output
    }
    const result = await loopOf([[call], 'done'], { tools, middleware: { tool: write } }).generate('x')
    expect(JSON.parse(JSON.stringify(result.toolResults))).toEqual(result.toolResults)
    expect(result.toolResults).toMatchObject([{ output: { type: 'json', value: { kept: true } } }])
  })

  test('each `next` of a run and of a call does it once, however often it is called', async () => {
    const execute = vi.fn(() => 'run')
    const model = scriptedAdapter([[call], 'done'])
    const middleware: Middleware = {
      run: async (_info, next) => (await Promise.all([next(), next()]))[1],
      tool: async (_info, next) => (await Promise.all([next(), next()]))[1],
    }
    await loopOf([], { model, tools: { look: tool({ inputSchema: z.object({}), execute }) }, middleware }).generate('x')
    expect([execute.mock.calls.length, model.requests.length]).toEqual([1, 2])
  })

  const broken = throws(new Error('broken'))

  test('failures of the run pass through it, as they are', async () => {
    let seen: unknown
    const run: Middleware['run'] = async (_info, next) => {
      try {
        return await next()
      } catch (error) {
        seen = error
        throw error
      }
    }
    const failed = loopOf([], { middleware: { run } }).generate('x')
    await expect(failed).rejects.toMatchObject({ code: 'turn-failed' })
    await expect(failed).rejects.toBe(seen)
  })

  test.each([
    ['run', [], { run: broken }],
    ['tool', [[call]], { tool: broken }],
    ['tool', [[call]], { tool: async () => broken() }],
    ['run', ['done'], { run: async (_info: unknown, next: () => Promise<RunResult>) => void (await next()) }],
  ] as const)(
    'failures of `%s` end the run as `hook-failed`, with its name and the transcript',
    async (name, turns, given) => {
      const failed = loopOf(turns, { middleware: given as unknown as Middleware }).generate('x')
      await expect(failed).rejects.toMatchObject({
        code: 'hook-failed',
        message: expect.stringMatching(`^\`middleware.${name}\` failed: (broken$|it returned )`),
        transcript: { messages: expect.arrayContaining([{ role: 'user', content: 'x' }]), pendingCalls: [] },
      })
      const { transcript } = await failed.catch((error: unknown) => error as LoopError)
      const again = await loopOf(['done']).generate({ messages: transcript?.messages ?? [], prompt: 'more' })
      expect(again.warnings).toEqual([])
    },
  )

  test('failures of a call that was begun early end the run too', async () => {
    const look = tool({ inputSchema: z.object({}), effect: 'read', execute: () => 'seen' })
    const turns: readonly ScriptedTurn[] = [[call, { ...call, id: 'second' }], 'done']
    const failed = loopOf(turns, { tools: { look }, eagerTools: true, middleware: { tool: broken } }).generate('x')
    await expect(failed).rejects.toMatchObject({ code: 'hook-failed' })
  })

  test('failures of `turn` are judged like those of an adapter', async () => {
    let asked = 0
    const turn: Middleware['turn'] = (_info, next) => {
      if (asked++ === 0) throw overloaded('scripted')
      return next()
    }
    expect((await loopOf(['done'], { middleware: { turn } }).generate('x')).text).toBe('done')
    const failed = loopOf(['done'], { middleware: { turn: broken } }).generate('x')
    await expect(failed).rejects.toMatchObject({ code: 'turn-failed', cause: { message: 'broken' } })
  })

  const never = new Promise<never>(() => undefined)

  const hangs = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) })

  test.each([
    ['before the run began', { run: () => never }],
    ['in a request', { turn: hangs }],
    ['in a call', { tool: () => never }],
  ] as const)('an abort does not wait for a function that never settles %s', async (_where, middleware) => {
    const controller = new AbortController()
    const running = loopOf([[call], 'done'], { middleware }).generate('x', { abortSignal: controller.signal })
    setTimeout(() => controller.abort(), 5)
    await expect(running).rejects.toMatchObject({ code: 'aborted', transcript: { messages: expect.anything() } })
  })

  test('an abort before the run: it does not begin any more, whenever `next` is called', async () => {
    const model = scriptedAdapter(['done'])
    const late = Promise.withResolvers<undefined>()
    const rejected: unknown[] = []
    const run: Middleware['run'] = async (_info, next) => {
      await late.promise
      return next().catch((error: unknown) => {
        rejected.push(error)
        throw error
      })
    }
    const running = loopOf([], { model, middleware: { run } }).generate('x', { abortSignal: AbortSignal.abort() })
    await expect(running).rejects.toMatchObject({ code: 'aborted' })
    late.resolve(undefined)
    await new Promise((resolve) => void setTimeout(resolve))
    expect([model.requests.length, rejected]).toMatchObject([0, [{ code: 'aborted' }]])
  })

  test('an abort in the run is seen by the function around it, before the run is over', async () => {
    const seen: string[] = []
    const controller = new AbortController()
    const run: Middleware['run'] = async (_info, next) => {
      try {
        return await next()
      } finally {
        seen.push('end')
      }
    }
    const running = loopOf([{ parts: [], hang: true }], { middleware: { run } }).generate('x', {
      abortSignal: controller.signal,
    })
    setTimeout(() => controller.abort(), 5)
    await running.catch(() => seen.push('rejected'))
    expect(seen).toEqual(['end', 'rejected'])
  })

  test('an abort: a run that its middleware does not wait for is aborted', async () => {
    const model = scriptedAdapter([[call], 'never'])
    const earlier = await loopOf(['kept']).generate('x')
    const execute = vi.fn(() => new Promise((resolve) => setTimeout(resolve, 20)))
    const run: Middleware['run'] = async (_info, next) => {
      next().catch(() => undefined)
      await vi.waitFor(() => expect(execute).toHaveBeenCalled(), { interval: 1 })
      return earlier
    }
    const tools = { look: tool({ inputSchema: z.object({}), execute }) }
    expect(await loopOf([], { model, tools, middleware: { run } }).generate('x')).toBe(earlier)
    await execute.mock.results[0]?.value
    await idle()
    expect(model.requests).toHaveLength(1)
  })

  test('events and results are those of a run without it', async () => {
    const read = async (middleware: Middleware | undefined): Promise<readonly LoopEvent[]> => {
      const events: LoopEvent[] = []
      for await (const event of loopOf([[call, call], overloaded('scripted'), 'done'], { middleware }).stream('x'))
        events.push(event)
      return events
    }
    expect(JSON.stringify(await read(noting([])))).toBe(JSON.stringify(await read(undefined)))
  })
}
