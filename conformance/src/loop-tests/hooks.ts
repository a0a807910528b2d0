import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  tool,
  type Hooks,
  type LoopControl,
  type LoopError,
  type LoopEvent,
  type Middleware,
  type StepContext,
  type StepLoopOptions,
} from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failing, idle, throws } from './parts.ts'

export function testHooks(makeLoop: MakeWholeLoop): void {
  let runs = 0
  const look = tool({ inputSchema: z.object({}), execute: () => ++runs })
  const call = { type: 'call', toolName: 'look', input: {} } as const

  async function play(hooks: Hooks) {
    runs = 0
    const model = scriptedAdapter([[{ type: 'text', text: 'let me see' }, call], 'done'])
    const result = await makeLoop({ model, tools: { look }, ...hooks }).generate('x')
    return { result, requests: model.requests.length, executions: runs, roles: result.messages.map(({ role }) => role) }
  }

  test('hooks are called in order and see the run read-only', { tags: ['K01', 'D18', 'K03', 'K05'] }, async () => {
    const seen: string[] = []
    const note = (name: string) => (context: { readonly step: number; readonly messages: readonly unknown[] }) => {
      seen.push(`${name} ${context.step} ${context.messages.length}`)
    }
    await play({
      onStepStart: note('start'),
      onResponse: note('response'),
      onToolExecuted: (context) => {
        note(`tool ${context.toolCall?.toolName} ${context.toolResult?.output.type}`)(context)
      },
      onStepEnd: (context) => {
        expect(context.transcript.messages).toEqual(context.messages)
        expect(context.response).toEqual(context.messages.findLast(({ role }) => role === 'assistant'))
        expect(context.request?.messages).toEqual(context.messages.slice(0, context.step === 1 ? 1 : 3))
        expect(context.transcript).not.toBe(context.transcript)
        expect([context.model.provider, Object.keys(context.tools)]).toEqual(['scripted', ['look']])
        expect(context.steps.map(({ number }) => number)).toEqual(context.step === 1 ? [0] : [0, 1])
      },
    })
    expect(seen).toEqual(['start 0 1', 'response 0 2', 'tool look json 0 2', 'start 1 3', 'response 1 4'])
  })

  const stop: LoopControl = { type: 'stop', reason: 'enough' }
  const ended = { status: 'completed', stopReason: 'hook', stopDetail: 'enough' }

  test('a hook that stops before the request: none is made', { tags: ['K02', 'K06'] }, async () => {
    const { result, requests } = await play({ onStepStart: () => stop })
    expect(result).toMatchObject(ended)
    expect(requests).toBe(0)
  })

  test('a hook that stops after the response: its calls are answered, not run', async () => {
    const { result, executions, requests } = await play({ onResponse: () => stop })
    expect(result).toMatchObject({ ...ended, toolResults: [{ output: { value: { code: 'not-executed' } } }] })
    expect([executions, requests]).toEqual([0, 1])
  })

  test('a hook that stops after the tools, or at the end of the step: no further request', async () => {
    for (const hooks of [{ onToolExecuted: () => stop }, { onStepEnd: async () => stop }]) {
      const { result, executions, requests } = await play(hooks)
      expect(result).toMatchObject({ ...ended, text: 'let me see' })
      expect([executions, requests]).toEqual([1, 1])
    }
  })

  test('a hook that stops leaves open what waits for the caller', async () => {
    const ask = tool({ inputSchema: z.object({}) })
    const model = scriptedAdapter([[{ ...call, toolName: 'ask' }]])
    const result = await makeLoop({ model, tools: { ask }, onStepEnd: () => stop }).generate('x')
    expect(result).toMatchObject({ status: 'requires-action', stopReason: 'client-tool' })
    expect(result.transcript.pendingCalls).toHaveLength(1)
  })

  test('a hook may override the answer, which becomes the last message', { tags: ['K02'] }, async () => {
    const { result, roles } = await play({ onToolExecuted: () => ({ type: 'override', response: 'mine' }) })
    expect(result).toMatchObject({ text: 'mine', stopReason: 'hook' })
    expect(roles).toEqual(['assistant', 'tool', 'assistant'])
  })

  test('an override answers what waits for the caller, in its place', async () => {
    const ask = tool({ inputSchema: z.object({}) })
    const model = scriptedAdapter([[call, { ...call, toolName: 'ask' }, call]])
    const onStepEnd = (): LoopControl => ({ type: 'override', response: 'mine' })
    const stream = makeLoop({ model, tools: { look, ask }, onStepEnd }).stream('x')
    const ofCall: LoopEvent[] = []
    for await (const event of stream) if ('toolCallId' in event && event.toolCallId === 'call_0_1') ofCall.push(event)
    const { status, transcript, messages } = await stream.result
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
    expect([status, transcript.pendingCalls, Object.isFrozen(transcript)]).toEqual(['completed', [], true])
    const results = transcript.messages.flatMap((message) => (message.role === 'tool' ? message.content : []))
    expect(results.map(({ toolCallId, output }) => `${toolCallId} ${output.type}`)).toEqual([
      'call_0_0 json',
      'call_0_1 error',
      'call_0_2 json',
    ])
    expect(ofCall.slice(-2)).toMatchObject([
      { type: 'tool-state', toolName: 'ask', state: 'failed' },
      { type: 'tool-result', toolName: 'ask', owner: 'client', output: { type: 'error' } },
    ])
  })

  test.each(['tool-result', 'text-end'] as const)('an abort at the %s of an override is an abort', async (last) => {
    const controller = new AbortController()
    const model = scriptedAdapter([[{ ...call, toolName: 'ask' }]])
    const onStepEnd = (): LoopControl => ({ type: 'override', response: 'mine' })
    const loop = makeLoop({ model, tools: { ask: tool({ inputSchema: z.object({}) }) }, onStepEnd })
    const types: string[] = []
    for await (const { type } of loop.stream('x', { abortSignal: controller.signal })) {
      types.push(type)
      if (type === last) controller.abort()
    }
    expect(types.slice(-2)).toEqual([last, 'run-error'])
  })

  test('a hook that continues changes nothing', async () => {
    const { result } = await play({ onResponse: () => ({ type: 'continue' }) })
    expect(result).toMatchObject({ text: 'done', stopReason: 'answer', stopDetail: undefined })
  })

  test('a hook that throws ends the run with its name, every call answered', { tags: ['K07'] }, async () => {
    const failed = play({ onResponse: throws(new Error('broken')) })
    await expect(failed).rejects.toMatchObject({
      code: 'hook-failed',
      message: expect.stringContaining('onResponse'),
      cause: new Error('broken'),
      transcript: { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }] },
    })
  })

  test('an abort does not wait for a hook that never returns', async () => {
    const controller = new AbortController()
    const model = scriptedAdapter(['done'])
    const onStepStart = () => {
      controller.abort()
      return new Promise<undefined>(() => undefined)
    }
    const running = makeLoop({ model, onStepStart }).generate('x', { abortSignal: controller.signal })
    await expect(running).rejects.toMatchObject({ code: 'aborted' })
  })

  test.each([
    ['a number', 1],
    ['a word', 'stop'],
    ['an unknown type', { type: 'halt' }],
    ['a stop without a reason', { type: 'stop' }],
  ])(
    'a hook that returns what is no decision: %s: fails the run, and is told what to return',
    async (_what, returned) => {
      const onStepEnd = (() => returned) as unknown as NonNullable<Hooks['onStepEnd']>
      await expect(play({ onStepEnd })).rejects.toThrow(failing('hook-failed', "Return nothing, { type: 'continue' }"))
    },
  )

  test('a hook that returns what is no decision: a hook that returns null decides nothing', async () => {
    const onStepEnd = (() => null) as unknown as NonNullable<Hooks['onStepEnd']>
    expect((await play({ onStepEnd })).result).toMatchObject({ stopReason: 'answer', text: 'done' })
  })

  const named = (id?: string) => ({ type: 'call', toolName: 'slow', input: id === undefined ? {} : { id } }) as const

  async function playCalls(
    ids: readonly (string | undefined)[],
    options: Partial<StepLoopOptions>,
    order: string[] = [],
  ) {
    const slow = tool({
      inputSchema: z.object({ id: z.string().default('none') }),
      execute: async ({ id }) => {
        order.push(`run ${id}`)
        await Promise.resolve()
        if (id === 'bad') throw new Error('no')
        return id
      },
    })
    const model = scriptedAdapter([ids.map(named), 'done'])
    const loop = makeLoop({ model, tools: { slow }, maxToolConcurrency: 1, ...options })
    return loop.generate('x').catch((error: unknown) => error as LoopError)
  }

  const inputOf = ({ toolCall }: StepContext): unknown => (toolCall?.input as { id?: string } | undefined)?.id

  test('`onToolStart` and `onToolExecuted` are asked per tool, when it happens, about the input that the tool gets', async () => {
    const order: string[] = []
    const onToolStart = (context: StepContext): void => void order.push(`start ${String(inputOf(context))}`)
    const onToolExecuted = (context: StepContext): void => void order.push(`done ${String(inputOf(context))}`)
    await playCalls(['a', undefined], { onToolStart, onToolExecuted }, order)
    expect(order).toEqual(['start a', 'run a', 'done a', 'start none', 'run none', 'done none'])
  })

  test('`onToolStart` and `onToolExecuted` are asked about the tool whose failure ends the run', async () => {
    const order: string[] = []
    const onToolExecuted: Hooks['onToolExecuted'] = ({ toolResult }) => void order.push(toolResult?.output.type ?? '')
    const failed = await playCalls(['bad'], { onToolError: 'throw', onToolExecuted }, order)
    expect([failed, order]).toMatchObject([{ code: 'tool-failed' }, ['run bad', 'error']])
  })

  test.each(['onToolStart', 'onToolExecuted'] as const)(
    '`onToolStart` and `onToolExecuted`: a stop by `%s` keeps later calls from starting',
    async (name) => {
      const order: string[] = []
      const result = await playCalls(['a', 'b'], { [name]: () => ({ type: 'stop', reason: 'enough' }) }, order)
      expect(order).toEqual(name === 'onToolStart' ? [] : ['run a'])
      expect(result).toMatchObject({ stopReason: 'hook', stopDetail: 'enough' })
    },
  )

  test('`onToolStart` and `onToolExecuted`: a call that `onToolStart` answers is not run', async () => {
    const order: string[] = []
    const onToolStart: Hooks['onToolStart'] = (context) =>
      inputOf(context) === 'a' ? { type: 'answer', output: { known: 1 } } : undefined
    const result = await playCalls(['a', 'b'], { onToolStart }, order)
    expect(order).toEqual(['run b'])
    expect(result).toMatchObject({ toolResults: [{ output: { value: { known: 1 } } }, { output: { value: 'b' } }] })
  })

  test('`onToolStart` and `onToolExecuted`: only `onToolStart` can answer', async () => {
    const answer = { type: 'answer', output: 1 } as unknown as LoopControl
    expect(await playCalls(['a'], { onToolExecuted: () => answer })).toMatchObject({ code: 'hook-failed' })
  })

  test('an override reaches whoever reads the stream', async () => {
    const loop = makeLoop({
      model: scriptedAdapter(['the model’s']),
      onStepEnd: () => ({ type: 'override', response: 'mine' }),
    })
    const stream = loop.stream('x')
    let text = ''
    for await (const delta of stream.textStream) text += delta
    expect(text).toBe('the model’smine')
    expect((await stream.result).text).toBe('mine')
    const slots: string[] = []
    for await (const event of loop.stream('x', { model: scriptedAdapter(['a']) }))
      if ('part' in event) slots.push(`${event.type} ${event.part}`)
    const parts = ['text-start', 'text-delta', 'text-end']
    expect(slots).toEqual([...parts.map((type) => `${type} 0`), ...parts.map((type) => `${type} 1`)])
  })

  test.each<[string, Hooks['onToolExecuted'], string]>([
    ['fails', throws(new Error('mine')), 'aborted'],
    ['stops the run', () => ({ type: 'stop', reason: 'enough' }), 'not-executed'],
  ])('a hook that %s after the first call: the others were not begun, and say why', async (_what, hook, code) => {
    const order: string[] = []
    const { transcript } = await playCalls(['a', 'b', 'c'], { onToolExecuted: hook }, order)
    const last = transcript?.messages.at(-1)
    const values = last?.role === 'tool' ? last.content.map(({ output }) => output.value) : []
    expect(values).toMatchObject(['a', { code }, { code }])
    expect(order).toEqual(['run a'])
  })

  const beside = (options: Partial<StepLoopOptions>) => {
    const late = tool({
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => (id === 'b' ? (await idle(), id) : id),
    })
    const turn = ['a', 'b'].map((id) => ({ type: 'call', toolName: 'late', input: { id } }) as const)
    return makeLoop({ model: scriptedAdapter([turn, 'done']), tools: { late }, ...options }).generate('x')
  }

  test('`onToolStart` and `onToolExecuted` are asked one after the other, although tools run side by side', async () => {
    const order: string[] = []
    const decide = (what: string) => async (context: StepContext) => {
      order.push(`${what} ${String(inputOf(context))}`)
      await idle()
      order.push('decided')
    }
    await playCalls(['a', 'b'], {
      maxToolConcurrency: 2,
      onToolStart: decide('start'),
      onToolExecuted: decide('done'),
    })
    expect(order.filter((_what, index) => index % 2 === 1)).toEqual(order.slice(0, 4).map(() => 'decided'))
  })

  test('a hook that fails ends the run, also where a tool beside it is done after that', async () => {
    const onToolExecuted: Hooks['onToolExecuted'] = (context) => {
      if (inputOf(context) === 'a') throw new Error('mine')
    }
    await expect(beside({ onToolExecuted })).rejects.toMatchObject({ code: 'hook-failed', cause: { message: 'mine' } })
  })

  test('a hook that fails after the middleware did: the run fails with what failed first', async () => {
    const onToolExecuted: Hooks['onToolExecuted'] = async () => {
      await idle()
      await idle()
      throw new Error('second')
    }
    const around: NonNullable<Middleware['tool']> = async ({ input }, next) => {
      const output = await next()
      if ((input as { readonly id: string }).id === 'b') throw new Error('first')
      return output
    }
    const failed = beside({ onToolExecuted, middleware: { tool: around } })
    await expect(failed).rejects.toMatchObject({ cause: { message: 'first' } })
  })

  test('`onToolExecuted` is asked about a call that was answered, which readers are told of once', async () => {
    const asked: unknown[] = []
    const loop = makeLoop({
      model: scriptedAdapter([[{ ...call, toolName: 'ghost' }, call], 'done']),
      tools: { look },
      onToolExecuted: ({ toolCall }) => void asked.push(toolCall?.toolName),
    })
    const told: string[] = []
    for await (const event of loop.stream('x')) if (event.type === 'tool-result') told.push(event.toolName)
    expect([asked, told]).toEqual([
      ['ghost', 'look'],
      ['ghost', 'look'],
    ])
  })
}
