import { expect, test } from 'vitest'
import { z } from 'zod'
import type { TurnEvent } from '@steploop/core/adapter'
import {
  AdapterError,
  tool,
  type LoopEvent,
  type Middleware,
  type RunResult,
  type StepLoopOptions,
  type ToolContext,
} from '@steploop/core'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { call, hasty, idle } from './parts.ts'

export function testEagerTools(makeLoop: MakeWholeLoop): void {
  /** What happens, in order: events of the stream and runs of the tools. */
  async function play(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) {
    const log: string[] = []
    const clock = fakeClock()
    const signals: AbortSignal[] = []
    const run = (name: string) => (_input: unknown, context: { readonly signal: AbortSignal }) => {
      log.push(`run ${name}`)
      signals.push(context.signal)
      return name === 'hang' ? new Promise(() => undefined) : name
    }
    const inputSchema = z.object({})
    const tools = {
      look: tool({ inputSchema, effect: 'read', execute: run('look') }),
      hang: tool({ inputSchema, effect: 'read', execute: run('hang') }),
      write: tool({ inputSchema, execute: run('write') }),
    }
    const loop = makeLoop({
      model: scriptedAdapter(script),
      tools,
      eagerTools: true,
      maxRetries: 0,
      clock,
      ...options,
    })
    const stream = loop.stream('x')
    const events: LoopEvent[] = []
    for await (const event of stream) {
      log.push(label(event))
      events.push(event)
    }
    const result = await stream.result.catch((error: unknown) => error)
    return { log, events, result, signals }
  }

  function label(event: LoopEvent): string {
    if (event.type === 'tool-state') return `${event.state} ${event.toolName}`
    return event.type === 'text-delta' ? event.text : event.type
  }

  const reading = tool({ inputSchema: z.object({}), effect: 'read', execute: () => 'look' })

  const turn = [call('look'), call('write'), { type: 'text', text: 'ab' }] as const

  test('eager tools that only read start before the turn has ended; others wait for its end', async () => {
    const { log } = await play([turn, 'done'])
    expect(log.indexOf('run look')).toBeLessThan(log.indexOf('text-end'))
    expect(log.indexOf('run write')).toBeGreaterThan(log.indexOf('text-end'))
  })

  const bad = { ...call('look'), input: '{bad' }

  test.each<[string, Partial<StepLoopOptions>, number]>([
    ['as far as a step may run calls', { maxToolCallsPerStep: 1 }, 1],
    ['as far as a run may run calls', { maxToolCalls: 2 }, 2],
    ['as far as calls may run at the same time', { maxToolConcurrency: 2 }, 2],
    ['one at a time', { maxToolConcurrency: 1 }, 1],
    ['with no hook that may answer them', { onToolStart: () => undefined }, 0],
    ['that need no approval', { tools: { look: { ...reading, needsApproval: () => false } } }, 0],
    ['that never need one', { tools: { look: { ...reading, needsApproval: false } } }, 3],
    ['that the loop knows', { tools: {} }, 0],
    ['that only read', { tools: { look: { ...reading, effect: 'write' } } }, 0],
    ['that the caller does not run', { tools: { look: { ...reading, execute: undefined } } }, 0],
    ['that the model was offered', { activeTools: ['write'] }, 0],
    ['not at all where a step may run none', { maxToolCallsPerStep: 0 }, 0],
  ])('eager tools start early %s', async (_what, options, most) => {
    // The last call of a turn waits for its end in any case.
    const calls = [call('look'), call('look'), call('look'), call('look')]
    const { log } = await play([[...calls, { type: 'text', text: 'ab' }], 'done'], { maxSteps: 3, ...options })
    const begun = log.slice(0, log.indexOf('text-end')).filter((line) => line === 'running look')
    expect(begun).toHaveLength(most)
  })

  test('eager tools are counted together with those of the turns before', async () => {
    const { log } = await play([[call('look'), call('write')], [call('look'), call('look'), call('look')], 'done'], {
      maxToolCalls: 3,
    })
    expect(
      log.slice(log.indexOf('step-end'), log.lastIndexOf('step-end')).filter((line) => line === 'running look'),
    ).toHaveLength(1)
  })

  test('eager tools leave out of account what the provider runs', async () => {
    const search = { ...call('search'), owner: 'provider' } as const
    const { log } = await play([[search, ...turn], 'done'], { maxToolCallsPerStep: 1 })
    expect(log.indexOf('run look')).toBeLessThan(log.indexOf('text-end'))
    expect(log).toContain('run look')
  })

  test('eager tools need not wait for the end of the call that follows theirs', async () => {
    const error = new AdapterError({ provider: 'p', model: 'm', code: 'incomplete-stream' })
    const { log } = await play([turn], {
      middleware: {
        async *turn(_info, next) {
          for await (const batch of next()) {
            const begun = batch.some((event) => event.type === 'tool-call' && event.toolName === 'write')
            yield begun ? batch.slice(0, 1) : batch
            if (begun) throw error
          }
        },
      },
    })
    expect(log).toContain('run look')
  })

  test('eager tools do not start with arguments that cannot be read, or that the schema refuses', async () => {
    const calls = [bad, { ...call('look'), input: { n: 'one' } }, call('look'), call('look')]
    const strict = { ...reading, inputSchema: z.object({ n: z.number().optional() }) }
    const { log, result } = await play([[...calls, { type: 'text', text: 'ab' }], 'done'], { tools: { look: strict } })
    expect(log.slice(0, log.indexOf('text-end')).filter((line) => line === 'running look')).toHaveLength(1)
    const codes = (result as RunResult).toolResults.map(({ output }) => output.type === 'error' && output.value.code)
    expect(codes).toEqual(['unparsable-input', 'invalid-input', false, false])
  })

  test('eager tools are heard once, also in what they report while the application looks at the turn', async () => {
    // Of what has words each is told; of the rest the newest.
    const words = (text: string) => ({ content: [{ type: 'text', text }] }) as const
    let report: ToolContext['report'] = () => undefined
    let end = (_value: unknown): void => undefined
    const execute = (_input: unknown, context: ToolContext) => {
      report = context.report
      return new Promise((resolve) => void (end = resolve))
    }
    const loop = makeLoop({
      model: scriptedAdapter([[call('look'), call('write')], 'done']),
      tools: {
        look: tool({ inputSchema: z.object({}), effect: 'read', execute }),
        write: tool({ inputSchema: z.object({}), execute: () => (report(words('second')), end('seen'), 'written') }),
      },
      eagerTools: true,
      onResponse: () => report(words('first')),
    })
    const log: unknown[] = []
    for await (const event of loop.stream('x')) {
      if (event.type === 'tool-progress') log.push(event.content)
      if (event.type === 'tool-state' && event.toolName === 'look') log.push(event.state)
    }
    expect(log).toEqual(['queued', 'running', words('first').content, words('second').content, 'completed'])
  })

  test('eager tools go through the same states once and are run once', async () => {
    const { log, events, result } = await play([turn, 'done'])
    const states = events.flatMap((event) => (event.type === 'tool-state' ? [[event.state, event.toolCallId]] : []))
    expect(states.slice(0, 2)).toEqual([
      ['queued', 'call_0_0'],
      ['running', 'call_0_0'],
    ])
    expect(log.filter((line) => line.endsWith(' look'))).toEqual([
      'run look',
      'queued look',
      'running look',
      'completed look',
    ])
    expect(result).toMatchObject({
      text: 'done',
      toolResults: [{ output: { value: 'look' } }, { output: { value: 'write' } }],
    })
  })

  test('eager tools are an option: without it nothing starts early', async () => {
    const { log } = await play([turn, 'done'], { eagerTools: false })
    expect(log.indexOf('run look')).toBeGreaterThan(log.indexOf('text-end'))
  })

  test('eager tools that may be the last call of the turn wait for its end: the token limit may have cut them', async () => {
    const { log } = await play([[call('look'), { type: 'text', text: 'ab' }], 'done'])
    expect(log.indexOf('run look')).toBeGreaterThan(log.indexOf('text-end'))
  })

  test('eager tools that are the last call of a turn that its token limit ended never run', async () => {
    const { log, result } = await play([{ parts: [call('look'), call('look')], finishReason: 'length' }, 'done'])
    expect(log.filter((line) => line === 'run look')).toHaveLength(1)
    expect(result).toMatchObject({
      toolResults: [{ output: { value: 'look' } }, { output: { value: { code: 'truncated-call' } } }],
    })
  })

  test('eager tools do not start in a turn that was asked to call nothing', async () => {
    const { log } = await play([turn, 'done'], { toolChoice: 'none' })
    expect(log).not.toContain('run look')
  })

  test('eager tools wait where a call may be denied: that is asked once per call, not for turns that fail', async () => {
    const asked: string[] = []
    const error = new AdapterError({ provider: 'p', model: 'm', code: 'connection' })
    const { result } = await play([{ parts: [call('look')], error }, [call('look')], 'done'], {
      maxRetries: 1,
      clock: hasty,
      toolTimeout: 0,
      denyCall: ({ toolName }) => void asked.push(toolName),
    })
    expect([asked, result]).toMatchObject([['look'], { toolResults: [{ output: { value: 'look' } }] }])
  })

  test.each([
    [0, { code: 'turn-failed', transcript: { messages: [{ role: 'user' }] } }],
    [1, { text: 'done', toolResults: [] }],
  ])(
    'eager tools are cancelled and discarded when the turn fails to end, also with %d retries',
    async (maxRetries, ends) => {
      const error = new AdapterError({ provider: 'p', model: 'm', code: 'incomplete-stream', retryAfterMs: 1 })
      const clock = fakeClock()
      const failed = { parts: [call('hang'), call('write')], error }
      const after: typeof clock.after = (ms, ring) => (ms === 1 ? hasty : clock).after(ms, ring)
      const { result, signals } = await play([failed, 'done'], { maxRetries, clock: { ...clock, after } })
      expect(result).toMatchObject(ends)
      expect([signals[0]?.reason, clock.open]).toMatchObject([{ message: expect.stringContaining('turn') }, 0])
    },
  )

  test('eager tools are told the same of their call as others, but for their own turn', async () => {
    const contextsOf = async (eagerTools: boolean) => {
      const contexts: Record<string, unknown>[] = []
      const look = tool({
        inputSchema: z.object({}),
        effect: 'read',
        execute: (_input, { signal: _signal, report: _report, messages, ...context }) =>
          void contexts.push({ ...context, messages: messages.length, isFrozen: Object.isFrozen(messages) }),
      })
      const refined: unknown[] = []
      await play([[call('look'), call('look')], 'done'], {
        tools: { look },
        eagerTools,
        generateId: () => 'one',
        refineInput: (_call, { messages }) => void refined.push(messages[0]?.content),
      })
      return { contexts, refined }
    }
    const [early, late] = [await contextsOf(true), await contextsOf(false)]
    expect(early).toEqual({ ...late, contexts: [{ ...late.contexts[0], messages: 1 }, late.contexts[1]] })
    const contexts = [{ toolCallId: 'call_0_0', messages: 2, isFrozen: true }, { messages: 2 }]
    expect(late).toMatchObject({ contexts, refined: ['x', 'x'] })
  })

  const hanging = () => new Promise<never>(() => undefined)
  test.each<[string, { readonly timeout?: number }, number]>([
    ['of all tools', {}, 10],
    ['of their own', { timeout: 10 }, 1000],
  ])('eager tools have the time %s, as others', async (_whose, own, toolTimeout) => {
    const clock = fakeClock()
    const pass = () => (queueMicrotask(() => clock.advance(10)), hanging())
    const slow = tool({ ...own, inputSchema: z.object({}), effect: 'read', execute: pass })
    const unsure = tool({ ...own, inputSchema: z.object({}).refine(pass), effect: 'read', execute: () => 'never' })
    for (const look of [slow, unsure]) {
      const { result } = await play([turn, 'done'], { tools: { look }, toolTimeout, clock })
      expect((result as RunResult).toolResults[0]?.output).toMatchObject({ value: { code: 'tool-timeout' } })
    }
    expect(clock.open).toBe(0)
  })

  test('eager tools that are still checked when the turn fails never run', async () => {
    let ran = 0
    let check = (_valid: boolean): void => undefined
    const inputSchema = z.object({}).refine(() => new Promise<boolean>((resolve) => void (check = resolve)))
    const look = tool({ inputSchema, effect: 'read', execute: () => void ran++ })
    const error = new AdapterError({ provider: 'p', model: 'm', code: 'incomplete-stream' })
    await play([{ parts: turn, error }], { tools: { look } })
    check(true)
    await idle()
    expect(ran).toBe(0)
  })

  test('eager tools of a turn that is asked for again begin anew, and each is told to its end', async () => {
    const error = new AdapterError({ provider: 'p', model: 'm', code: 'incomplete-stream', retryAfterMs: 0 })
    const retried = { parts: turn, error }
    const { log, result } = await play([retried, turn, 'done'], { maxRetries: 1, clock: hasty, toolTimeout: 0 })
    expect(log.filter((line) => line.startsWith('run '))).toEqual(['run look', 'run look', 'run write'])
    expect((result as RunResult).toolResults.map(({ toolCallId }) => toolCallId)).toEqual(['call_0_0', 'call_0_1'])
  })

  test('eager tools that the end of the run cuts off are told to have failed', async () => {
    const controller = new AbortController()
    const hang = tool({ inputSchema: z.object({}), effect: 'read', execute: () => (controller.abort(), hanging()) })
    const stream = makeLoop({
      model: scriptedAdapter([{ parts: [call('hang'), call('hang')], hang: true }]),
      tools: { hang },
      eagerTools: true,
    }).stream('x', { abortSignal: controller.signal })
    const states: LoopEvent[] = []
    for await (const event of stream) if (event.type === 'tool-state') states.push(event)
    const state = { type: 'tool-state', toolCallId: 'call_0_0', toolName: 'hang' }
    expect(states).toEqual(['queued', 'running', 'failed'].map((name) => ({ ...state, state: name })))
    await expect(stream.result).rejects.toMatchObject({ code: 'aborted' })
  })

  test.each([true, false])(
    'eager tools whose schema takes its time are checked, shown and refused like others: %s',
    async (eagerTools) => {
      const shown: unknown[] = []
      const ran: unknown[] = []
      const inputSchema = z
        .object({ n: z.number().default(7) })
        .refine(({ n }) => n > 0 && Promise.resolve(true), 'too small')
      const look = tool({ inputSchema, effect: 'read', execute: (input) => void ran.push(input) })
      const calls = [{}, { n: 0 }, {}].map((input) => ({ ...call('look'), input }))
      const { result } = await play([calls, 'done'], {
        tools: { look },
        eagerTools,
        onToolExecuted: ({ toolCall }) => void shown.push([toolCall?.toolCallId, toolCall?.toolName, toolCall?.input]),
      })
      expect([shown, ran]).toEqual([
        [7, 0, 7].map((n, index) => [`call_0_${index}`, 'look', { n }]),
        [{ n: 7 }, { n: 7 }],
      ])
      const codes = (result as RunResult).toolResults.map(({ output }) => output.type === 'error' && output.value.code)
      expect(codes).toEqual([false, 'invalid-input', false])
    },
  )

  test('eager tools that stand in the same chunk do not start once the run is aborted', async () => {
    const controller = new AbortController()
    let runs = 0
    const execute = (): void => {
      runs++
      controller.abort()
    }
    const loop = makeLoop({
      model: scriptedAdapter([[call('look'), call('look'), call('look')]]),
      tools: { look: tool({ inputSchema: z.object({}), effect: 'read', execute }) },
      eagerTools: true,
      middleware: {
        async *turn(_info, next) {
          const events: TurnEvent[] = []
          for await (const batch of next()) events.push(...batch)
          yield events
        },
      },
    })
    await expect(loop.generate('x', { abortSignal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
    expect(runs).toBe(1)
  })

  test('eager tools have the key that they have without `eagerTools`, however long their input is refined', async () => {
    const keysOf = async (eagerTools: boolean): Promise<readonly string[]> => {
      const keys: string[] = []
      const execute = (_input: unknown, { transcriptId, idempotencyKey }: ToolContext): void =>
        void keys.push(idempotencyKey.slice(transcriptId.length))
      const loop = makeLoop({
        model: scriptedAdapter([[call('look'), call('look')], 'done']),
        tools: { look: tool({ inputSchema: z.object({}), effect: 'read', execute }) },
        eagerTools,
        // The turn is over by then.
        refineInput: () => new Promise((resolve) => setTimeout(resolve, 0, undefined)),
      })
      await loop.stream('x').result
      return keys.toSorted()
    }
    expect(await keysOf(true)).toEqual(await keysOf(false))
  })

  test('eager tools: a hook is shown the input that a tool got, also where its schema took longer than the turn', async () => {
    const seen: unknown[] = []
    const later = async (text: string): Promise<number> => {
      for (let round = 0; round < 9; round++) await idle()
      return Number(text)
    }
    const look = tool({
      inputSchema: z.object({ n: z.string().transform(later) }),
      effect: 'read',
      execute: (input) => void seen.push(input),
    })
    const onToolExecuted: StepLoopOptions['onToolExecuted'] = ({ toolCall }) => void seen.push(toolCall?.input)
    const tools = { look, note: reading }
    await play([[call('look', { n: '5' }), call('note')], 'done'], { tools, onToolExecuted })
    expect(seen).toEqual([{}, { n: 5 }, { n: 5 }])
  })

  test('eager tools that are refused take no event from the reader that stands behind theirs in the same chunk', async () => {
    const tools = { look: tool({ inputSchema: z.object({ n: z.number() }), effect: 'read', execute: () => 'seen' }) }
    const inOne: Middleware['turn'] = async function* (_info, next) {
      const events: TurnEvent[] = []
      for await (const batch of next()) events.push(...batch)
      yield events
    }
    const script = [[call('look'), call('look'), { type: 'text', text: 'ab' } as const], 'done']
    const { log } = await play(script, { tools, middleware: { turn: inOne } })
    expect(log.filter((line) => line === 'text-end')).toHaveLength(2)
  })
}
